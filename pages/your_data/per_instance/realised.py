"""The tab on one single release: what its θ says about the presence of each row."""

from typing import Any

import pandas as pd

from dpcore.data import Dataset
from dpcore.data.names import grouped
from dpcore.exhibits.per_instance import rows_figure as figures
from dpcore.exhibits.per_instance.bins import bins
from dpcore.exhibits.per_instance.drawn_release import check_known, released
from dpcore.individual.analyses.ex_post import ExPost
from pages.components import cache, cards, export, glm_release, say
from pages.components.words import number
from pages.your_data.per_instance.large_data import insert_ids
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)
LARGEST = 100_000
_SHOWN = 20


def show(view: ExposureView) -> None:
    """Show one release drawn from a seed, and its log ratio for every row."""
    if view.dataset.n_samples > LARGEST:
        say.info(_sentence("offered_up_to", grouped(LARGEST), grouped(view.dataset.n_samples)))
        return
    check_known(view.result.mechanism)
    seed = say.slider("Which release", 0, 20, 0, step=1, key="pi_model_seed")
    theta, after = cache.in_session(released, view.dataset, view.result.mechanism, seed)
    say.subheader(f"{glm_release.model(view.result.mechanism)}: one θ by objective perturbation", anchor=False)
    _after(view.dataset, after, theta)


def _after(dataset: Dataset, found: ExPost, theta: Any) -> None:
    binned = bins(found.loss, 40)
    export.chart(
        figures.realised_losses(binned, cards.theme_mode()), key="pi_expost", alt="Realised losses of all rows"
    )
    order = sorted(range(dataset.n_samples), key=lambda row: -abs(float(found.loss[row])))[:_SHOWN]
    table = pd.DataFrame(
        {
            "row": dataset.row_labels[order], "log ratio": found.loss[order], "volume": found.volume[order],
            "size": found.size[order], "alignment": found.alignment[order],
        }
    )  # fmt: skip
    insert_ids(table, dataset, order)
    say.table(table, hide_index=True, height=250)
    say.caption(_sentence("one_theta", ", ".join(map(number, theta[:4]))))
