"""A game played in pieces: by a machine that fills in its ROC curve, or by a person who guesses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import stats

from dpcore import validation
from dpcore.audit import attacks
from dpcore.audit.evidence import Claim
from dpcore.audit.game import Game
from dpcore.audit.membership import Audit, Roc, both_sides, judge, roc

_FEWEST = 20  # smallest number of runs on each side


@dataclass(frozen=True)
class Round:
    """One finished round of the guessing game.

    Parameters
    ----------
    shown : the output, as one number
    present : whether the record was in
    right, optimal : whether the guess, and the optimal attacker's, were right
    """

    shown: float
    present: bool
    right: bool
    optimal: bool


@dataclass(eq=False)
class Match:
    """Runs on both sides up to a number fixed in advance; the verdict exists only when all are played.

    Parameters
    ----------
    game : Game
    runs : int ≥ 20, per side
    attack, payment, alpha, delta, epsilon : as for `judge`
    seed : of the runs
    """

    game: Game
    runs: int
    attack: str = "likelihood_ratio"
    payment: str = "all"
    alpha: float = 0.05
    delta: float = 1e-5
    epsilon: float = 1.0
    seed: int | None = None
    absent: list[np.ndarray] = field(default_factory=list, init=False)
    present: list[np.ndarray] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.runs = validation.integer("runs", self.runs, minimum=_FEWEST)
        validation.choice("attack", self.attack, attacks.available(self.game))
        self._rng = np.random.default_rng(self.seed)

    @property
    def played(self) -> int:
        """Runs done per side."""
        return sum(len(part) for part in self.present)

    @property
    def done(self) -> bool:
        """Whether all runs are played."""
        return self.played >= self.runs

    def play(self, count: int) -> None:
        """Play at most `count` more runs on each side."""
        count = min(count, self.runs - self.played)
        if count > 0:
            absent = self.game.play(False, count, self._rng)
            self.present.append(self.game.play(True, count, self._rng))
            self.absent.append(absent)

    @cached_property
    def claim(self) -> Claim:
        """The claim, sampled once."""
        return Claim.of(self.game.claim)

    def curve(self) -> Roc | None:
        """ROC of the runs so far; None while there are too few."""
        if self.played < 2 * _FEWEST:
            return None
        scores = attacks.folds(self.game, self.attack, np.concatenate(self.absent), np.concatenate(self.present))
        return roc(*both_sides(scores), None, self.alpha)

    def verdict(self) -> Audit | None:
        """The audit, once all runs are played: looking earlier and stopping at will would void the level."""
        if not self.done:
            return None
        return judge(
            self.game, np.concatenate(self.absent), np.concatenate(self.present), self.attack, self.payment,
            self.alpha, self.delta, self.epsilon, self.claim,
        )  # fmt: skip


@dataclass(eq=False)
class GuessingGame:
    """One output at a time, with or without the record by the toss of a coin.

    Parameters
    ----------
    game : Game
    seed : of the tosses and outputs; None for fresh ones
    references : outputs of each side that the guesser may look at

    The optimal attacker says "with" where the likelihood ratio is above 1. If the densities are unknown, it says so
    where the statistic reaches the threshold that separates the reference outputs best.
    """

    game: Game
    seed: int | None = None
    references: int = 200
    history: list[Round] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        outputs = [self.game.play(present, self.references, self._rng) for present in (False, True)]
        view = self.game.pair.statistic or self.game.pair.log_ratio or (lambda x: x[:, 0])
        self._view = view
        self._optimal = self._best_rule(outputs)
        self.reference = tuple(np.asarray(view(side)) for side in outputs)
        self._draw()

    def _best_rule(self, outputs: list[np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
        log_ratio = self.game.pair.log_ratio
        if log_ratio is not None:
            return lambda x: log_ratio(x) > 0
        score = self._view
        values = np.concatenate([score(side) for side in outputs])
        split = [np.mean(score(outputs[1]) >= t) - np.mean(score(outputs[0]) >= t) for t in values]
        threshold = values[int(np.argmax(split))]
        return lambda x: score(x) >= threshold

    def _draw(self) -> None:
        self._present = bool(self._rng.integers(2))
        self._output = self.game.play(self._present, 1, self._rng)

    @property
    def shown(self) -> float:
        """The output of this round, as one number: the game's statistic."""
        return float(self._view(self._output)[0])

    def guess(self, present: bool) -> bool:
        """Score a guess and draw the next output; True if it was right."""
        right = bool(present) == self._present
        optimal = bool(self._optimal(self._output)[0]) == self._present
        self.history.append(Round(self.shown, self._present, right, optimal))
        self._draw()
        return right

    @property
    def rounds(self) -> int:
        """Guesses made."""
        return len(self.history)

    @property
    def correct(self) -> int:
        """Right guesses."""
        return sum(one.right for one in self.history)

    @property
    def optimal_correct(self) -> int:
        """Right answers of the optimal attacker on the same outputs."""
        return sum(one.optimal for one in self.history)

    def running(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of right answers after each round, the guesser's and the optimal attacker's."""
        rounds = np.arange(1, self.rounds + 1)
        right = np.cumsum([one.right for one in self.history]) / rounds
        return right, np.cumsum([one.optimal for one in self.history]) / rounds

    @property
    def streak(self) -> int:
        """Right guesses since the last wrong one."""
        wrong = [i for i, one in enumerate(self.history) if not one.right]
        return self.rounds - (wrong[-1] + 1 if wrong else 0)

    @property
    def luck(self) -> float:
        """Probability that a guesser whose long-run share is the claim's limit is right at least as often: a binomial tail."""
        return float(stats.binom.sf(self.correct - 1, self.rounds, self.limit))

    @property
    def limit(self) -> float:
        """Largest long-run share of right guesses that the claim allows: (1 + δ(0))/2."""
        return 0.5 * (1 + float(self.game.claim.delta(0.0)))
