"""Attacks on privacy claims, and checks that share no code with what they check."""

from dpcore.audit.attacks import ATTACKS
from dpcore.audit.evidence import PAYMENTS, Claim
from dpcore.audit.game import Game
from dpcore.audit.learner_pairs import learner_game
from dpcore.audit.match import GuessingGame, Match, Round
from dpcore.audit.mechanism_pairs import mechanism_game
from dpcore.audit.membership import MEMBERSHIP_CARD, Audit, ExactAudit, Limit, Roc, audit, exact_audit, judge
from dpcore.audit.napp_pairs import napp_game
from dpcore.audit.row_pairs import row_game
from dpcore.mechanisms.pairs import Densities, Pair

__all__ = [
    "ATTACKS", "MEMBERSHIP_CARD", "PAYMENTS", "Audit", "Claim", "Densities", "ExactAudit", "Game", "GuessingGame",
    "Limit", "Match", "Pair", "Roc", "Round", "audit", "exact_audit", "judge", "learner_game", "mechanism_game",
    "napp_game", "row_game",
]  # fmt: skip
