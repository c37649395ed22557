"""The printed numbers about Adult, which are drawn while the data are not loaded."""

from dpcore.exhibits.noise_augmentation import figure as figures
from dpcore.exhibits.noise_augmentation.adult import PRINTED_RATES
from pages.components import say
from pages.components.cards import theme_mode
from pages.components.charts import Chart, place

_LEAST = min(PRINTED_RATES, key=PRINTED_RATES.__getitem__)
HEADLINE = f"On Adult {_LEAST} errs on {100 * PRINTED_RATES[_LEAST]:.1f} % at ε = 1, as printed"


def rates() -> None:
    """Show the printed errors; those of a loaded file will be drawn beside them."""
    alt = "Errors on Adult as printed in the source, by method"
    place(Chart("Printed errors", lambda: figures.printed_figure(PRINTED_RATES, theme_mode()), alt, "na_printed_chart"))
    say.caption(
        "Drawn is what the source prints of Fig. 6: shares of Adult misclassified at ε = 1. With the file, what is computed here stands "
        "beside it."
    )
