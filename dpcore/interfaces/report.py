"""A report on the exposure of all rows as one HTML file that needs no other file and no network."""

import datetime
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy
import scipy

from dpcore import __version__
from dpcore.data.names import grouped, visible
from dpcore.exhibits.per_instance import report_figure as drawings
from dpcore.glm.losses import find
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.analyses.accuracy import Accuracy
from dpcore.individual.exact.found import ABOVE
from dpcore.individual.exposure import analysis_of
from dpcore.individual.method import EpsilonMethod
from dpcore.individual.people import MEANING, PEOPLE, has_curves, implied_columns
from dpcore.individual.publication.plan import described
from dpcore.individual.publication.statement import PublishedExposure
from dpcore.individual.rows.cells import Cell
from dpcore.interfaces.findings import Findings
from dpcore.profiles.in_people import in_people
from dpcore.references import REFERENCES

ROWS_SHOWN = 20
_NAMES_SHOWN, _NAME_LENGTH = 60, 60
_FALLING_SHORT = 3  # options listed that do not meet the goal
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
_COLUMNS = {
    "row": "row", "id": "id", "epsilon": "ε", "in_sample": "leverage μ′", "residual": "residual r′",
    **{name: name.replace("_", " ") for name in PEOPLE}, "reason": "stands out by",
    "cell": "cell that exposes it most, and its share of ε",
}  # fmt: skip
SIGNED = (
    "<h2>Decision</h2>\n<p>☐ released as described &emsp; ☐ released with changes, which are attached &emsp; ☐ not released</p>\n"
    "<table class='signed'><tr><td>Name</td><td>Date</td><td>Signature</td></tr></table>"
)
_MAY_BE_SAID = (
    "<h2>What may be said</h2>\n<p class='muted'>The next sentences and the counts below them may be published; nothing else "
    "in this report may.</p>\n"
)
_SEED = (
    "None is to be given. Points that are sampled for error bars and scores are the same in every run; the noise of what is "
    "published is drawn by this computer's own randomness and has no seed, as a known one would take it off again."
)
_Line = tuple[str, str, str, str]


def report_html(
    summary: ExposureSummary,
    *,
    hashes: Mapping[str, str],
    source: str = "",
    date: datetime.date | None = None,
    figures: Mapping[str, Any] | None = None,
    rows: int = ROWS_SHOWN,
    published: PublishedExposure | None = None,
    findings: Findings | None = None,
    command: str = "",
) -> str:
    """The confidential report as HTML, from what is recommended to the place for a signature.

    Parameters
    ----------
    summary : summary of a result in memory (`ExposureSummary.of`) or of a file read in pieces (`stream_privacy`)
    hashes : name of what was hashed → SHA-256, as hexadecimal digits
    source : name of the file
    date : date to print; None prints none
    figures : title → Plotly figure; drawn from the summary by default
    rows : number of most exposed rows to list
    published : a private release of the distribution, the only part that may be published
    findings : what was tried out on the rows; None for a file that was read in pieces
    command : the command that makes this report again
    """
    figures = drawings.summary_figures(summary) if figures is None else figures
    places = [f"figure-{number}" for number in range(1, len(figures) + 1)]
    name = visible(source)[:200]
    said = {
        "title": "Per-instance privacy" + (f" of {name}" if name else ""),
        "line": _line(summary, date),
        "confidentiality": summary.confidentiality,
        "assumptions": visible(" ".join(summary.assumptions.sentences)),
        "reading": _reading(summary),
        "residual": summary.points.residual_name,
        "method": _method(summary),
    }
    card = analysis_of(summary.mechanism).card(summary.mechanism)
    header = ("", f"ε (nats){summary.method.aside}", "times the median", "")
    drawn = f"{grouped(summary.points.rows.size)} of {grouped(summary.n_samples)} rows drawn: the most exposed, and others evenly."
    parts = {
        "style": STYLE,
        "caveat": _notices(summary.caveat),
        "numbers": as_table(header, _numbers(summary), numeric=(1, 2)),
        "figures": "\n".join(
            f"<h2>{escape(heading)}</h2><div id='{place}' role='img' aria-label='{escape(heading, quote=True)}'></div>"
            for heading, place in zip(figures, places, strict=True)
        ),
        "drawn": "" if summary.points.complete else f"<p class='muted'>{drawn}</p>",
        "people": _people(summary),
        "top": _top(summary, rows, findings),
        "recommended": "" if findings is None else _recommended(findings),
        "advice": "" if findings is None else _advised(findings, summary.method),
        "compared": "" if findings is None else _compared(findings, summary),
        "command": _command(command) if command else "",
        "signed": SIGNED,
        "meaning": escape(MEANING),
        "remarks": _notices(summary.clipping, summary.repeated),
        "persons": _persons(summary),
        "missed": _notices("" if summary.exactly is None else summary.exactly.missed),
        "public": "" if published is None else f"{_MAY_BE_SAID}{published_html(published)}",
        "parameters": as_table(("", ""), _parameters(summary, hashes)),
        "notes": as_list(note.text for note in summary.report.notes),
        "references": as_list(REFERENCES[key].text for key in card.references),
        "library": drawings.library(),
        "drawing": drawings.drawing(list(figures.values()), places),
    }
    return _PAGE.substitute({name: escape(text) for name, text in said.items()}, **parts)


def _command(text: str) -> str:
    lines = "\n    ".join(visible(line) for line in text.splitlines())
    return f"<pre><code>{escape(lines)}</code></pre>"


def _line(summary: ExposureSummary, date: datetime.date | None) -> str:
    line = f"{described(summary.mechanism)} · {grouped(summary.n_samples)} rows, {len(summary.names)} features · dpcore {__version__}"
    return line if date is None else f"{line} · {date.isoformat()}"


def _numbers(summary: ExposureSummary) -> list[_Line]:
    median, reason = summary.quantiles[0.5], summary.assumptions.no_guarantee

    def line(label: str, value: float, words: str = "", method: EpsilonMethod = summary.method) -> _Line:
        return label, method.mark + number(value), _ratio(value, median), words

    rows = [line("Median row", median)]
    rows += [line(f"{100 * q:g} % of the rows have at most", v) for q, v in summary.quantiles.items() if q > 0.5]
    first = summary.top.iloc[0]
    called = f"row {first['row']}" + (f" (id {first['id']})" if first.get("id") else "")
    rows += [line("Mean", summary.mean)]
    rows += [("Most exposed row", epsilon_of(summary, 0), _ratio(float(first["epsilon"]), median), called)]
    for label, value, name, words in (
        ("pDP for all", summary.for_all, "for_all", "any record of the public domain, added to these data"),
        ("DP worst case", summary.worst_case, "worst_case", "any record and any data set of this size"),
    ):
        if value is None:
            rows.append((label, "none", "", summary.unknown[name]))
        else:
            if name == "for_all" and summary.for_all_error:
                words += f"; without the expansion, ± {summary.for_all_error:.2g}"
            elif name == "for_all" and summary.for_all_method is EpsilonMethod.EXPANSION:
                words += "; known by the expansion only"
            words = f"no guarantee: {reason}" if reason else words
            rows.append(line(label, value, words, getattr(summary, f"{name}_method")))
    return rows


def epsilon_of(summary: ExposureSummary, place: int) -> str:
    """The best known ε of one of the most exposed rows, with its error bar if it was computed without the expansion."""
    row = summary.top.iloc[place]
    error = float(row.get("error", math.nan))
    if math.isnan(error):
        return summary.method.mark + number(row["epsilon"])
    return ABOVE if math.isinf(row["epsilon"]) else f"{number(row['epsilon'])} ± {number(error)}"


def _ratio(value: float, median: float) -> str:
    if not (median > 0 and math.isfinite(value)):
        return ""
    ratio = value / median
    return grouped(round(ratio)) if 100 <= ratio < 1e9 else f"{ratio:.3g}"


def _reading(summary: ExposureSummary) -> str:
    text = (
        f"ε at δ = {summary.delta:g}. Smaller is more private; at ε = 0 nobody can tell whether the row is in the data."
    )
    text += f" {summary.method.mark.strip()}: {summary.said}".replace(" : ", " ") if summary.said else ""
    if summary.precision:
        text += f" Quantiles are known to within {100 * summary.precision:.2g} %"
        text += "; all other numbers are exact." if summary.method is EpsilonMethod.EXACT else " of that."
    return text


def _top(summary: ExposureSummary, rows: int, findings: Findings | None) -> str:
    """The most exposed rows, with the owner's ids if there are any, and the cell that exposes each if it is known."""
    frame = summary.top.head(rows)
    residual = summary.points.residual_name
    at_most = "" if has_curves(summary) and set(PEOPLE) <= set(frame) else ", at most"
    if not set(PEOPLE) <= set(frame):
        frame = frame.assign(**implied_columns(frame["epsilon"].to_numpy(), summary.delta))
    frame = frame.assign(reason=frame["reason"].replace("residual", residual))
    if findings is not None and findings.cells is not None:
        frame = frame.assign(cell=[_cell(findings.cells.get(row)) for row in frame["row"]])
    names = [name for name in _COLUMNS if name in frame]
    columns = [
        [value if isinstance(value, str) else f"{value}" if name == "row" else number(value) for value in frame[name]]
        for name in names
    ]
    if summary.exactly is not None:
        columns[names.index("epsilon")] = [epsilon_of(summary, place) for place in range(len(frame))]
    numeric = [k for k, name in enumerate(names) if name not in ("id", "reason", "cell")]
    symbol = summary.method.symbol if summary.exactly is None else "ε"
    headings = (
        _COLUMNS
        | {name: _COLUMNS[name] + at_most for name in PEOPLE}
        | {"epsilon": symbol, "residual": f"{residual} r′"}
    )
    return as_table([headings[name] for name in names], zip(*columns, strict=True), numeric)


def _cell(cell: Cell | None) -> str:
    """The cell, what is typical of its column, and the share of ε that would go with it."""
    if cell is None:
        return ""
    if cell.contribution <= 0:
        return "none alone"
    column, value, typical = (visible(text)[:_NAME_LENGTH] for text in (cell.column, cell.value, cell.typical))
    return f"{column} {value}, typical {typical}: {100 * cell.share:.0f}\u00a0%"


def _score(of: Accuracy, value: float | None = None) -> str:
    value = of.value if value is None else value
    return f"{100 * value:.1f} %" if of.share else number(value)


def _recommended(findings: Findings) -> str:
    """The proposed release, and what it means for everyone."""
    found, reason = findings.proposal, findings.why_not["proposal"]
    if found is None:
        return f"<h2>Recommendation</h2>\n<p>None: {escape(reason)}.</p>" if reason else ""
    first, *others = found.sentences
    heading = "Recommendation, which this file and this release follow" if findings.applied else "Recommendation"
    return f"<h2>{heading}</h2>\n<p><strong>{escape(visible(first))}</strong></p>\n{as_list(others)}"


def _advised(findings: Findings, method: EpsilonMethod) -> str:
    """What brings the most exposed row to the goal, and what each option costs."""
    found, row, reason = findings.advice, findings.row, findings.why_not["advice"]
    if findings.goal is None:
        return ""
    heading = f"<h2>What would bring {escape(row)} to ε ≤ {number(findings.goal)}</h2>\n"
    if found is None:
        return f"{heading}<p>Not known: {escape(reason)}.</p>"
    if not found.options:
        return f"{heading}<p>Nothing need be done.</p>"
    mark = "≤ " if found.surely else method.mark
    short = [option for option in found.options if not option.meets]
    shown = [option for option in found.options if option.meets] + short[:_FALLING_SHORT]
    rows = [
        (option.text, mark * (option.epsilon > 0) + number(option.epsilon), "yes" if option.meets else "no",
         "" if option.accuracy is None else _score(option.accuracy), option.note)
        for option in shown
    ]  # fmt: skip
    score = found.accuracy
    header = ("what to do", "ε of the row then", "enough", f"{score.name} then", "")
    now = f"The price is the {score.name} expected on these rows, noise included: {_score(score)} now"
    now += f", {_score(score, score.fit)} without noise."
    reliance = " Each ε includes its error bar." if found.surely else ""
    leaks = " Values read off the file depend on its rows: choose ones known without it."
    return f"{heading}{as_table(header, rows, numeric=(1, 3))}\n<p class='muted'>{escape(now + reliance + leaks)}</p>"


def _compared(findings: Findings, summary: ExposureSummary) -> str:
    """Every mechanism at the noise that exposes the most exposed row equally."""
    heading = "<h2>The mechanisms at equal ε of the most exposed row, at the same λ</h2>\n"
    if findings.compared is None:
        return f"{heading}<p>Not known: {escape(findings.why_not['compared'])}.</p>"
    rows, mark = [], analysis_of(summary.mechanism).method.mark
    for one in findings.compared:
        if one.mechanism is None or one.accuracy is None:
            rows.append((f"{one.name.lower()}: {one.why_not}", "", "", "", ""))
            continue
        worst = "none" if one.worst_case is None else number(one.worst_case)
        epsilon = (mark + number(one.largest), mark + number(one.median))
        rows.append((described(one.mechanism), *epsilon, worst, _score(one.accuracy)))
    score = next(one.accuracy.name for one in findings.compared if one.accuracy is not None)
    header = ("release", "ε of the most exposed row", "of the median row", "of any record, any data", score)
    off = "" if summary.exactly is None else f" Where rows were computed without it, {summary.exactly.off}."
    note = f"<p class='muted'>Each ε of rows here is by the expansion.{escape(off)}</p>" if mark else ""
    return heading + as_table(header, rows, numeric=(1, 2, 3, 4)) + note


def _people(summary: ExposureSummary) -> str:
    """What the worst case of the release means in people; empty if there is none."""
    if summary.worst_case is None or summary.domain is None or summary.assumptions.no_guarantee:
        return ""
    found = in_people(summary.mechanism.worst_case(summary.domain, summary.n_samples))
    return f"<p><strong>In people</strong>, for any record and any data of this size. {escape(found.said)}</p>"


def _method(summary: ExposureSummary) -> str:
    title = analysis_of(summary.mechanism).card(summary.mechanism).title
    if summary.method is EpsilonMethod.UPPER:
        return f"{title}. Each ε is the published upper bound."
    nature = f"it is {summary.method.nature}"
    if summary.exactly is not None and summary.method is EpsilonMethod.EXACT:
        nature = "it is computed without an expansion, each with its error bar"
    elif summary.exactly is not None:
        nature += ", but for the rows computed without it"
    return (
        f"{title}. Each ε is the smallest at which the release with and the release without the row cannot be told apart but "
        f"for δ, in both directions; {nature}."
    )


def _notices(*texts: str) -> str:
    return "\n".join(f"<p class='notice'>{escape(visible(text))}</p>" for text in texts if text)


def _persons(summary: ExposureSummary) -> str:
    """The table of ε per person, for persons with several rows."""
    rows = [
        (one.called, one.method.mark + number(one.epsilon), summary.method.mark + number(one.largest))
        for one in summary.persons
    ]
    header = ("rows of one person", "ε per person", "ε of its most exposed row")
    return as_table(header, rows, numeric=(1, 2)) if rows else ""


def published_html(published: PublishedExposure) -> str:
    """The statement that may be published, and its noisy counts."""
    frame = published.frame()
    rows = [[number(low), number(high), f"{count}"] for low, high, count in frame.iloc[:, :3].itertuples(index=False)]
    return (
        f"<blockquote>{escape(published.statement)}</blockquote>\n"
        f"{as_table(('bound of ε from', 'to', 'rows, with noise'), rows, numeric=(0, 1, 2))}\n"
        f"<p class='muted'>Noise of each count: discrete Gaussian, σ = {published.count_sigma:.4g}.</p>"
    )


def _parameters(summary: ExposureSummary, hashes: Mapping[str, str]) -> list[tuple[str, str]]:
    mechanism = summary.mechanism
    shown = analysis_of(mechanism).parameters(mechanism)
    names = ", ".join(visible(name)[:_NAME_LENGTH] for name in summary.names[:_NAMES_SHOWN])
    more = len(summary.names) - _NAMES_SHOWN
    rows = [("model", find(mechanism.loss).model), ("mechanism", type(mechanism).__name__)]
    rows += [(name, f"{value}") for name, value in shown.items() if name != "loss" and value is not None]
    rows += [("delta", f"{summary.delta:g}"), ("target", visible(summary.target)[:200])]
    rows += [("features", names + (f" and {more} more" if more > 0 else ""))]
    if summary.domain is not None:
        domain = summary.domain
        rows += [("row_norm", f"{domain.row_norm:g}"), ("target_bound", f"{domain.target_bound:g}")]
        rows += [("rows", domain.rows), ("public ranges", f"{len(domain.ranges or {})} columns")]
    rows += [(f"SHA-256 of {what}", digest) for what, digest in hashes.items()]
    versions = f"dpcore {__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"
    rows += [("versions", versions), ("seed", _SEED)]
    return rows


def number(value: float) -> str:
    """A number as text with four significant digits."""
    return "∞" if math.isinf(value) else f"{value:.4g}"


def as_table(header: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = ()) -> str:
    """A table as HTML; columns `numeric` are set to the right."""
    marks = dict.fromkeys(numeric, " class='number'")

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}{marks.get(k, '')}>{escape(c)}</{tag}>" for k, c in enumerate(cells)) + "</tr>"

    head = f"<thead>{line(header, 'th')}</thead>" if any(header) else ""
    return f"<div class='scroll'><table>{head}<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table></div>"


def as_list(texts: Iterable[str]) -> str:
    """A list as HTML, or that there is nothing to list."""
    items = "".join(f"<li>{escape(visible(text))}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else "<p>Nothing.</p>"
