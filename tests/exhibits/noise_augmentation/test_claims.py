"""Verdicts on the source's statements follow from numbers, and turn when the numbers turn."""

import numpy as np
import pytest

from dpcore.exhibits.noise_augmentation import simulation
from dpcore.exhibits.noise_augmentation.claims import area_under, simulation_claims, theory_claims
from dpcore.exhibits.noise_augmentation.settings import N_COLUMNS, SETTINGS, example, from_dataset, simulated
from dpcore.exhibits.noise_augmentation.simulation import COMPARED, STUDY_SCORES, Simulation, Summary
from dpcore.exhibits.noise_augmentation.theory import risk_against_epsilon, risk_against_n
from dpcore.learners.napp.weights import Regularizer


def test_theory_verdicts():
    found = {(claim.where, " ".join(claim.text.split()[:2])): claim.holds for claim in theory_claims()}
    assert found == {
        ("Table 2, Prop. 1", "The printed"): False,
        ("Fig. 1", "Near 0"): True,
        ("Fig. 1", "The empirical"): True,
        ("Prop. 3", "In each"): True,
        ("Prop. 3, at convergence", "The regulariser"): False,
        ("Thm 4", "MOOR satisfies"): False,
        ("Thm 4", "The guarantee"): False,
        ("Thm 4", "VS+ satisfies"): False,
        ("Prop. 6", "The retrieved"): False,
        ("Thm 4", "The sum"): True,
    }


def summary(middle=1.0, **changes):
    """A made-up study in which everything the source says holds, but for the changes."""
    strengths = (1.0, 10.0, 100.0)
    mean = np.zeros((2, len(COMPARED), 3, len(STUDY_SCORES)))
    names = list(COMPARED)
    values = {
        "false positives": {"VS+": [0.1, 0.0, 0.0], "VS": [0.5, 0.3, 0.2], "NAPP": [0.9, 0.7, 0.5], "DP-ERM": [0.9, 0.7, 0.5]},
        "true positives": {"VS+": [1.0, 0.9, 0.0], "VS": [0.9, 0.7, 0.5], "NAPP": [0.95, 0.7, 0.5], "DP-ERM": [0.95, 0.7, 0.5]},
        "prediction error": {n: [1.0, 1.1, 1.2] for n in names}
        | {"VS": [0.9, 1.0, 1.1], "VS, sum": [0.95, 1.0, 1.2], "DP-ERM": [1.3] * 3, "VS+, sum": [1.3] * 3},
        "retrieved": {"NAPP": [0.1, 0.4, 0.4], "VS": [0.1, 0.4, 0.4], "VS+": [0.3, 0.7, 0.7]},
        "distance to lasso": {"MOOR, b = 0": [0.1] * 3, "sum, b = 0": [0.2] * 3},
    }  # fmt: skip
    values["true positives"]["lasso"] = [1.0, 0.9, 0.0]
    values["false positives"] |= {f"{name}, recycled": [0.1, 0.05, 0.0] for name in ("NAPP", "VS", "VS+")}
    values["true positives"] |= {f"{name}, recycled": [1.0, 0.9, 0.0] for name in ("NAPP", "VS", "VS+")}
    for name in ("VS", "VS+"):
        for score in ("false positives", "true positives"):
            values[score][f"{name}, sum"] = values[score][name]
    for name, other in (("NAPP", "DP-ERM"), ("VS", "VS, sum"), ("VS+", "VS+, sum")):
        values["retrieved"][other] = [value + 0.1 for value in values["retrieved"][name]]
        values["prediction error"][f"{name}, recycled"] = [
            value * (0.8 if name == "VS+" else 0.9) for value in values["prediction error"][name]
        ]
    for score, by in values.items():
        for name, row in (by | changes.get(score.replace(" ", "_"), {})).items():
            mean[:, names.index(name), :, STUDY_SCORES.index(score)] = row
    retrieved = STUDY_SCORES.index("retrieved")
    mean[0, :, :, retrieved] *= 0.5
    mean[0, names.index("VS+"), :, retrieved] *= 1.9
    at_low, at_top = mean
    return Summary(
        (0.4, 0.9, 1.0), strengths, tuple(np.repeat(one[None], 5, axis=0) for one in (at_low, middle * at_top, at_top))
    )


def test_a_world_as_described_confirms_every_statement():
    claims = simulation_claims(summary())
    assert len(claims) == 16
    assert [claim.where for claim in claims if not claim.holds] == []


@pytest.mark.parametrize(("where", "changes"), [
    ("Fig. 3", {"distance_to_lasso": {"MOOR, b = 0": [0.1, 0.3, 0.1]}}),
    ("Fig. 4, 1", {"true_positives": {"VS+": [0.1, 0.05, 0.0], "VS+, sum": [0.1, 0.05, 0.0]}}),
    ("Fig. 4, 2", {"false_positives": {"VS": [0.5, 0.0, 0.0]}}),
    ("Fig. 4, 2, any Λ", {"false_positives": {"VS": [0.5, 0.3, 0.0]}}),
    ("Fig. 4, 3", {"true_positives": {"DP-ERM": [0.5, 0.3, 0.1]}}),
    ("Fig. 5, 1", {"prediction_error": {"NAPP": [2.0, 2.1, 2.2]}}),
    ("Fig. 5, 2", {"prediction_error": {"NAPP": [1.2, 1.1, 1.0]}}),
    ("Fig. 5, 3", {"prediction_error": {"VS+": [0.5, 0.6, 0.7], "VS+, recycled": [0.4, 0.4, 0.4]}}),
    ("Fig. 7, 1", {"retrieved": {"NAPP": [0.4, 0.1, 0.4]}}),
    ("Fig. 7, 2", {"retrieved": {"VS": [0.02, 0.04, 0.04], "VS, sum": [0.8] * 3}}),
    ("Fig. 7, 2, plateau", {"middle": 0.8}),
    ("Fig. 7, 3", {"retrieved": {"DP-ERM": [0.0, 0.1, 0.1]}}),
    ("Fig. 7, 4", {"retrieved": {"VS+": [0.0, 0.1, 0.1]}}),
    ("Fig. 8 (selection)", {"true_positives": {"VS, recycled": [0.6, 0.5, 0.4]}}),
    ("Fig. 8", {"prediction_error": {"NAPP, recycled": [0.1, 0.1, 0.1]}}),
])  # fmt: skip
def test_each_verdict_turns_with_its_numbers(where, changes):
    claims = {claim.where: claim for claim in simulation_claims(summary(**changes))}
    assert claims[where].holds is False
    assert any(character.isdigit() for character in claims[where].evidence)


def loaded(**error):
    """A made-up study of a loaded file in which everything the source says of Adult holds, but for the changes."""
    values = {
        "lasso": [0.152] * 3, "VS+": [0.155, 0.155, 0.15], "VS+, sum": [0.155, 0.155, 0.158], "VS": [0.17] * 3, "VS, sum": [0.17] * 3,
        "NAPP": [0.18] * 3, "DP-ERM": [0.18] * 3,
    } | error  # fmt: skip
    base = summary()
    stacks = []
    for stack in base.stacks[::2]:
        stack = stack.copy()
        stack[:, :, :, [STUDY_SCORES.index("true positives"), STUDY_SCORES.index("false positives")]] = np.nan
        for name, row in values.items():
            stack[:, list(COMPARED).index(name), :, STUDY_SCORES.index("prediction error")] = row
        stacks.append(stack)
    return {claim.where: claim for claim in simulation_claims(Summary((0.1, 1.0), (0.1, 0.4, 1.0), tuple(stacks)))}


@pytest.mark.parametrize(("where", "error"), [
    ("Fig. 6, 1", {"VS": [0.15] * 3, "VS, sum": [0.15] * 3}),
    ("Fig. 6, 2", {"NAPP": [0.16] * 3, "DP-ERM": [0.16] * 3}),
    ("Fig. 6, 3", {"lasso": [0.14] * 3}),
    ("Fig. 6, 4", {"VS, sum": [0.17, 0.2, 0.17]}),
    ("Fig. 6, 5", {"VS+, sum": [0.155, 0.155, 0.149]}),
])  # fmt: skip
def test_figure_6_is_judged_on_a_loaded_file(where, error):
    truth = loaded()
    assert {key: claim.holds for key, claim in truth.items() if key.startswith("Fig. 6")} == {
        f"Fig. 6, {number}": True for number in range(1, 6)
    }
    assert not any(key.startswith("Fig. 4") for key in truth)
    changed = loaded(**error)
    assert changed[where].holds is False
    assert [key for key, claim in changed.items() if key.startswith("Fig. 6") and not claim.holds] == [where]


def test_two_budgets_cannot_tell_of_a_plateau():
    base = summary()
    two = Summary(base.epsilons[::2], base.strengths, base.stacks[::2])
    assert {claim.where: claim.holds for claim in simulation_claims(two)}["Fig. 7, 2, plateau"] is None


def test_what_chance_may_explain_is_left_open():
    base = summary()
    rng = np.random.default_rng(0)
    noisy = tuple(stack + rng.normal(0, 5.0, stack.shape) for stack in base.stacks)
    claims = {claim.where: claim for claim in simulation_claims(Summary(base.epsilons, base.strengths, noisy))}
    assert claims["Fig. 5, 1"].holds is None
    mean, error = base.difference("NAPP", "VS", "prediction error", 1.0)
    assert mean == pytest.approx(0.1)
    assert error == 0


def test_area_under_a_known_curve():
    flat = summary(false_positives={"VS+": [0.5, 0.2, 0.0]}, true_positives={"VS+": [1.0, 0.6, 0.0]})
    assert area_under(flat, "VS+", 1.0) == pytest.approx(0.2 * 0.3 + 0.3 * 0.8 + 0.5)


@pytest.fixture(scope="module")
def study():
    return Simulation("linear", 200, (0.4, 1.0), (0.3, 3.0, 30.0, 100.0, 150.0), 6, delta=1e-4)


@pytest.fixture(scope="module")
def finished(study):
    points = {}
    for point in study.run(points):
        points[point.key] = point
    return points


def test_study_is_resumable_and_reproducible(study, finished):
    assert not study.missing(finished)
    again = next(study.run({key: point for key, point in finished.items() if key != (1.0, 3)}))
    assert np.array_equal(again.scores, finished[1.0, 3].scores, equal_nan=True)
    part = {key: point for key, point in finished.items() if key[1] < 2}
    assert study.missing(part) == [(e, r) for r in range(2, 6) for e in (0.4, 1.0)]
    assert simulation.summarise_simulation(study, {}) is None
    assert simulation.summarise_simulation(study, part).repeats == 2


def test_summary_is_the_mean_over_repeats(study, finished):
    found = simulation.summarise_simulation(study, finished)
    stack = np.array([finished[0.4, r].scores for r in range(6)])
    row = list(COMPARED).index("VS")
    assert found.of("VS", "prediction error", 0.4) == pytest.approx(stack[:, row, :, 2].mean(axis=0))
    assert found.error_of("VS", "prediction error", 0.4) == pytest.approx(
        stack[:, row, :, 2].std(axis=0, ddof=1) / np.sqrt(6)
    )
    holed = {
        key: simulation.SimulatedPoint(point.epsilon, point.repeat, point.scores.copy())
        for key, point in finished.items()
    }
    holed[0.4, 0].scores[row] = np.nan
    partial = simulation.summarise_simulation(study, holed)
    assert partial.failed == 5
    assert partial.of("VS", "prediction error", 0.4) == pytest.approx(stack[1:, row, :, 2].mean(axis=0))


@pytest.mark.parametrize("name", SETTINGS)
def test_table_4(name):
    setting = SETTINGS[name]
    X, y = simulated(setting, 4000, np.random.default_rng(0))
    assert X.shape == (4000, N_COLUMNS)
    assert np.abs(X).max() <= setting.reach
    assert (setting.theta != 0).sum() == 8
    margin = X @ setting.theta
    assert np.corrcoef(margin, y)[0, 1] > 0.2  # with the printed sign of the logistic model it would be negative
    case = example(name, 100)
    norms = np.linalg.norm(case.X, axis=1)
    slopes = np.abs(case.loss.derivative(np.zeros(100), case.y)) * norms
    assert np.all(np.minimum(slopes, case.clip or np.inf) <= case.lipschitz + 1e-12)


def test_prediction_error_by_hand():
    labels = example("logistic", 100)
    X, y = np.eye(N_COLUMNS)[:4], np.array([1.0, -1.0, 1.0, -1.0])
    theta = np.zeros(N_COLUMNS)
    assert simulation.prediction_error(labels, theta, X, y) == 0.5
    theta[:4] = [1, 1, -1, -1]
    assert simulation.prediction_error(labels, theta, X, y) == 0.5
    counts = example("poisson", 100)
    assert simulation.prediction_error(counts, theta, X, np.zeros(4)) == pytest.approx(np.mean(np.exp([2, 2, -2, -2])))


def test_own_data_take_the_place_of_table_4():
    import dpcore as dp

    rng = np.random.default_rng(0)
    X = rng.uniform(-0.5, 0.5, (60, 3))
    data = dp.Dataset.from_arrays(X, (X[:, 0] > 0).astype(float), domain=dp.Domain(1.0, 1.0))
    case = from_dataset(data, "logistic")
    assert set(case.y) == {-1.0, 1.0}
    (point,) = Simulation(case, 40, (1.0,), (0.5,), 1, delta=0.0).run({})
    assert np.isnan(point.scores[:, :, :2]).all()
    assert np.all((point.scores[:, :, 2] >= 0) & (point.scores[:, :, 2] <= 1))
    found = simulation.summarise_simulation(Simulation(case, 40, (1.0,), (0.5,), 1), {(1.0, 0): point})
    wheres = [claim.where for claim in simulation_claims(found)]
    assert "Fig. 5, 1" in wheres
    assert not [one for one in wheres if one.startswith(("Fig. 3", "Fig. 4"))], "the true coefficients are not known"


def test_theory_pictures():
    case = example("linear", 200)
    risk = risk_against_epsilon(case, Regularizer("lasso", 2.0), 0.0, (0.5, 2.0), draws=8)
    assert risk.exceeded == 0
    assert np.all(risk.curves["measured, mean"] < risk.curves["proven, mean"])
    sample = risk_against_n(1.0, 1.0, 0.0, (100, 2000), runs=6)
    assert np.all(sample["measured, 95 % quantile"] <= sample["Theorem 10, C′ = 1"])
    assert sample["measured, mean"][1] < sample["measured, mean"][0]
