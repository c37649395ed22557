"""Words of the audit page."""

from pages.components.say import md
from pages.verify.audit.views import Shown


def confidential(shown: Shown) -> str:
    """What is said of attacks on private rows."""
    attacked = shown.setup.attacked
    said = "Results of an attack on rows of your data are as confidential as the data."
    return f"{said} Attacked: {attacked}." if attacked else ""


def observations(shown: Shown) -> list[str]:
    """What to notice in the game at hand."""
    setup, board = shown.setup, shown.board
    points = [
        md(
            "**Guessing has a ceiling.** If the claim holds, nobody is right more often than (1 + δ(0))/2 in the long run. A lucky "
            "streak above it proves nothing; the machine's band says when it would."
        ),
        md(
            "**The solid curve is the claim.** An attack whose whole band lies below it somewhere refutes the claim. One that stays "
            "above has not verified it: another attack, or more runs, might do better."
        ),
        md(
            "**Thresholds are paid for.** The best threshold of the same runs would make any mechanism look broken; the band holds "
            "at every threshold at once, or the threshold is chosen on other runs."
        ),
    ]
    points[:0] = setup.notes
    if len(setup.games) == 2 and setup.private:
        hits = [float(limit.hit[int(abs(limit.false_alarm - 0.05).argmin())]) for limit in board.limits]
        points.insert(0, md("**Exposure is real.** At 5 % false alarms the exposed row can be caught {:.0f} % of the time, the "
                      "typical row {:.0f} %, by one and the same release.", 100 * hits[0], 100 * hits[1]))  # fmt: skip
    elif setup.private:
        points.insert(0, md("**The claim covers the worst data there are.** On these data even the most exposed row may be far harder to "
                      "find than the claim allows; the gap is not a defect of the claim."))  # fmt: skip
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
