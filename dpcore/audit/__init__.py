"""Attacks on privacy claims, and checks that share no code with what they check."""

from dpcore.audit.attacks import ATTACKS
from dpcore.audit.evidence import PAYMENTS, Claim
from dpcore.audit.game import Game, learner_game, mechanism_game, row_game
from dpcore.audit.match import GuessingGame, Match, Round
from dpcore.audit.membership import MEMBERSHIP_CARD, Audit, ExactAudit, Limit, Roc, audit, exact_audit, judge
from dpcore.audit.napp_pairs import napp_game
from dpcore.mechanisms.pairs import Densities, Pair

__all__ = [
    "ATTACKS", "MEMBERSHIP_CARD", "PAYMENTS", "Audit", "Claim", "Densities", "ExactAudit", "Game", "GuessingGame",
    "Limit", "Match", "Pair", "Roc", "Round", "audit", "exact_audit", "judge", "learner_game", "mechanism_game",
    "napp_game", "row_game",
]  # fmt: skip
