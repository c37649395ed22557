"""The tab on other models: before a release, exact refits of the most exposed rows; after it, what one θ says of each row."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dpcore.data import Dataset
from dpcore.errors import DPError
from dpcore.figures.per_instance import rows as figures
from dpcore.glm import LOSSES
from dpcore.individual import GlmExposure, glm_exposure
from dpcore.individual.analyses.ex_post import ExPost
from dpcore.studies.per_instance.bins import bins
from dpcore.studies.per_instance.drawn_release import released
from pages.components import cache, cards, controls, export, losses, say
from pages.components.say import md
from pages.components.words import number

LARGEST = 20_000
_EXACT = 20
_LABELS = {"epsilon": "ε", "one_step": "moved, one step"}


def show(dataset: Dataset, lam: float, delta: float) -> None:
    """Controls, the table before the release, the losses after it."""
    if dataset.n_samples > LARGEST:
        say.info(f"Refits of single rows are offered up to {LARGEST:,} rows.")
        return
    loss = say.segmented_control(
        "Loss", list(LOSSES), format_func=losses.title, default="squared", required=True, key="pi_loss",
        help=losses.needs(),
    )  # fmt: skip
    sigma = controls.log_slider("Noise σ of the release", 0.01, 100.0, 1.0, key="pi_model_sigma")
    try:
        LOSSES[loss].check_target(dataset.y)
        with say.spinner("Refitting the most exposed rows", show_time=True):
            before = cache.in_session(_exposure, dataset, loss, sigma, lam, delta)
        seed = controls.linear_slider("Which release", 0, 20, 0, step=1, key="pi_model_seed")
        theta, after = cache.in_session(released, dataset, loss, sigma, lam, seed)
    except DPError as error:
        say.info(str(error))
        return
    _before(before)
    _after(dataset, after, theta)


def _exposure(dataset: Dataset, loss: str, sigma: float, lam: float, delta: float) -> GlmExposure:
    return glm_exposure(dataset, sigma=sigma, lam=lam, loss=loss, delta=delta, exact=_EXACT)


def _before(found: GlmExposure) -> None:
    say.subheader(md("Before the release: output perturbation θ̂ + N(0, σ²I)"), anchor=False)
    cards.metric_row(
        [
            cards.Metric("Most exposed row", f"ε = {number(float(found.epsilon.max()))}"),
            cards.Metric("Rows refitted", f"{int(found.refitted.sum())} of {found.epsilon.size:,}"),
            cards.Metric(
                "Error of one step", f"{number(100 * found.step_error)} %", help="Largest among the refitted rows"
            ),
        ]
    )
    order = sorted(range(found.epsilon.size), key=lambda row: -float(found.epsilon[row]))[:_EXACT]
    frame = _with_ids(found.frame().iloc[order].reset_index(drop=True), found.dataset, order)
    say.table(frame, hide_index=True, height=250, labels=_LABELS)
    say.caption(
        "Moved: how far the fit moves without the row. Slope: of the row's loss at its prediction. The most exposed rows are left "
        "out and the model is fitted again, exactly. All others are judged by one Newton step, whose error is measured on the "
        "refitted rows, the hardest ones."
    )


def _after(dataset: Dataset, found: ExPost, theta: Any) -> None:
    say.subheader("After the release: objective perturbation, one θ", anchor=False)
    binned = bins(found.loss, 40)
    export.chart(
        figures.realised_losses(binned, cards.theme_mode()), key="pi_expost", alt="Realised losses of all rows"
    )
    order = sorted(range(dataset.n_samples), key=lambda row: -abs(float(found.loss[row])))[:_EXACT]
    table = pd.DataFrame(
        {
            "row": dataset.row_labels[order], "log ratio": found.loss[order], "volume": found.volume[order],
            "size": found.size[order], "alignment": found.alignment[order],
        }
    )  # fmt: skip
    say.table(_with_ids(table, dataset, order), hide_index=True, height=250)
    say.caption(
        "The log ratio says how much more likely this very θ is with the row than without it (positive: it speaks for the row's "
        "presence). Its mean over releases is a divergence, its tail is δ. θ begins with "
        + ", ".join(number(float(value)) for value in theta[:4]) + "."
    )  # fmt: skip


def _with_ids(table: pd.DataFrame, dataset: Dataset, rows: Sequence[int]) -> pd.DataFrame:
    """The table with the owner's ids after the numbers, where there are any."""
    ids = dataset.row_ids(rows)
    if any(ids):
        table.insert(1, "id", ids)
    return table
