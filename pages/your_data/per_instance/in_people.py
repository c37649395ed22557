"""What the exposure of a row, and the worst case, mean in people."""

import dpcore as dp
from dpcore.individual.people import has_curves, row_in_people
from pages.components import people, say
from pages.components.say import md
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)


def show(view: ExposureView, row: int) -> None:
    """Show the paragraph on the chosen row and, where there is a guarantee, on any record in any data of this size."""
    found, name = view.best, view.dataset.row_name(row)
    alarms, prior = people.ask("pi")
    say.markdown(
        md("**{}.** {}", name.capitalize(), row_in_people(found, row, alarms, prior).told(f"people like {name}"))
    )
    if not has_curves(found):
        say.caption(_sentence("from_epsilon_alone", view.of_row(row), view.delta))
    if view.worst_case[0] is not None:
        say.markdown(
            md("**Any record, any data of this size.** {}", dp.in_people(found.worst_case, alarms, prior).said)
        )
