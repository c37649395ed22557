"""The cards of the gallery: which are chosen, how they are drawn, and what they open."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd
import streamlit as st

from dpcore.exhibits.gallery import EXHIBITS, PAPERS, Exhibit, Judgement, Shown, Verdict, shown_of
from dpcore.exhibits.gallery.figure import gallery_figure, still_picture
from dpcore.exhibits.gallery.stored import stored
from dpcore.references import FormulaCard
from pages.components import cache, cards, say, state
from pages.components.charts import Chart
from pages.components.say import md
from pages.components.words import number
from pages.sources.gallery import words
from pages.sources.gallery.statements import leave_for
from pages.sources.gallery.words import ALL

_COLUMNS = 2
_COMPUTED = "gallery_computed"
_LINE = 58  # letters of a headline; doubled, it takes two lines
_IN_A_LINE = {
    Judgement.REPRODUCED: "reproduced", Judgement.UNDECIDED: "undecided", Judgement.DIFFERS: "differ",
    Judgement.REFUTED: "refuted", Judgement.IMPOSSIBLE: "out of reach", Judgement.WAITING: "waiting",
}  # fmt: skip
_BADGES = {
    Judgement.REPRODUCED: md(":green-badge[:material/check: reproduced]"),
    Judgement.UNDECIDED: md(":gray-badge[:material/help: undecided]"),
    Judgement.DIFFERS: md(":orange-badge[:material/difference: differs]"),
    Judgement.REFUTED: md(":red-badge[:material/close: refuted]"),
    Judgement.IMPOSSIBLE: md(":gray-badge[:material/block: cannot be reproduced]"),
    Judgement.WAITING: md(":blue-badge[:material/hourglass_empty: not computed yet]"),
}


@dataclass(frozen=True, eq=False)
class Card:
    """An exhibit, its result if there is one, its verdict, and whether the result is a stored one."""

    exhibit: Exhibit
    shown: Shown | None
    verdict: Verdict
    before: bool = False


def _source(asked: state.Asked, key: str) -> str:
    return say.radio(
        "I read", [*words.READ, ALL], format_func=lambda one: words.READ.get(one, "Any of them: all statements"), key=key,
        former={**{title: one for one, title in PAPERS.items()}, "Statements of all sources": ALL},
    )  # fmt: skip


def _verdicts(asked: state.Asked, key: str) -> Sequence[str]:
    """How many figures have each verdict, of which some can be chosen (none means all); a button computes slow ones again."""
    count = Counter(card.verdict.judgement for card in _cards(asked.source))
    said = {one.value: f"{count[one]} {one.value}" for one in Judgement if count[one]}
    chosen = say.pills("Only these verdicts", list(said), selection_mode="multi", format_func=said.get, key=key)
    st.divider()
    _compute_all(asked.source)
    return chosen


@dataclass(frozen=True)
class Asked:
    """The controls of the sidebar."""

    source: str = state.control(next(iter(PAPERS)), _source)
    kinds: Sequence[str] = state.control((), _verdicts, key="verdict", when=lambda asked: asked.source in PAPERS)


def _computed() -> set[str]:
    return st.session_state.setdefault(_COMPUTED, set())


def _compute_all(source: str) -> None:
    """A button that computes again all slow exhibits of a source of which stored results are shown."""
    known = _computed()
    waiting = [one for one in EXHIBITS.values() if one.source == source and one.is_slow and one.key not in known]
    if not waiting:
        say.caption("All figures of this source are computed in this session.")
        return
    seconds = sum({one.work: one.seconds for one in waiting}.values())
    say.button(
        f"Compute {len(waiting)} slow ones again", key="ga_all", icon=":material/play_arrow:", width="stretch",
        on_click=_computed().update, args=([one.key for one in waiting],),
        help=f"Simulations and training: about {seconds:.0f} s.",
    )  # fmt: skip


def _card(exhibit: Exhibit) -> Card:
    before = exhibit.is_slow and exhibit.key not in _computed()
    shown = cache.shared(stored, exhibit.key) if before else cache.shared(shown_of, exhibit.key)
    return Card(exhibit, shown, exhibit.verdict(shown), before)


def _cards(source: str) -> list[Card]:
    """The exhibits of a source: quick ones are computed, slow ones only if this was asked for."""
    with say.spinner("Computing", show_time=True):
        return [_card(one) for one in EXHIBITS.values() if one.source == source]


def _setting(given: tuple[str, object]) -> str:
    name, value = given
    if isinstance(value, float):
        value = f"{value:g}" if 1e-3 <= abs(value) < 1e4 else number(value)
    return f"{name} = {value}"


def caption(exhibit: Exhibit) -> str:
    """What a card says of its figure; where others of the source say the same, first the settings that tell them apart."""
    same = [one for one in EXHIBITS.values() if (one.source, one.caption) == (exhibit.source, exhibit.caption)]
    apart = [
        _setting((name, value))
        for name, value in exhibit.settings.items()
        if any(one.settings.get(name) != value for one in same)
    ]
    return md("**{}.** {}", ", ".join(apart), exhibit.caption) if apart else exhibit.caption


def _draw(card: Card, mode: str) -> None:
    exhibit = card.exhibit
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        say.markdown(md("**{}** {}", exhibit.number, _BADGES[card.verdict.judgement]), width="stretch")
        if say.button("Open live", key=f"ga_open_{exhibit.key}", icon=":material/open_in_full:"):
            leave_for(exhibit.page, exhibit.state)
    seen = card.shown or (exhibit.printed() if exhibit.printed else None)
    if seen is not None and seen.drawing.strokes:
        say.image(still_picture(seen.drawing, mode), width="stretch", alt=f"{exhibit.number}: {exhibit.caption}")
    say.caption(caption(exhibit))
    with say.expander("Checks and settings"):
        say.caption(card.verdict.reason)
        if exhibit.settings:
            say.caption(md("**Printed settings.** {}", ", ".join(map(_setting, exhibit.settings.items()))))
        if exhibit.assumptions:
            say.caption(md("**Assumed.** {}", " ".join(exhibit.assumptions)))
        if card.before:
            say.button(
                "Compute again" if card.shown else "Compute", key=f"ga_compute_{exhibit.key}", icon=":material/play_arrow:",
                on_click=_computed().add, args=(exhibit.key,),
                help=f"Computed with the package; here it takes about {exhibit.seconds:.0f} s.",
            )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Wall:
    """The figures and tables of one source, as cards."""

    asked: Asked
    under = words.MARKS

    @property
    def file(self) -> str:
        return f"gallery_{self.asked.source}"

    @property
    def formulas(self) -> Sequence[FormulaCard]:
        return words.FORMULAS[self.asked.source]

    @cached_property
    def found(self) -> list[Card]:
        return _cards(self.asked.source)

    def headline(self) -> str:
        """How many exhibits have each verdict; in groups if that is too long."""
        count = Counter(card.verdict.judgement for card in self.found)
        name, right, refuted = words.SHORT[self.asked.source], count[Judgement.REPRODUCED], count[Judgement.REFUTED]
        each = ", ".join(f"{count[one]} {said}" for one, said in _IN_A_LINE.items() if count[one])
        if len(f"{name}: {each}") <= _LINE:
            return f"{name}: {each}"
        return f"{name}: {right} reproduced, {refuted} refuted, {count.total() - right - refuted} open"

    def metrics(self) -> list[cards.Metric]:
        """How many exhibits are reproduced, differ or are undecided, are refuted, and cannot be computed or wait."""
        count = Counter(card.verdict.judgement for card in self.found)
        apart = count[Judgement.DIFFERS] + count[Judgement.UNDECIDED]
        return [
            cards.Metric("Reproduced", f"{count[Judgement.REPRODUCED]}", f"of {len(self.found)} figures and tables"),
            cards.Metric("Differ or undecided", f"{apart}", "settings, size, misprints"),
            cards.Metric("Refuted", f"{count[Judgement.REFUTED]}", "what is printed is wrong"),
            cards.Metric(
                "Cannot be, or waits", f"{count[Judgement.IMPOSSIBLE]} + {count[Judgement.WAITING]}",
                "missing; not asked for",
            ),
        ]  # fmt: skip

    def draw(self) -> list[Chart]:
        """Draw the cards, two in a row; returns charts of all computed exhibits, for export."""
        chosen = [
            card for card in self.found if not self.asked.kinds or card.verdict.judgement.value in self.asked.kinds
        ]
        if not chosen:
            say.info("No figure of this source has one of these verdicts.")
        mode = cards.theme_mode()
        for start in range(0, len(chosen), _COLUMNS):
            for column, card in zip(st.columns(_COLUMNS, gap="small"), chosen[start : start + _COLUMNS], strict=False):
                with column, st.container(border=True, height="stretch"):
                    _draw(card, mode)
        return [
            Chart(card.exhibit.number, partial(gallery_figure, card.shown.drawing, mode), card.exhibit.caption)
            for card in self.found
            if card.shown is not None
        ]

    def notes(self) -> list[str]:
        """How verdicts are found, and what they say about this source."""
        return words.observations(self.found)

    def program(self) -> str:
        """The program of the first card."""
        return words.program(self.found)

    def data(self) -> pd.DataFrame:
        """Every check of the computed exhibits."""
        rows = [
            (
                card.exhibit.number, card.verdict.judgement.value, check.what,
                {True: "yes", False: "no"}.get(check.holds, "?"), check.evidence,
            )
            for card in self.found
            if card.shown is not None
            for check in card.shown.checks
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["figure", "verdict", "printed", "holds here", "computed"])

    def further(self) -> dict[str, Callable[[], object] | None]:
        """A tab with all checks, which replaces the tab of data."""
        return {"All checks": lambda: say.table(self.data(), hide_index=True, height=460), "Data": None}
