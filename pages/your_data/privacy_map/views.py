"""The map of privacy definitions: its numbers, and what a click on it shows."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dpcore.data import Dataset
from dpcore.data.names import grouped
from dpcore.data.program import loading
from dpcore.errors import DataError, or_reason
from dpcore.exhibits.privacy_map.figure import variant_map
from dpcore.exhibits.privacy_map.variants import METRICS, Variant, variants
from dpcore.individual import IndividualPrivacy, individual_privacy
from dpcore.individual.all_rows.exactly import all_affordable, best_known, exact_row
from dpcore.mechanisms.releases import GlmRelease
from pages.components import cache, cards, say, screen, spoken
from pages.components.charts import Chart, place
from pages.components.glm_release import Released
from pages.components.say import md
from pages.components.words import number, programs, times

_sentence, _program = say.sentences(__file__), programs(__file__)

WORDS = {
    "sup": "the worst one",
    "mean": "the mean over them",
    "quantile": "a high quantile over them",
    "fixed": "the one at hand",
}

# Most rows of data for which the page is offered, because it draws data sets anew. Doubled, it takes at least twice as
# long.
LARGEST = 20_000


@dataclass(frozen=True)
class MapView:
    """A result, the position of the fixed record, and the value of every definition there."""

    result: IndividualPrivacy
    index: int
    variants: tuple[Variant, ...]

    def variant(self, name: str) -> Variant:
        """The definition of this name."""
        return next(variant for variant in self.variants if variant.name == name)

    def value(self, name: str) -> float | None:
        """The value of a definition; None if it has none."""
        return self.variant(name).value

    @property
    def ratio(self) -> float | None:
        """The worst case over ε of the fixed record; None if there is no worst case or the record loses nothing."""
        here, anywhere = (self.value(name) for name in ("Per-instance DP", "Approximate DP"))
        return anywhere / here if here and anywhere is not None else None

    def shown(self, name: str) -> str:
        """The value of a definition as ε, with the sign that says whether it is exact."""
        variant = self.variant(name)
        return f"ε {variant.method.sign} {number(float(variant.value or 0))} {variant.unit}"


def computed(asked: Released) -> MapView:
    """Every definition on the chosen data, cached for this session."""
    dataset, given = asked.dataset, (asked.dataset, asked.mechanism, asked.delta)
    if dataset.n_samples > LARGEST:
        raise DataError(
            f"This page draws data sets anew and is offered up to {grouped(LARGEST)} rows; these data have {grouped(dataset.n_samples)}."
        )
    return at_row(pick_row(cache.in_session(_every, *given)), asked)


def at_row(index: int, asked: Released) -> MapView:
    """Every definition, with the record at `index` as the fixed one."""
    given = (asked.dataset, asked.mechanism, asked.delta, index)
    with say.spinner("Computing every definition", show_time=True):
        return MapView(cache.in_session(_known, *given), index, cache.in_session(_variants, *given))


def _every(dataset: Dataset, mechanism: GlmRelease, delta: float) -> IndividualPrivacy:
    """ε of all rows, without the expansion if that is quick."""
    result = cache.in_session(individual_privacy, dataset, mechanism, delta)
    if not (result.is_expansion and all_affordable(result)):
        return result
    bar = say.progress(0.0)
    found, _ = best_known(result, lambda share: say.progress(share, "The rows without the expansion", on=bar))
    bar.empty()
    return found


def _known(dataset: Dataset, mechanism: GlmRelease, delta: float, index: int) -> IndividualPrivacy:
    """As `_every`, and ε of the fixed record always without the expansion, however long that takes."""
    result = cache.in_session(_every, dataset, mechanism, delta)
    if not result.is_expansion or result.exactly is not None:
        return result
    bar = say.progress(0.0)
    one, _ = or_reason(lambda: exact_row(result, index, lambda share: say.progress(share, "This record", on=bar)))
    bar.empty()
    return result if one is None else result.with_exact(one)


def _variants(dataset: Dataset, mechanism: GlmRelease, delta: float, index: int) -> tuple[Variant, ...]:
    return variants(cache.in_session(_known, dataset, mechanism, delta, index), index, repeats=30)


def pick_row(result: IndividualPrivacy) -> int:
    """Ask for the fixed record z, with the most exposed rows first in the list, and return its position.

    The choice stays the same while other rows become more exposed.
    """
    order = [int(row) for row in result.most_exposed(result.epsilon.size)]
    steps = sorted({0, 1, 2, *(round(share * (len(order) - 1)) for share in (0.05, 0.25, 0.5, 0.75, 1.0))})
    rows = [order[step] for step in steps if step < len(order)]
    key = f"data_map_row_{result.dataset.sha256[:12]}"
    before = st.session_state.get(key)
    if before is not None and before not in rows:
        rows.append(before)
    with st.sidebar:
        return say.selectbox(
            "Fixed record z", rows, key=key, format_func=result.dataset.row_name,
            help="From the most to the least exposed row now: the three largest, then quantiles. Once there, a record stays.",
        )  # fmt: skip


def headline(view: MapView) -> str:
    """The fixed record, compared with the worst case of any record and any data."""
    name = view.result.dataset.row_name(view.index)
    if view.ratio is None:
        return f"{name.capitalize()}: {view.shown('Per-instance DP')}, and no worst case"
    return f"DP's worst case is {times(view.ratio)} the ε of {name} in these data"


def metrics(view: MapView) -> list[cards.Metric]:
    """Cards for the fixed record, the mean, any record, and the worst case."""
    here = view.value("Per-instance DP")
    row = []
    for name, label in (
        ("Per-instance DP", f"This record, {view.result.dataset.row_name(view.index)}"),
        ("pDP of the data set", "Mean over the rows"),
        ("pDP for all", "Any record, these data"),
        ("Approximate DP", "Any record, any data"),
    ):
        value = view.value(name)
        others = value is not None and here and name != "Per-instance DP"
        compared = f"{times(value / here)} this record" if others else None
        row.append(cards.Metric(label, "no guarantee" if value is None else view.shown(name), compared, help=name))
    return row


def body(view: MapView) -> list[Chart]:
    """Draw the map."""
    chart = the_map(view)
    place(chart)
    return [chart]


def the_map(view: MapView) -> Chart:
    """The chart of the map."""
    narrow, row = screen.size() == "phone", view.result.dataset.row_name(view.index)
    outlined = row, "" if view.ratio is None else f"{times(view.ratio)} {row}"
    return Chart(
        "Map of definitions",
        lambda: variant_map(
            view.variants, cards.theme_mode(), delta=f"δ = {number(view.result.delta)}", outlined=outlined, narrow=narrow
        ),
        "ε by each definition of privacy, by what it takes over data sets and records", "pm_map", caption=_sentence("one_release"),
        options={"on_select": "rerun", "selection_mode": "points"},
    )  # fmt: skip


def below(view: MapView) -> None:
    """Show in words the definition that is selected on the map or in the list."""
    points = st.session_state["pm_map"]["selection"]["points"]
    chosen = [int(point["customdata"]) for point in points if "customdata" in point]
    names = [variant.name for variant in view.variants]
    default = names.index("Per-instance DP")
    picked = say.selectbox(
        "Definition", range(len(names)), index=default, format_func=lambda k: names[k], key="pm_definition"
    )
    say.caption("Click a cell of the map, or choose in the list, which has the definitions in other units too.")
    spoken.unforetold("definition", lambda: say.markdown(explain(view.variants[chosen[0] if chosen else picked])))()


def explain(variant: Variant) -> str:
    """A sentence on which supremum or mean a definition takes, and on its value here."""
    shown = "it has no answer here" if variant.value is None else md("its value here is **{}**", _marked(variant))
    note = f" ({variant.note})" if variant.note else ""
    plug = " The rows of this data set stand for the population." if variant.plug_in else ""
    over = WORDS[variant.data_set], WORDS[variant.target], METRICS[variant.metric]
    return _sentence("variant_takes", variant.name, *over, shown, note, plug)


def data(view: MapView) -> pd.DataFrame:
    """A table with a row for each definition."""
    return pd.DataFrame(
        [
            {"definition": v.name, "over data sets": v.data_set, "over records": v.target, "metric": METRICS[v.metric],
             "value": v.value, "unit": v.unit, "which is": "" if v.value is None else v.method.value,
             "remark": v.note, "plug-in": v.plug_in}
            for v in view.variants
        ]
    )  # fmt: skip


def notes(view: MapView) -> list[str]:
    """Sentences computed from what is on the screen."""
    varied = (_bare(view, name) for name in ("pDP for all", "Personal DP"))
    said = [
        _sentence("each_step_from_fixed"),
        _sentence("fixing_data_letting_person", *varied, view.shown("Per-instance DP")),
    ]
    if view.value("Pure DP") == float("inf"):
        said.append(
            md("**Pure DP is infinite**: Gaussian tails make some rare outputs arbitrarily telling; δ pays for them.")
        )
    return said


def _bare(view: MapView, name: str) -> str:
    return "no answer" if view.value(name) is None else view.shown(name)


def _marked(variant: Variant) -> str:
    value = float(variant.value or 0)
    mark = "" if value == float("inf") else variant.method.mark
    return f"{mark}{number(value)} {variant.unit}"


def program(view: MapView) -> str:
    """The lines of dpcore that make these numbers."""
    label = int(view.result.dataset.row_labels[view.index])
    return _program("map", data=loading(view.result.dataset), result=view.result, label=label)
