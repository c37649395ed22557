"""What the audit page shows: the game by hand, then the machine's attack on the same claim."""

from dataclasses import dataclass

from dpcore.audit import GuessingGame
from pages.components import cards, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.verify.audit import guess, machine
from pages.verify.audit.sidebar import Asked
from pages.verify.audit.subject import Setup


@dataclass(frozen=True)
class Shown:
    """What is asked, with the game and the attack of this session."""

    asked: Asked
    board: machine.Board
    game: GuessingGame

    @property
    def setup(self) -> Setup:
        return self.asked.setup


def begun(asked: Asked) -> Shown:
    """The game and the attack on what is asked: those of this session, or new ones."""
    return Shown(asked, machine.current(asked), guess.current(asked.setup))


def headline(shown: Shown) -> str:
    """The question, and the machine's verdict once there is one."""
    verdict = machine.verdict_metric(shown.board)
    return (
        "Was the record in? Guess, or let a machine try"
        if verdict.value == "none yet"
        else f"The claim: {verdict.value}"
    )


def metrics(shown: Shown) -> list[cards.Metric]:
    """The score of the game, and the machine's verdict."""
    return [*guess.score(shown.game), machine.verdict_metric(shown.board)]


def body(shown: Shown) -> list[Chart]:
    """Both games, and what is known without a run."""
    charts = [*guess.board(shown.setup, shown.game), machine.show(shown.board)]
    if shown.setup.table is not None:
        say.caption(md("Known without a run, from both output laws:"))
        say.table(shown.setup.table, hide_index=True)
    return charts
