"""What headlines say, against closed forms and sums that share no code with the pages."""

import re

import numpy as np
import pytest
from scipy import optimize

import dpcore as dp
from tests.errata.oracles import gaussian_epsilon
from tests.pages.tabs import figure_in, run


def numbers(page: str, **state) -> list[float]:
    (title,) = run(page, **state).title
    return [float(one.replace("−", "-")) for one in re.findall(r"(?<![A-Za-z])[−-]?\d+(?:\.\d+)?", title.value)]


def test_the_prices_of_mechanisms():
    gaussian, laplace = numbers("understand/privacy_curves", pc_gaussian_sigma=2.0)[-2:]
    assert gaussian == pytest.approx(gaussian_epsilon(0.5, 1e-5), rel=5e-3)
    assert laplace == pytest.approx(1 + 2 * np.log1p(-1e-5), abs=5e-3)


def test_the_step_of_a_staircase_beside_laplace_noise():
    """The mean size of staircase noise at its best step, by summing its density, of which Laplace noise has 1/ε."""

    def mean(step: float, decay: float) -> float:
        heights = decay ** np.arange(200)
        first = np.arange(200) + step
        inner = heights * (first**2 - np.arange(200) ** 2) / 2
        outer = heights * decay * ((np.arange(200) + 1) ** 2 - first**2) / 2
        mass = heights * step + heights * decay * (1 - step)
        return (inner + outer).sum() / mass.sum()

    for epsilon in (1.0, 4.0):
        best = optimize.minimize_scalar(mean, bounds=(0, 1), args=(np.exp(-epsilon),), method="bounded").fun
        assert numbers("understand/pure_noise", pn_epsilon=epsilon)[0] == pytest.approx(best * epsilon, abs=6e-3)


def test_what_was_charged_and_what_is_true():
    """Both mechanisms have oracles of their own; here it is which numbers are shown, and the share between them."""
    losses = {"sigma": 10.0, "lam": 5.0, "lipschitz": 1.0, "smoothness": 1.0, "monotone": True}
    bounds = (dp.ObjectivePerturbation(**losses, bound=one) for one in ("hockey_stick", "tight"))
    charged, true = (float(bound.epsilon(1e-5)) for bound in bounds)
    found = numbers("understand/objective_perturbation")
    assert found[:2] == pytest.approx([charged, true], rel=5e-3)
    assert found[2] == round(100 * (1 - true / charged))


def test_bins_that_hold_more_than_all_of_probability():
    """Each of k bins holds e^{−εn} of what its own data set gives it, times the success that is needed."""
    app = run("understand/learning_limits", ll_view="packing")
    bins, held = re.fullmatch(
        r"Impossible: (\d+) bins need probability ([\d.]+), there is 1", app.title[0].value
    ).groups()
    each = 0.1 * np.exp(-0.5 * 4)  # what survives of success 0.1 where all four records go
    assert (bins, held) == ("256", f"{256 * each:.2f}")
    words = [word for one in figure_in(app)["data"] for word in one.get("text") or ()]
    (first,) = (int(found[1]) for word in words if (found := re.fullmatch(r"<b>bin (\d+)</b>", word)))
    assert first * each > 1 >= (first - 1) * each
    app = run("understand/learning_limits", ll_view="packing", ll_bins=16)
    assert app.title[0].value.startswith("No contradiction yet")


def test_digits_that_agree():
    app = run("verify/cross_check", cc_tab="All digits")
    (digits,) = (int(one) for one in re.findall(r"(\d+) digits", app.title[0].value))
    largest = max(frame.value["relative difference"].astype(float).max() for frame in app.dataframe)
    assert 10.0**-digits >= largest > 10.0 ** -(digits + 1) or largest < 1e-15


def test_what_a_source_prints_before_there_are_data():
    """Algorithm 1 in Table 2 of Redberg et al. at ε = 1, and the lower bar of Fig. 6 of Li and Liu."""
    (training,) = run("your_data/private_training", tr_data="adult").title
    assert training.value == "On Adult ε = 1 buys 83.18 %, as printed"
    (rows,) = run(
        "sources/noise_augmentation", na_view="study", na_figure="budget", na_data="upload", source="upload"
    ).title
    assert rows.value == "On Adult lasso errs on 15.2 % at ε = 1, as printed"


def test_a_penalty_beside_the_best_one():
    """The ratio of the excess on its card to the least excess in the data behind the curve."""
    app = run("understand/output_perturbation", out_lambda=10.0, out_tab="Data")
    lam, ratio, best = (float(one) for one in re.findall(r"\d+(?:\.\d+)?", app.title[0].value))
    excess = next(float(one.value) for one in app.metric if one.label.startswith("Excess loss"))
    table = next(one.value for one in app.dataframe if "lambda" in one.value)
    total = table[table.eq("Total, measured").any(axis=1)].set_index("lambda")["value"]
    assert (lam, best) == (10.0, pytest.approx(total.idxmin(), rel=5e-3))
    assert ratio == pytest.approx(excess / total.min(), rel=0.02)
