"""Attackers: a score known in advance, or a classifier trained on other runs than those it is judged on."""

import numpy as np

from dpcore import validation
from dpcore.audit.game import Game

ATTACKS = {
    "likelihood_ratio": "Likelihood ratio",
    "threshold": "Threshold on one statistic",
    "classifier": "Trained classifier",
}
# Largest number of features to which their squares and products are added. Doubled, more classifiers are trained on
# squares and take longer.
_FEW = 12


def available(game: Game) -> tuple[str, ...]:
    """Attacks that can be run on a game, the strongest first."""
    known = {"likelihood_ratio": game.pair.log_ratio, "threshold": game.pair.statistic, "classifier": True}
    return tuple(name for name in ATTACKS if known[name])


def folds(game: Game, attack: str, absent: np.ndarray, present: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Scores (absent, present) per fold: one fold for a known score, two for a classifier trained on the other half.

    Parameters
    ----------
    attack : key of `ATTACKS`
    absent, present : outputs, shape (runs, d)
    """
    validation.choice("attack", attack, ATTACKS)
    if attack != "classifier":
        score = game.score_by(attack)
        return [(score(absent), score(present))]
    halves = [(absent[::2], present[::2]), (absent[1::2], present[1::2])]
    return [_classified(game, train, test) for train, test in (halves, halves[::-1])]


def _classified(
    game: Game, train: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Log odds by a logistic regression on outputs, their products, and the game's statistic."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    def features(outputs: np.ndarray) -> np.ndarray:
        statistic = game.pair.statistic
        return outputs if statistic is None else np.column_stack([outputs, statistic(outputs)])

    inputs = features(np.concatenate(train))
    labels = np.repeat([0, 1], [len(train[0]), len(train[1])])
    degree = 2 if inputs.shape[1] <= _FEW else 1
    model = make_pipeline(
        StandardScaler(), PolynomialFeatures(degree, include_bias=False), StandardScaler(),
        LogisticRegression(C=1.0, max_iter=1000),
    )  # fmt: skip
    model.fit(inputs, labels)
    return model.decision_function(features(test[0])), model.decision_function(features(test[1]))
