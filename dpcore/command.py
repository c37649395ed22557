"""The command line: a report on the exposure of every row of a file, on a laptop or in a batch job."""

from __future__ import annotations

import argparse
import datetime
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from dpcore import __version__
from dpcore.data.csv import read_table
from dpcore.data.domain import ROW_RULES, Domain
from dpcore.data.encode import MISSING_RULES, make_dataset
from dpcore.data.names import quoted
from dpcore.errors import DataError, DPError, ParameterError
from dpcore.individual.blocks import COLUMNS
from dpcore.individual.exposure_summary import ExposureSummary
from dpcore.individual.objective_perturbation import linear_objective
from dpcore.individual.result import individual_privacy
from dpcore.individual.row_sink import RowSink
from dpcore.individual.streaming import stream_privacy
from dpcore.mechanisms.objective_perturbation import ObjectivePerturbation
from dpcore.mechanisms.output_perturbation import SHAPES, OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from dpcore.report import ROWS_SHOWN, number, report_html, write_report

OK, USAGE, DATA, UNSUPPORTED, INTERRUPTED = 0, 2, 3, 4, 130
_MECHANISMS = ("posterior_sampling", "output_perturbation", "objective_perturbation")
STREAM_FROM = 2**28  # bytes of a file from which on it is read in pieces without being asked
_CODES = """exit codes:
  0    the report was written
  2    an option is missing or out of its range
  3    the data cannot be used; the sentence on stderr says why and what to do
  4    the combination asked for has no known guarantee
  130  interrupted (Ctrl-C or SIGTERM); no unfinished file is left behind

The report and the per-row file are computed from the data without noise: they are confidential themselves."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every failure is one sentence on stderr."""
    options = _parser().parse_args(arguments)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return options.run(options)
    except DataError as error:
        return _fail(error, DATA)
    except ParameterError as error:
        return _fail(error, USAGE)
    except DPError as error:
        return _fail(error, UNSUPPORTED)
    except KeyboardInterrupt:
        return _fail("interrupted; no unfinished file was left behind", INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)


def _fail(reason: object, code: int) -> int:
    print(f"dpcore: error: {reason}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dpcore", description="Differential privacy one can see.")
    parser.add_argument("--version", action="version", version=f"dpcore {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    report = commands.add_parser(
        "report",
        help="how exposed each row of a file is to a released ridge regression",
        description="Write a self-contained HTML report on how much one released ridge regression reveals about each "
        "row of FILE (CSV or Parquet): exact per-instance privacy, the most exposed rows and why, the worst case.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.set_defaults(run=_report)
    report.add_argument("file", metavar="FILE", help="CSV (with a header line) or Parquet file")
    report.add_argument("--target", required=True, metavar="NAME", help="column to predict: numeric or two-level")
    report.add_argument("--out", required=True, metavar="HTML", help="where to write the report")

    group = report.add_argument_group("release")
    group.add_argument(
        "--mechanism", required=True, choices=_MECHANISMS,
        help="one draw from N(θ̂, H⁻¹/γ), θ̂ plus Gaussian noise, or the minimiser with a random linear term, N(θ̂, σ²H⁻²)",
    )  # fmt: skip
    group.add_argument("--delta", type=float, default=1e-6, help="failure probability δ in (0, 1) [%(default)g]")
    group.add_argument(
        "--lam",
        type=float,
        default=1.0,
        help="ridge penalty λ, sum form: > 0 for objective_perturbation, else ≥ 0 [%(default)g]",
    )
    group.add_argument("--gamma", type=float, help="inverse temperature γ > 0 of posterior_sampling [1]")
    group.add_argument(
        "--sigma", type=float, help="noise σ > 0 of output_perturbation and objective_perturbation (required there)"
    )
    group.add_argument("--shape", choices=SHAPES, help="noise shape of output_perturbation [identity]")

    group = report.add_argument_group("data")
    group.add_argument(
        "--features", metavar="A,B,…", action="append",
        help="columns to use, separated by commas; repeat the option for a name that holds a comma "
        "[every usable column]",
    )  # fmt: skip
    group.add_argument("--row-norm", type=float, default=1.0, metavar="R", help="public bound ‖x‖₂ ≤ R [%(default)g]")
    group.add_argument(
        "--target-bound", type=float, default=1.0, metavar="B", help="public bound |y| ≤ B [%(default)g]"
    )
    group.add_argument(
        "--rows", choices=ROW_RULES, default="clip", help="shorten rows longer than R, or set every row to R [clip]"
    )
    group.add_argument(
        "--range", metavar="NAME=LOW:HIGH", action="append", default=[],
        help="public range of a column, mapped to [−1, 1] (of the target: to [−B, B]); may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--ranges-from-data", action="store_true",
        help="map the other columns by their smallest and largest value, which no guarantee covers; not with --stream",
    )  # fmt: skip
    group.add_argument("--missing", choices=MISSING_RULES, default="drop", help="what to do with missing cells [drop]")
    group.add_argument("--intercept", action="store_true", help="add a constant column, counted in the row norm")

    group = report.add_argument_group("output")
    for ending in ("parquet", "csv"):
        group.add_argument(f"--{ending}", metavar="FILE", help=f"also write the values of every row, as {ending}")
    group.add_argument(
        "--stream", action="store_true",
        help=f"read the file in pieces, in two passes, whatever its size [from {STREAM_FROM >> 20} MB on]",
    )  # fmt: skip
    group.add_argument(
        "--top", type=int, default=ROWS_SHOWN, metavar="N", help="most exposed rows listed, 1 to 100 [50]"
    )
    group.add_argument("--date", metavar="YYYY-MM-DD", help="date to print in the report, or 'today' [none]")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return parser


def _report(options: argparse.Namespace) -> int:
    started = time.monotonic()
    mechanism, domain, date = _mechanism(options), _domain(options), _date(options.date)
    if not 1 <= options.top <= 100:
        raise ParameterError(f"--top must be from 1 to 100, got {options.top}")
    if not Path(options.out).parent.is_dir():
        raise ParameterError(f"there is no folder {quoted(Path(options.out).parent, 120)} to write the report to")
    progress = _Progress(None if options.quiet else sys.stderr)
    features = _features(options.features)
    work = _streamed if options.stream or _is_large(options) else _in_memory
    summary, sha256 = work(options, mechanism, domain, features, progress)
    progress("report", 0.0)
    html = report_html(
        summary, hashes={"the file": sha256}, source=Path(options.file).name, date=date, rows=options.top
    )
    write_report(options.out, html)
    progress("report", 1.0)
    progress.close()
    worst = "none" if summary.worst_case is None else number(summary.worst_case)
    print(
        f"{summary.n_samples} rows, ε at δ = {options.delta:g}: median {number(summary.quantiles[0.5])}, most exposed "
        f"{number(summary.largest)} (row {summary.top['row'].iloc[0]}), worst case {worst}"
    )
    for path in (options.out, options.parquet, options.csv):
        if path:
            print(f"wrote {path} (confidential)")
    if not options.quiet:
        print(f"{time.monotonic() - started:.1f} s", file=sys.stderr)
    return OK


def _is_large(options: argparse.Namespace) -> bool:
    path = Path(options.file)
    possible = options.missing in ("drop", "zero") and not options.ranges_from_data
    return possible and path.is_file() and path.stat().st_size >= STREAM_FROM


def _streamed(
    options: argparse.Namespace, mechanism: Any, domain: Domain, features: list[str] | None, progress: _Progress
) -> tuple[ExposureSummary, str]:
    wanted = [path for path in (options.parquet, options.csv) if path]
    if len(wanted) > 1:
        raise ParameterError("a file read in pieces is written once: give --parquet or --csv, not both")
    _check_endings(options)
    streamed = stream_privacy(
        options.file, options.target, mechanism, options.delta, features=features, domain=domain,
        missing=options.missing, intercept=options.intercept, rows=wanted[0] if wanted else None, progress=progress,
    )  # fmt: skip
    return streamed.summary, streamed.sha256


def _in_memory(
    options: argparse.Namespace, mechanism: Any, domain: Domain, features: list[str] | None, progress: _Progress
) -> tuple[ExposureSummary, str]:
    sinks = _check_endings(options)
    progress("reading", 0.0)
    table = read_table(options.file)
    dataset = make_dataset(
        table, options.target, features, domain, missing=options.missing, intercept=options.intercept
    )
    progress("reading", 1.0)
    progress("computing", 0.0)
    result = individual_privacy(dataset, mechanism, options.delta)
    summary = ExposureSummary.of(result)
    progress("computing", 1.0)
    if sinks:
        frame = result.frame()
        for sink in sinks:
            with sink:
                sink.write({name: frame[name].to_numpy() for name in COLUMNS})
    return summary, table.sha256


def _check_endings(options: argparse.Namespace) -> list[RowSink]:
    for ending in ("parquet", "csv"):
        path = getattr(options, ending)
        if path and Path(path).suffix.lower() != f".{ending}":
            raise ParameterError(f"--{ending} needs a file name ending in .{ending}, got {quoted(path, 120)}")
    return [RowSink(path) for path in (options.parquet, options.csv) if path]


def _mechanism(options: argparse.Namespace) -> PosteriorSampling | OutputPerturbation | ObjectivePerturbation:
    if options.mechanism == "posterior_sampling":
        _refuse(options, ("sigma", "shape"))
        return PosteriorSampling(gamma=1.0 if options.gamma is None else options.gamma, lam=options.lam)
    _refuse(options, ("gamma",))
    if options.sigma is None:
        raise ParameterError(f"--mechanism {options.mechanism} needs --sigma, the level of the noise")
    if options.mechanism == "objective_perturbation":
        _refuse(options, ("shape",))
        return linear_objective(options.sigma, options.lam)
    return OutputPerturbation(sigma=options.sigma, lam=options.lam, shape=options.shape or "identity")


def _refuse(options: argparse.Namespace, names: Sequence[str]) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise ParameterError(f"--{name} does not belong to --mechanism {options.mechanism}")


def _domain(options: argparse.Namespace) -> Domain:
    ranges = {}
    for text in options.range:
        name, _, ends = text.rpartition("=")
        try:
            low, high = (float(end) for end in ends.split(":"))
        except ValueError as error:
            raise ParameterError(f"--range must read NAME=LOW:HIGH, got {quoted(text, 120)}") from error
        if not name:
            raise ParameterError(f"--range must read NAME=LOW:HIGH, got {quoted(text, 120)}")
        ranges[name] = (low, high)
    return Domain(
        options.row_norm,
        options.target_bound,
        rows=options.rows,
        ranges=ranges or None,
        from_data=options.ranges_from_data,
    )


def _features(given: list[str] | None) -> list[str] | None:
    if given is None:
        return None
    names = given[0].split(",") if len(given) == 1 else given
    return [name for name in (name.strip() for name in names) if name]


def _date(text: str | None) -> datetime.date | None:
    if text is None:
        return None
    try:
        return datetime.date.today() if text == "today" else datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(f"--date must read YYYY-MM-DD or today, got {quoted(text)}") from error


class _Progress:
    """Passes and their shares: one line rewritten on a terminal, a line for every tenth elsewhere."""

    def __init__(self, stream: TextIO | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._last = ("", -1)
        self._open = False

    def __call__(self, stage: str, share: float) -> None:
        if self._stream is None:
            return
        step = int(share * (100 if self._stream.isatty() else 10) + 1e-9)
        if (stage, step) == self._last:
            return
        if self._stream.isatty():
            if stage != self._last[0]:
                self.close()
            self._stream.write(f"\r{stage} {share:4.0%}")
            self._open = True
        else:
            self._stream.write(f"{stage} {share:.0%}\n")
        self._stream.flush()
        self._last = (stage, step)

    def close(self) -> None:
        """End the line."""
        if self._open:
            self._stream.write("\n")
            self._open = False
