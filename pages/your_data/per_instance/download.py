"""Downloads of the per-instance page, with the report on the exposure of all rows as one file."""

from collections.abc import Sequence

from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.people import MEANING
from dpcore.interfaces.report import report_html
from pages.components import export, glm_release, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.your_data.per_instance.views import ExposureView, headline

_sentence = say.sentences(__file__)


def take(view: ExposureView, charts: Sequence[Chart]) -> None:
    """Offer figures, table, link, and a button that makes the report, which the command line makes as well."""
    figures = {chart.title: chart.figure for chart in charts}
    about = export.About.of(
        headline(view), {chart.title: chart.said for chart in charts}, [glm_release.card(view.result.mechanism)],
        f"{view.result.confidentiality} {view.best.said}".rstrip(),
    )  # fmt: skip
    export.downloads(figures, lambda: view.best.frame(), "confidential_per_instance_privacy", about, columns=MEANING)

    def content() -> bytes:
        hashes = {"the data set": view.dataset.sha256}
        html = report_html(ExposureSummary.of(view.best), hashes=hashes, figures=figures)
        return html.encode("utf-8", "replace")

    say.download_button(
        "Report (one HTML file)", data=content, file_name="confidential_per_instance_report.html", mime="text/html",
        on_click="ignore", icon=":material/description:", help=_sentence("report"), key=f"report_{view.result.mechanism.release}",
    )  # fmt: skip
    say.caption(
        md("Also for files larger than memory: `python -m dpcore report FILE --target NAME …` makes this report.")
    )
    export.link()
