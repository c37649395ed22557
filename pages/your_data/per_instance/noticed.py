"""What to notice on the per-instance page."""

from pages.components.say import md
from pages.components.words import number, times
from pages.your_data.per_instance.views import ExposureView


def observations(view: ExposureView) -> list[str]:
    """Statements computed from what is on screen."""
    result = view.best
    mark = result.method.mark
    median, high = (float(value) for value in result.quantiles([0.5, 0.95]))
    said = [
        md(
            "**Half the rows have ε below {}**; 5 % have more than {}. The mean is "
            "{}. A single number for the whole data set would hide this.",
            mark + number(median),
            mark + number(high),
            mark + number(float(result.moments(1))),
        ),
        md(
            "**Two things expose a row**: leverage (few others look like it, so the fit must follow it) and {} (it "
            "disagrees with what the others predict). A row needs one of them to be visible; with both it stands out.",
            result.leverage.residual_name,
        ),
    ]
    value, _ = view.worst_case
    if value is not None and median > 0:
        said.append(
            md(
                "**The worst case is {} the median.** Differential privacy must protect the worst record "
                "in the worst data set; most actual rows are far from it. That gap is not a guarantee: it depends on the data.",
                times(value / median),
            )
        )
    if caveat := result.caveat:
        said.append(md("**Exploration only.** {}", caveat))
    return said
