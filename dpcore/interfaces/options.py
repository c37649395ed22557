"""The options of the command line, and the mechanism, the domain and the files they describe."""

import argparse
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpcore import __version__, validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import EXTREMES, ROW_RULES, Domain
from dpcore.data.ingest.encode import MISSING_RULES
from dpcore.data.ingest.ranges import parse_range, read_ranges
from dpcore.data.names import quoted
from dpcore.data.program import chosen_features, file_of
from dpcore.decisions.answers import Answers
from dpcore.errors import DataError, ParameterError, UnsupportedError
from dpcore.glm.losses import LOSSES, Squared, find
from dpcore.individual.models import default_clip, models_for
from dpcore.interfaces.app_command import app
from dpcore.interfaces.check_command import check
from dpcore.interfaces.outputs import Outputs
from dpcore.interfaces.public_part import PublicPart
from dpcore.interfaces.report import ROWS_SHOWN
from dpcore.mechanisms import RELEASES, GlmRelease
from dpcore.mechanisms.output_perturbation import NOISE_SHAPES
from dpcore.records import tables

_RELEASES = {entry.option: entry for entry in RELEASES.values()}
LINEAR, NO_CLIP = "linear", "none"
MODEL_OPTIONS = {LINEAR if loss == Squared() else name: name for name, loss in LOSSES.items()}
STDOUT = "-"
# Files beside the report: name of the option → ending. Those of `PUBLIC` may be published.
ENDINGS = {"parquet": "parquet", "csv": "csv", "json": "json", "public": "html", "card": "yaml"}
PUBLIC = ("--public", "--card")
_Command = Callable[[argparse.Namespace], int]
STREAM_FROM = 2**28  # a file of at least so many bytes is read in pieces even if this is not asked for
_PATH = Path(__file__).with_suffix(".toml")
_NAMED: dict[str, dict[str, Any]] = {  # the table of options uses these names for types and choices
    "type": {"float": float, "int": int},
    "choices": {
        "mechanisms": list(_RELEASES), "models": list(MODEL_OPTIONS), "shapes": NOISE_SHAPES, "rows": ROW_RULES,
        "extremes": EXTREMES, "missing": MISSING_RULES,
    },
}  # fmt: skip
_SAID = {
    "laws": "; ".join(f"{option}: {entry.law}" for option, entry in _RELEASES.items()),
    "models": ", ".join(f"{option} ({LOSSES[name].model})" for option, name in MODEL_OPTIONS.items()),
    "stream": STREAM_FROM >> 20,
}


def parser(run: _Command, decide: _Command | None = None) -> argparse.ArgumentParser:
    """The parser of the command line; `run` is called with the options of a report, `decide` with those of a proposal."""
    words = argparse.ArgumentParser(prog="python -m dpcore", description="Differential privacy one can see.")
    words.add_argument("--version", action="version", version=f"dpcore {__version__}")
    commands = words.add_subparsers(title="commands", required=True, metavar="COMMAND")
    defaults: dict[str, dict[str, Any]] = {
        "report": {"run": run, "top": ROWS_SHOWN},
        "figures": {"run": _figures},
        "check": {"run": check},
        "decide": {"run": decide},
        "app": {"run": app},
    }
    stated = tables(_PATH, ("command",))["command"]
    known = {one["name"]: one for one in stated["report"]["option"]}
    for name, given in stated.items():
        asked = [*given.pop("option"), *({**known[one]} for one in given.pop("as_in_report", ()))]
        layout = argparse.RawDescriptionHelpFormatter if "epilog" in given else argparse.HelpFormatter
        command = commands.add_parser(name, formatter_class=layout, **given)
        titles = dict.fromkeys(one["group"] for one in asked if "group" in one)
        groups = {title: command.add_argument_group(title) for title in titles}
        for one in asked:
            _add(groups.get(one.pop("group", ""), command), **one)
        command.set_defaults(**defaults[name])
    return words


def _add(group: argparse._ActionsContainer, name: str, help: str, **given: Any) -> None:
    """Add an option as its table describes it."""
    found = {key: _NAMED[key][value] if key in _NAMED else value for key, value in given.items()}
    group.add_argument(name, help=help.format(**_SAID), **found)


def _figures(chosen: argparse.Namespace) -> int:
    """Write the gallery as files; the code that draws it is imported only here."""
    from dpcore.interfaces.gallery_files import run_figures

    return run_figures(chosen)


def files(options: argparse.Namespace) -> dict[str, str]:
    """The files to write: option → path."""
    named = {"--out": options.out} | {f"--{name}": getattr(options, name) for name in ENDINGS}
    return {option: path for option, path in named.items() if path is not None and (option, path) != ("--out", STDOUT)}


def outputs(options: argparse.Namespace) -> Outputs:
    """The files to write, after all of them have been checked."""
    if STDOUT in (options.file, options.ranges):
        raise ParameterError("standard input cannot be read: FILE and --ranges need the name of a file, got '-'")
    for name, ending in ENDINGS.items():
        path = getattr(options, name)
        if path == STDOUT:
            raise ParameterError(f"--{name} cannot be written to standard output; give the name of a file")
        if path is not None and Path(path).suffix.lower() != f".{ending}":
            raise ParameterError(f"--{name} needs a file name ending in .{ending}, got {quoted(path, 120)}")
    sources = {"FILE": options.file} | ({} if options.ranges is None else {"the file of --ranges": options.ranges})
    return Outputs(files(options), sources, options.force)


def mechanism(options: argparse.Namespace, dataset: Dataset | None = None) -> GlmRelease:
    """The release that is asked about. If no model is named, the target decides; without data the model is linear.

    Raises
    ------
    ParameterError
    DataError
        If the model does not suit the target.
    """
    entry = _RELEASES[options.mechanism]
    for name in sorted({name for other in _RELEASES.values() for name in other.asked} - set(entry.asked)):
        if getattr(options, name) is not None:
            raise ParameterError(f"--{name} does not belong to --mechanism {entry.option}")
    given = {name: getattr(options, name) for name in entry.asked}
    values = {name: entry.asked[name] if value is None else value for name, value in given.items()}
    if values[entry.noise.name] is None:
        raise ParameterError(f"--mechanism {entry.option} needs --{entry.noise.name}, the level of the noise")
    loss, clip = MODEL_OPTIONS[options.model or LINEAR], _stated_clip(options.clip)
    if dataset is None:
        return entry.build(lam=options.lam, loss=loss, clip=clip, **values)
    models = models_for(dataset)
    loss = models.default if options.model is None else loss
    if loss in models.refused:
        raise DataError(
            f"{LOSSES[loss].model} does not suit the target {quoted(dataset.target)}: {models.refused[loss]}. Models that do: "
            f"{', '.join(option for option, name in MODEL_OPTIONS.items() if name in models.offered)}."
        )
    public, linear = dataset.domain, loss == MODEL_OPTIONS[LINEAR]
    if public is not None and options.clip is None and not linear and entry.can_clip(LOSSES[loss], public):
        clip = default_clip(public)
    return entry.build(lam=options.lam, loss=loss, clip=clip, domain=None if linear else public, **values)


def is_settled(options: argparse.Namespace) -> bool:
    """Whether the options alone decide model and clipping, so that the target need not be looked at."""
    return options.model == LINEAR or (options.model is not None and options.clip is not None)


def model_line(mechanism: GlmRelease, options: argparse.Namespace, reason: str) -> str:
    """A line that says which model is used and, if the user named none, why."""
    clip = "" if mechanism.clip is None else f", gradients clipped at {mechanism.clip:g}"
    return f"Model: {find(mechanism.loss).model}{clip}" + (f", as {reason}." if options.model is None else ".")


def _stated_clip(text: str | None) -> float | None:
    if text in (None, NO_CLIP):
        return None
    try:
        return validation.positive("--clip", float(text))
    except ValueError as error:
        raise ParameterError(f"--clip must be a number > 0 or {NO_CLIP}, got {quoted(text)}") from error


def check_publication(options: argparse.Namespace) -> None:
    """Refuse options of what may be published that are out of range, before anything is read.

    Raises
    ------
    ParameterError, UnsupportedError
    """
    if options.public is not None or options.card is not None:
        if options.model is None:
            raise ParameterError(
                "--public and --card need --model: a model that is chosen by a look at the target tells something about it"
            )
        PublicPart(mechanism(options), domain(options), options.delta, options.missing)
        if options.card is not None and options.model == LINEAR and not options.public_rows:
            raise ParameterError(
                "--card states ε, which in linear regression depends on the number of rows: add --public-rows if that is public"
            )
    elif options.public_rows and options.publish_epsilon is None:
        raise ParameterError("--public-rows belongs to --publish-epsilon, --public or --card")
    if options.publish_epsilon is None:
        return
    validation.positive("--publish-epsilon", options.publish_epsilon)
    validation.open_probability("--publish-delta", options.publish_delta)


def domain(options: argparse.Namespace) -> Domain:
    """The public domain that the options state."""
    if options.extremes is not None and not options.ranges_from_data:
        raise ParameterError("--extremes belongs to --ranges-from-data")
    stated = dict(read_ranges(options.ranges)) if options.ranges is not None else {}
    try:
        stated |= dict(parse_range(text) for text in options.range)
    except ParameterError as error:
        raise ParameterError(f"--range: {error}") from error
    read = options.ranges_from_data and (options.extremes or True)
    return Domain(options.row_norm, options.target_bound, rows=options.rows, ranges=stated or None, from_data=read)


def reading_options(chosen: argparse.Namespace, domain: Domain) -> dict[str, Any]:
    """The options of `make_dataset` that say what is read of a file, and how."""
    return {
        "features": features(chosen.features), "domain": domain, "missing": chosen.missing,
        "intercept": chosen.intercept, "positive": chosen.positive, "counts": chosen.counts,
    }  # fmt: skip


def features(given: list[str] | None) -> list[str] | None:
    """Names of the columns to use; None means every usable column."""
    if given is None:
        return None
    names = given[0].split(",") if len(given) == 1 else given
    return [name for name in (name.strip() for name in names) if name]


def date(text: str | None) -> datetime.date | None:
    """The date to print."""
    if text is None:
        return None
    try:
        return datetime.date.today() if text == "today" else datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(f"--date must read YYYY-MM-DD or today, got {quoted(text)}") from error


def report_arguments(dataset: Dataset, mechanism: GlmRelease, delta: float) -> list[str]:
    """The arguments after `python -m` that write the report on a data set that was read from a file.

    Raises
    ------
    UnsupportedError
        If the data were not read from a file or have no domain, or no option describes the mechanism.
    """
    entry = RELEASES.get(getattr(mechanism, "release", ""))
    if entry is None or not isinstance(getattr(mechanism, "shape", ""), str):
        raise UnsupportedError(f"The command line has no option for {mechanism!r}.")
    if dataset.domain is None:
        raise UnsupportedError("The command line needs a public domain, and these data have none.")
    words = ["dpcore", "report", file_of(dataset), f"--target={dataset.target}"]
    features = chosen_features(dataset) or ()
    if len(features) == 1 and "," in features[0]:
        features *= 2  # if the option were given once, the comma would separate two names
    words += [f"--features={feature}" for feature in features]
    public = dataset.domain
    words += [f"--row-norm={public.row_norm!r}", f"--target-bound={public.target_bound!r}", f"--rows={public.rows}"]
    words += [f"--range={column}={low!r}:{high!r}" for column, (low, high) in (public.ranges or {}).items()]
    words += ["--ranges-from-data"] if public.from_data else []
    words += [f"--extremes={public.from_data}"] if public.from_data in EXTREMES else []
    encoder = dataset.encoder
    words += [] if encoder.positive is None else [f"--positive={encoder.positive}"]
    words += ["--counts"] if encoder.counts else []
    words += [f"--missing={encoder.missing}", *(["--intercept"] if encoder.intercept else [])]
    words += [f"--mechanism={entry.option}", *_model_options(mechanism)]
    words += [f"--{name}={getattr(mechanism, name)}" for name in (entry.noise.name, "lam")]
    words += [f"--{choice.name}={getattr(mechanism, choice.name)}" for choice in entry.alternatives]
    return [*words, f"--delta={delta!r}", "--out=report.html", "--parquet=rows.parquet"]


def decide_arguments(dataset: Dataset, mechanism: GlmRelease, answers: Answers) -> list[str]:
    """The arguments after `python -m` that propose a release of the same file, given the same answers.

    Raises
    ------
    UnsupportedError
        As `report_arguments` does.
    """
    _, _, file, *words = report_arguments(dataset, mechanism, answers.delta)
    words = [word for word in words if word != "--intercept" and not word.startswith(("--out=", "--parquet="))]
    words += [] if dataset.encoder.intercept else ["--no-intercept"]
    words += [
        f"--{name}={getattr(answers, name)!r}" for name in ("epsilon", "accuracy") if getattr(answers, name) is not None
    ]
    words += [f"--person={answers.person}"] if answers.person else []
    return ["dpcore", "decide", file, *words, "--out=edited.csv"]


def _model_options(mechanism: GlmRelease) -> list[str]:
    names = [option for option, name in MODEL_OPTIONS.items() if LOSSES[name] == mechanism.loss]
    if not names:
        raise UnsupportedError(f"The command line has no option for the loss {mechanism.loss!r}.")
    clip = NO_CLIP if mechanism.clip is None else repr(mechanism.clip)
    return [f"--model={names[0]}"] + ([] if mechanism.is_linear else [f"--clip={clip}"])
