"""Downloads of the per-instance page: the report to sign, its records, and the part of it that may be published."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.decisions.proposed import Proposal
from dpcore.errors import or_reason
from dpcore.individual.all_rows.summary import ExposureSummary
from dpcore.individual.people import MEANING
from dpcore.interfaces.findings import Findings
from dpcore.interfaces.public_part import PublicPart
from dpcore.interfaces.records_json import records_json
from dpcore.interfaces.report import ROWS_SHOWN, report_html
from pages.components import data_input, edited, export, glm_release, say
from pages.components.charts import Chart
from pages.components.say import md
from pages.your_data.per_instance import details, publish
from pages.your_data.per_instance.views import ExposureView, headline

_sentence = say.sentences(__file__)


def take(view: ExposureView, charts: Sequence[Chart]) -> None:
    """Offer figures, table, the report and its parts, which the command line makes as well, and the link."""
    figures = {chart.title: chart.figure for chart in charts}
    about = export.About.of(
        headline(view), {chart.title: chart.said for chart in charts}, [glm_release.card(view.result.mechanism)],
        f"{view.result.confidentiality} {view.best.said}".rstrip(),
    )  # fmt: skip
    export.downloads(figures, lambda: view.best.frame(), "confidential_per_instance_privacy", about, columns=MEANING)
    published, public_rows, drawn = publish.latest(view)
    proposal, applied = _proposed(view)
    goal = None if proposal is None else proposal.answers.epsilon
    hashes = (
        {"the file": view.dataset.origin.table.sha256} if view.dataset.origin else {"the data set": view.dataset.sha256}
    )

    def report() -> str:
        command, _ = or_reason(lambda: details.command(view) + _asked(proposal))
        proposed = None if proposal is None else lambda: proposal
        findings = replace(Findings.of(view.result, view.best, ROWS_SHOWN, goal, proposed), applied=applied)
        return report_html(
            ExposureSummary.of(view.best), hashes=hashes, figures=figures, published=published, findings=findings,
            command=command or "",
        )  # fmt: skip

    with st.container(horizontal=True):
        _button(view, "Report to sign (HTML)", report, "confidential_per_instance_report.html", _sentence("report"))
        _button(
            view,
            "Records (JSON)",
            lambda: records_json(view.best, hashes),
            "confidential_records.json",
            _sentence("records"),
        )
    _public(view, published, public_rows, drawn)
    say.caption(
        md(
            "`python -m dpcore report FILE --target NAME …` makes them too, and the report for files larger than memory."
        )
    )
    export.link()


def _proposed(view: ExposureView) -> tuple[Proposal | None, bool]:
    """What was recommended in this session for these data as they are released now, and whether that is in force."""
    state = data_input.store()
    if (applied := edited.of_page(state, "pi", view.dataset)) is not None:
        follows = view.result.mechanism == applied.proposal.mechanism
        return (applied.proposal, True) if follows else (None, False)
    *of, answers = state.get("proposal_key", (None,))
    now = (view.dataset.sha256, view.dataset.provenance, repr(view.result.mechanism))
    return (state["proposal"] if tuple(of) == now and answers.delta == view.delta else None), False


def _asked(proposal: Proposal | None) -> str:
    """The options of the command that ask for the same recommendation."""
    if proposal is None or proposal.answers.epsilon is None:
        return ""
    person = f" --person={shlex.quote(proposal.answers.person)}" if proposal.answers.person else ""
    return f" \\\n    --goal={proposal.answers.epsilon!r}{person}"


def _public(view: ExposureView, published: Any, public_rows: int | None, drawn: int) -> None:
    """Offer what may be published, or say why nothing can be."""
    part, refused = or_reason(
        lambda: PublicPart(
            view.result.mechanism,
            view.result.public_domain,
            view.delta,
            view.dataset.encoder.missing,
            public_rows,
            published,
        )
    )
    if part is None:
        say.caption(f"For the public: {refused}.")
        return
    worst, reason = part.worst_case
    several = drawn > (published is not None)
    with st.container(horizontal=True):
        _button(view, "Public part (HTML)", part.html, "public_part.html", _sentence("public"))
        if worst is not None and not several:
            _button(view, "Deployment card (YAML)", part.card, "public_deployment_card.yaml", _sentence("card"))
    if worst is None:
        say.caption(_sentence("no_card", reason))
    elif several:
        say.caption(_sentence("no_card_of_several"))


def _button(view: ExposureView, label: str, make: Callable[[], str], name: str, help: str) -> None:
    kind = {"html": "text/html", "json": "application/json", "yaml": "application/yaml"}[name.rpartition(".")[2]]
    say.download_button(
        label, data=lambda: make().encode("utf-8", "replace"), file_name=name, mime=kind, on_click="ignore", help=help,
        icon=":material/lock:" if name.startswith("confidential") else ":material/public:", key=f"{name}_{view.result.mechanism.release}",
    )  # fmt: skip
