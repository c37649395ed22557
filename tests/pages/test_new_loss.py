"""A loss is one file and one line of the registry: pseudo-Huber is named nowhere else and found wherever losses are chosen."""

from pathlib import Path

import pytest

import dpcore as dp
from dpcore.data.samples.synthetic import linear_data
from dpcore.exhibits import training
from dpcore.learners import ObjectivePerturbationLearner
from pages.components import losses
from pages.components.words import number
from tests.pages.tabs import run

ROOT = Path(__file__).resolve().parents[2]
TITLES = [loss.title for loss in dp.LOSSES.values()]


def test_it_is_one_file_and_one_line():
    named = {}
    for path in [*(ROOT / "dpcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]:
        lines = [line for line in path.read_text().splitlines() if "pseudo" in line.lower() and "huber" in line.lower()]
        if lines:
            named[path.relative_to(ROOT / "dpcore").as_posix()] = lines
    assert named.pop("glm/losses/pseudo_huber.py")
    assert named == {"glm/losses/__init__.py": ['    "pseudo_huber",']}


def test_private_training_offers_and_trains_it():
    app = run("your_data/private_training", tr_data="linear", tr_n=500, tr_d=4, tr_loss_squared="pseudo_huber")
    assert app.selectbox(key="tr_loss_squared").options == TITLES
    data = linear_data(500, 4, 0.1, 0)
    learner = ObjectivePerturbationLearner("pseudo_huber", 1.0, 1e-5, theta_norm=1.5 * 4**0.5)
    found = training.live(data, learner, rows=400)
    assert app.metric[1].value == number(found.non_private["mse"])


def test_the_audit_attacks_learners_with_it():
    app = run("verify/audit", au_subject="learner", au_learner="output_perturbation", au_loss="pseudo_huber")
    assert app.selectbox(key="au_loss").options == TITLES
    assert not app.error
    assert "PseudoHuber" in next(iter(app.session_state["data_audit_games"]))


def test_what_losses_need_of_the_target_is_said_by_kind():
    assert losses.needs() == (
        "Logistic and Smoothed hinge need two levels of the target, −1 and 1. Poisson needs numbers from 0."
    )
    assert losses.needs(["huber", "pseudo_huber"]) == ""


@pytest.mark.parametrize("name", dp.LOSSES)
def test_scores_shown_are_those_of_the_loss(name):
    assert set(dp.LOSSES[name].scores) <= set(training.SCORES.values())
