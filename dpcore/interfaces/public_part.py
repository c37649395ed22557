"""What may be said of a release to anybody: a page to sign, and a card for the registry of deployments."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from string import Template

import yaml

from dpcore import __version__
from dpcore.data.domain import Domain
from dpcore.data.names import all_quoted, grouped, visible
from dpcore.errors import ParameterError, UnsupportedError, or_reason
from dpcore.individual.publication.plan import described, free_worst_case, worst_case_statement
from dpcore.individual.publication.statement import PublishedExposure, at_most
from dpcore.interfaces.report import SIGNED, STYLE, as_list, as_table, published_html
from dpcore.mechanisms.releases import GlmRelease
from dpcore.profiles import PrivacyProfile
from dpcore.profiles.in_people import in_people

_PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
_CARD = Template(Path(__file__).with_name("deployment_card.yaml").read_text(encoding="utf-8"))
_AGAIN = """<h2>How to compute it again</h2>
<pre><code>import dpcore as dp
{}</code></pre>
<p class='muted'>Nothing is drawn for this. Published counts are drawn without a known seed, which would take their noise off.</p>"""
_EXPOSURE = "<h2>Exposure of the rows, published with a budget of its own</h2>\n"
_MISSING = {"drop": "A row with a missing cell is left out.", "zero": "A missing cell is filled with 0."}
_ROWS = {"clip": "a longer row is shortened", "normalize": "every row is set to this norm"}


@dataclass(frozen=True)
class PublicPart:
    """Stated facts about a release, the guarantee that follows from them, and what was published with its own budget.

    No field is computed from the rows without privacy. If the same is stated about two data sets, both have the same
    public part.

    Parameters
    ----------
    mechanism : the release; its model, clip, penalty and noise as they were stated
    domain : public bounds on a record
    delta : δ of the guarantee
    missing : rule for missing cells
    public_rows : an upper bound of the number of rows, if one is public anyway
    published : a private release of the distribution of ε over the rows, with its own budget

    Raises
    ------
    UnsupportedError
        If other rows decide how a row is read, so that nothing is guaranteed.
    ParameterError
        If what was published is of another release.
    """

    mechanism: GlmRelease
    domain: Domain
    delta: float
    missing: str = "drop"
    public_rows: int | None = None
    published: PublishedExposure | None = None

    def __post_init__(self) -> None:
        if self.domain.from_data:
            raise UnsupportedError(
                "nothing can be said in public if ranges are read off the file: state ranges known without it"
            )
        if self.missing not in _MISSING:
            raise UnsupportedError(
                "nothing can be said in public if missing cells are filled in from other rows: leave such rows out, or fill with zero"
            )

        if self.published is not None and self.published.release != described(self.mechanism):
            raise ParameterError("what was published is of another release: publish for this one, or leave it out")

    @cached_property
    def worst_case(self) -> tuple[PrivacyProfile | None, str]:
        """The guarantee for any record and any data as a curve; else None, and the reason why none can be stated."""
        return or_reason(lambda: free_worst_case(self.mechanism, self.domain, self.public_rows))

    @property
    def guarantee(self) -> tuple[str, ...]:
        """The guarantee in sentences, and what it means in people."""
        worst, reason = self.worst_case
        if worst is None:
            return (f"No worst case of the release is stated: {reason}.",)
        said = worst_case_statement(self.mechanism, self.domain, self.delta, self.public_rows)
        return said, f"In people: {in_people(worst).said}"

    @property
    def assumptions(self) -> dict[str, str]:
        """What the guarantee takes for granted, in sentences."""
        domain = self.domain
        rows = "" if self.public_rows is None else f" So does that there are at most {grouped(self.public_rows)} rows."
        return {
            "unit": "Neighbouring data sets differ by one row, added or removed. A person with several rows is protected less.",
            "reading": f"Each row is brought within ‖x‖ ≤ {domain.row_norm:g} ({_ROWS[domain.rows]}) and |y| ≤ "
            f"{domain.target_bound:g} without a look at other rows. {_MISSING[self.missing]}",
            "public": f"The names of columns, and the levels of those that hold words, count as public.{rows}",
            "choices": "Model, columns, bounds, penalty and noise count as chosen without a look at the rows. A choice made after "
            "looking, be it at the confidential report, is not accounted for.",
            "numbers": "Guarantees are proven for real numbers; the noise of a computer has gaps between its values.",
        }  # fmt: skip

    @property
    def program(self) -> str:
        """The expression that computes ε of the guarantee again."""
        domain = f"dp.Domain({self.domain.row_norm!r}, {self.domain.target_bound!r})"
        return f"dp.{self.mechanism!r}.worst_case({domain}, {self.public_rows or 0}).epsilon({self.delta!r})"

    def html(self, date: datetime.date | None = None) -> str:
        """The page to sign: guarantee, what was published, assumptions, public ranges, how to compute it again."""
        ranges = [(visible(name), f"{low:g}", f"{high:g}") for name, (low, high) in (self.domain.ranges or {}).items()]
        return _PAGE.substitute(
            style=STYLE,
            line=f"dpcore {__version__}" + ("" if date is None else f" · {date.isoformat()}"),
            guarantee="".join(f"<p>{escape(said)}</p>" for said in self.guarantee),
            published="" if self.published is None else f"{_EXPOSURE}{published_html(self.published)}",
            assumptions=as_list(self.assumptions.values()),
            ranges=as_table(("public range of", "from", "to"), ranges, numeric=(1, 2)) if ranges else "",
            again="" if self.worst_case[0] is None else _AGAIN.format(escape(visible(self.program))),
            signed=SIGNED,
        )

    def card(self, date: datetime.date | None = None) -> str:
        """A record for the registry of deployments (YAML); the curator completes what only he knows.

        ε and δ are those of the model and of what was published about the rows, together.

        Raises
        ------
        UnsupportedError
            If no guarantee can be stated.

        References: opendp-deployments-registry.
        """
        worst, reason = self.worst_case
        if worst is None:
            raise UnsupportedError(f"a deployment card states ε, and none can be stated: {reason}")
        assumed, ranges = self.assumptions, list(self.domain.ranges or {})
        epsilon, delta = float(worst.epsilon(self.delta)), self.delta
        spent = f"Release of the model: ε = {at_most(epsilon)} at δ = {delta:g}."
        if self.published is not None:
            more, more_delta = self.published.epsilon, self.published.publication_delta
            spent += f" Distribution of exposure: ε = {more:g} at δ = {more_delta:g}. Both together: the ε and δ of this card."
            epsilon, delta = self.published.total or epsilon + more, delta + more_delta
        count = "" if self.public_rows is None else f" at most {grouped(self.public_rows)}"
        texts = {
            **assumed,
            "release": described(self.mechanism),
            "domain": f"Tables of{count} rows with ‖x‖ ≤ {self.domain.row_norm:g} and |y| ≤ {self.domain.target_bound:g}; public "
            f"ranges are stated for {all_quoted(ranges) if ranges else 'no column'}.",
            "people": self.guarantee[-1],
            "spent": spent,
            "preprocessing": f"{assumed['reading']} {assumed['choices']}",
            "mechanisms": f"{described(self.mechanism)}. {assumed['numbers']} The guarantee is that of dpcore {__version__}: "
            f"{self.program}",
            "date": "1900-01-01" if date is None else date.isoformat(),
        }
        quoted = {name: json.dumps(visible(text), ensure_ascii=False) for name, text in texts.items()}
        numbers = {"epsilon": float(at_most(epsilon)), "delta": float(f"{delta:.6g}")}
        written = {name: yaml.safe_dump(value).partition("\n")[0] for name, value in numbers.items()}
        return _CARD.substitute(quoted, **written)
