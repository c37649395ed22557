"""Words of the audit page."""

from pages.components import say
from pages.components.say import md
from pages.verify.audit.views import Shown

_sentence = say.sentences(__file__)


def confidential(shown: Shown) -> str:
    """The warning about attacks on private rows."""
    attacked = shown.setup.attacked
    said = "Results of an attack on rows of your data are as confidential as the data."
    return f"{said} Attacked: {attacked}." if attacked else ""


def observations(shown: Shown) -> list[str]:
    """Sentences on what to notice in this game."""
    setup, board = shown.setup, shown.board
    points = [_sentence("guessing_has_ceiling"), _sentence("solid_curve_claim"), _sentence("thresholds_paid_for")]
    points[:0] = setup.notes
    if len(setup.games) == 2 and setup.private:
        hits = [float(limit.hit[int(abs(limit.false_alarm - 0.05).argmin())]) for limit in board.limits]
        points.insert(0, _sentence("exposure_real", 100 * hits[0], 100 * hits[1]))  # fmt: skip
    elif setup.private:
        points.insert(0, _sentence("claim_covers_worst_data"))  # fmt: skip
    if setup.share < 1:
        points.insert(
            0, md("**This run cheats.** It uses {:.0f} % of the noise that its claim assumes.", 100 * setup.share)
        )
    return points


def program(shown: Shown) -> str:
    """The lines behind the verdict."""
    asked = shown.asked
    return (
        f"{asked.setup.code}result = dp.audit.audit(\n    game, {asked.runs}, rng=0, attack={asked.attack!r}, "
        f"payment={asked.payment!r},\n    alpha={asked.alpha:g}, delta={asked.delta:g}, epsilon={asked.epsilon:g},\n)\n"
        "result.verdict, result.epsilon_lower, result.delta_lower"
    )
