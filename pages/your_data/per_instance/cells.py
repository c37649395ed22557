"""Why a row is exposed: its cells, and the rows that look like it."""

import pandas as pd

from dpcore.data.names import grouped
from dpcore.errors import DPError
from dpcore.exhibits.per_instance import story_figure as figures
from dpcore.individual.rows.in_place import typical_records
from dpcore.individual.rows.neighbours import neighbours
from pages.components import cards, export, say
from pages.components.words import number
from pages.your_data.per_instance import exact, tables
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)

# Most rows of data for which changes are tried out with new fits. Doubled, moving a slider may take twice as long.
LARGEST = 50_000
# Number of cells of a row whose effect is also computed without the expansion. Doubled, this takes twice as long.
_EXACT = 3


def why(view: ExposureView, row: int) -> None:
    """Show which cell exposes the row, and which rows are similar to it."""
    if _is_tried(view):
        try:
            _cells(view, row)
        except DPError as error:
            say.info(f"Which cell it is cannot be computed: {error}")
        _neighbours(view, row)


def _is_tried(view: ExposureView) -> bool:
    if view.dataset.n_samples > LARGEST:
        say.info(f"Changes of the data are tried out up to {grouped(LARGEST)} rows.")
    return view.dataset.n_samples <= LARGEST


def _cells(view: ExposureView, row: int) -> None:
    name = view.dataset.row_name(row)
    say.subheader(f"Which cell exposes {name}", anchor=False)
    cells = tables.row_cells(view, row)
    export.chart(
        figures.cells(cells, float(view.best.epsilon[row]), cards.theme_mode(), method=view.result.method), key="pi_cells",
        alt="Epsilon of the row with a typical value in one cell at a time",
    )  # fmt: skip
    say.caption(_sentence("each_bar"))
    shown = [cell for cell in cells if cell.contribution != 0][:_EXACT]
    found = exact.records(
        view, lambda: typical_records(view.result, row, [cell.column for cell in shown]), row, key="pi_cells_exact"
    )
    if found is not None:
        table = {
            "cell": [cell.column for cell in shown],
            "typical": [cell.typical for cell in shown],
            "ε with the typical value, by the expansion": [number(cell.epsilon) for cell in shown],
            "without it": [exact.shown(pair) for pair in zip(found.epsilon, found.error, strict=True)],
        }
        say.table(pd.DataFrame(table), hide_index=True, key="pi_cells_exact_table")


def _neighbours(view: ExposureView, row: int) -> None:
    say.subheader("Rows that look like it", anchor=False)
    near = neighbours(view.result, row, 8)
    table = tables.record_table(view, [row, *(int(other) for other in near.rows)])
    table.insert(1, "shared direction", [1.0, *near.likeness])
    tables.show(view, table, key="pi_neighbours")
    say.caption(_sentence("shared_direction"))
