"""The command line: a report on the exposure of every row of a file, on a laptop or in a batch job."""

from __future__ import annotations

import argparse
import datetime
import os
import shlex
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from dpcore import validation
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.names import grouped
from dpcore.data.stream.chunks import ChunkedFile
from dpcore.decisions.answers import Answers
from dpcore.decisions.proposal import propose
from dpcore.errors import DataError, DPError, ParameterError, or_reason
from dpcore.individual.all_rows.assumptions import assumptions_of
from dpcore.individual.all_rows.exactly import best_known
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.models import models_for
from dpcore.individual.passes.blocks import ROW_COLUMNS
from dpcore.individual.passes.file import EXPANSION, stream_privacy
from dpcore.individual.passes.row_sink import RowSink
from dpcore.individual.people import MEANING, PEOPLE
from dpcore.individual.publication.from_file import stream_publication
from dpcore.individual.publication.plan import Terms, publish_exposure
from dpcore.individual.publication.statement import PublishedExposure
from dpcore.individual.result import IndividualPrivacy, individual_privacy
from dpcore.interfaces import options
from dpcore.interfaces.findings import Findings
from dpcore.interfaces.outputs import Outputs
from dpcore.interfaces.progress import ProgressLine
from dpcore.interfaces.public_part import PublicPart
from dpcore.interfaces.records_json import records_json
from dpcore.interfaces.report import epsilon_of, number, report_html
from dpcore.mechanisms import GlmRelease

_TABLES = ("--parquet", "--csv")
OK, USAGE, DATA, UNSUPPORTED, INTERRUPTED = 0, 2, 3, 4, 130
# the summary, the hash of the file, the reason for the model, what may be published, and what was tried out
_Found = tuple[ExposureSummary, str, str, PublishedExposure | None, Findings | None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every failure is one sentence on stderr."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        chosen = options.parser(_report, _decide).parse_args(arguments)
        chosen.typed = sys.argv[1:] if arguments is None else list(arguments)
        return chosen.run(chosen)
    except DataError as error:
        return _fail(error, DATA)
    except ParameterError as error:
        return _fail(error, USAGE)
    except DPError as error:
        return _fail(error, UNSUPPORTED)
    except OSError as error:
        return _fail(f"a file could not be read or written: {error.strerror or error}", USAGE)
    except KeyboardInterrupt:
        return _fail("interrupted; no unfinished file was left behind", INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)


def _fail(reason: object, code: int) -> int:
    print(f"dpcore: error: {reason}", file=sys.stderr)
    return code


def _report(chosen: argparse.Namespace) -> int:
    domain, date = options.domain(chosen), options.date(chosen.date)
    options.mechanism(chosen)  # values out of range are refused before the file is read
    validation.open_probability("--delta", chosen.delta)
    if chosen.goal is None and chosen.person:
        raise ParameterError("--person belongs to --goal")
    if chosen.goal is not None:
        validation.positive("--goal", chosen.goal)
    options.check_publication(chosen)
    if not 1 <= chosen.top <= 100:
        raise ParameterError(f"--top must be from 1 to 100, got {chosen.top}")
    with options.outputs(chosen) as outputs:
        return _write(chosen, domain, date, outputs)


def _decide(chosen: argparse.Namespace) -> int:
    """Propose a release of a file; the code that finds it is imported only here."""
    from dpcore.interfaces.decide_command import decide

    return decide(chosen)


def _write(chosen: argparse.Namespace, domain: Domain, date: datetime.date | None, outputs: Outputs) -> int:
    started = time.monotonic()
    progress = ProgressLine(None if chosen.quiet else sys.stderr)
    work = _streamed if chosen.stream or _is_large(chosen) else _in_memory
    summary, sha256, reason, published, findings = work(chosen, domain, outputs, progress)
    progress("report", 0.0)
    html = report_html(
        summary, hashes={"the file": sha256}, source=Path(chosen.file).name, date=date, rows=chosen.top, published=published,
        findings=findings, command=f"python -m dpcore {shlex.join(chosen.typed)}",
    )  # fmt: skip
    if chosen.public is not None or chosen.card is not None:
        _write_public(chosen, summary, published, date, outputs)
    if chosen.out != options.STDOUT:
        outputs.part("--out").write_text(html, encoding="utf-8", errors="replace")
    outputs.commit()
    progress("report", 1.0)
    progress.close()
    if chosen.out == options.STDOUT:
        _print(html)
    said = sys.stderr if chosen.out == options.STDOUT else sys.stdout
    _tell(summary)
    _say(summary, said)
    print(options.model_line(summary.mechanism, chosen, reason), file=said)
    if published is not None:
        print(f"May be published: {published.statement}", file=said)
    for option, path in options.files(chosen).items():
        print(f"wrote {path} ({'public' if option in options.PUBLIC else 'confidential'})", file=said)
    if not chosen.quiet:
        print(f"{time.monotonic() - started:.1f} s", file=sys.stderr)
    return OK


def _write_public(
    chosen: argparse.Namespace,
    summary: ExposureSummary,
    published: PublishedExposure | None,
    date: datetime.date | None,
    outputs: Outputs,
) -> None:
    """Write what may be published; of the rows it sees their number, where that is public."""
    rows = summary.n_samples if chosen.public_rows else None
    stated = summary.domain or Domain()
    part = PublicPart(summary.mechanism, stated, chosen.delta, chosen.missing, rows, published)
    for option, path, make in (("--public", chosen.public, part.html), ("--card", chosen.card, part.card)):
        if path is not None:
            outputs.part(option).write_text(make(date), encoding="utf-8", errors="replace")


def _tell(summary: ExposureSummary) -> None:
    """Print what needs attention to stderr."""
    if summary.report.rows_dropped:
        print(f"dpcore: note: {summary.assumptions.rows}", file=sys.stderr)
    for note in summary.report.notes:
        if note.level != "info":
            print(f"dpcore: warning: {note.text}", file=sys.stderr)


def _say(summary: ExposureSummary, said: TextIO) -> None:
    """Print the answer and what it assumes."""
    assumed = summary.assumptions
    mark, beyond = summary.method.mark, summary.worst_case_method.mark
    worst = "none" if summary.worst_case is None else beyond + number(summary.worst_case)
    print(
        f"{grouped(summary.n_samples)} rows, ε at δ = {summary.delta:g}: median {mark}{number(summary.quantiles[0.5])}, most exposed "
        f"{epsilon_of(summary, 0)} (row {summary.top['row'].iloc[0]}), worst case {worst}"
        + (" (no guarantee)" if assumed.no_guarantee else ""),
        file=said,
    )
    if summary.said:
        print(summary.said, file=said)
    print(*(text for text in (*assumed.sentences, summary.clipping, summary.repeated) if text), file=said)
    for person in summary.persons:
        print(
            f"One person with {person.called}: ε {person.method.sign} {number(person.epsilon)}, the most exposed of these rows alone "
            f"{mark}{number(person.largest)}",
            file=said,
        )
    if assumed.no_guarantee:
        print(f"No guarantee: {assumed.no_guarantee}.", file=said)


def _print(html: str) -> None:
    try:
        sys.stdout.buffer.write(html.encode("utf-8", "replace"))
        sys.stdout.flush()
    except BrokenPipeError:
        # Without this line the interpreter would fail again at its end, when it flushes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _is_large(chosen: argparse.Namespace) -> bool:
    path = Path(chosen.file)
    possible = chosen.missing in ("drop", "zero") and not chosen.ranges_from_data
    return possible and path.is_file() and path.stat().st_size >= options.STREAM_FROM


def _streamed(chosen: argparse.Namespace, domain: Domain, outputs: Outputs, progress: ProgressLine) -> _Found:
    for option, given in (("--json", chosen.json), ("--goal", chosen.goal)):
        if given is not None:
            raise ParameterError(f"{option} needs all rows in memory, and this file is read in pieces: leave it out")
    mechanism, reason = _of_first_rows(chosen, domain)
    wanted = [outputs.part(option) for option in options.files(chosen) if option in _TABLES]
    if len(wanted) > 1:
        raise ParameterError("a file read in pieces is written once: give --parquet or --csv, not both")
    asked, choice = (chosen.file, chosen.target, mechanism, chosen.delta), options.reading_options(chosen, domain)
    streamed = stream_privacy(*asked, rows=wanted[0] if wanted else None, progress=progress, **choice)
    published = None
    if (terms := _terms(chosen, streamed.summary.n_samples)) is not None:
        published = stream_publication(*asked, terms, progress=progress, **choice)
    if streamed.summary.method is EpsilonMethod.EXPANSION:
        print(f"dpcore: note: {EXPANSION}", file=sys.stderr)
    return streamed.summary, streamed.sha256, reason, published, None


def _of_first_rows(chosen: argparse.Namespace, domain: Domain) -> tuple[GlmRelease, str]:
    """The release asked for, with the model that suits the first rows of a file, and the reason for this model.

    Raises
    ------
    DataError, ParameterError
    """
    head = ChunkedFile(chosen.file)
    first, why_not = or_reason(
        lambda: make_dataset(head.head, chosen.target, **options.reading_options(chosen, domain))
    )
    if first is not None:
        reason = models_for(first).reason
        return options.mechanism(chosen, first), reason if head.complete else f"{reason} in the first rows"
    if not head.complete and not options.is_settled(chosen):
        raise ParameterError(
            f"the first rows do not say which model the file needs: name --model and --clip. {why_not}"
        )
    return options.mechanism(chosen), ""


def _in_memory(chosen: argparse.Namespace, domain: Domain, outputs: Outputs, progress: ProgressLine) -> _Found:
    progress("reading", 0.0)
    table = read_table(chosen.file)
    dataset = make_dataset(table, chosen.target, **options.reading_options(chosen, domain))
    progress("reading", 1.0)
    progress("computing", 0.0)
    result = individual_privacy(dataset, options.mechanism(chosen, dataset), chosen.delta)
    best = _exactly(result, progress)
    summary = ExposureSummary.of(best)
    progress("computing", 1.0)
    for option in options.files(chosen):
        if option in _TABLES:
            frame = best.frame()
            with RowSink(outputs.part(option), best.method, f"{best.said} {MEANING}".lstrip()) as sink:
                sink.write({name: frame[name].to_numpy() for name in (*ROW_COLUMNS, *PEOPLE, "error") if name in frame})
    if chosen.json is not None:
        text = records_json(best, {"the file": table.sha256})
        outputs.part("--json").write_text(text, encoding="utf-8", errors="replace")
    progress("cells and mechanisms", 0.0)
    goal, proposed = chosen.goal, None
    if goal is not None:
        answers = Answers(goal, person=chosen.person, delta=chosen.delta)
        proposed = partial(propose, dataset, answers, result.mechanism, progress)
    findings = Findings.of(result, best, chosen.top, goal, proposed)
    progress("cells and mechanisms", 1.0)
    return summary, table.sha256, models_for(dataset).reason, _published(chosen, dataset, result), findings


def _terms(chosen: argparse.Namespace, n_samples: int) -> Terms | None:
    """Terms of the private release of the distribution, or None if no such release is asked for."""
    if chosen.publish_epsilon is None:
        return None
    public_rows = n_samples if chosen.public_rows else None
    return Terms(chosen.publish_epsilon, chosen.publish_delta, public_rows=public_rows)


def _published(chosen: argparse.Namespace, dataset: Dataset, result: IndividualPrivacy) -> PublishedExposure | None:
    terms = _terms(chosen, dataset.n_samples)
    return None if terms is None else publish_exposure(dataset, result.mechanism, chosen.delta, **vars(terms))


def _exactly(result: IndividualPrivacy, progress: ProgressLine) -> IndividualPrivacy:
    """If ε of the rows comes from an expansion, the result with all or the most exposed rows computed without it."""
    if not result.is_expansion:
        return result
    best, refused = best_known(result, lambda share: progress("rows without the expansion", share))
    if refused:
        reason = next(iter(refused.values()))
        which = "no row is" if best.exactly is None else f"{len(refused)} of the rows tried are not"
        print(f"dpcore: note: {which} computed without the expansion: {reason}", file=sys.stderr)
    if best.exactly is not None and best.exactly.missed:
        print(f"dpcore: note: {best.exactly.missed}", file=sys.stderr)
    if assumptions_of(result.dataset).no_guarantee or best.exactly is None:
        return best  # ε of the most exposed record of the domain is not reported then
    _, unconfirmed = or_reason(
        lambda: best.for_all_exactly(progress=lambda share: progress("most exposed record of the domain", share))
    )
    if unconfirmed:
        print(f"dpcore: note: the most exposed record is known by the expansion only: {unconfirmed}", file=sys.stderr)
    return best
