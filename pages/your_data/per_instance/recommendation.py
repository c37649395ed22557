"""The section that proposes one release of the file: three questions, one answer, applied and taken back by a click."""

import streamlit as st

from dpcore.data import Table
from dpcore.data.ingest.choose import id_columns
from dpcore.data.names import all_quoted
from dpcore.decisions.answers import Answers
from dpcore.decisions.everyone import everyone
from dpcore.decisions.prices import Price
from dpcore.decisions.proposal import propose
from dpcore.decisions.proposed import Proposal, Spread, groups_of
from dpcore.errors import DPError, or_reason
from dpcore.individual import IndividualPrivacy
from dpcore.interfaces.options import decide_arguments
from pages.components import cards, controls, data_input, edited, glm_release, say
from pages.components.say import md
from pages.components.words import number
from pages.your_data.per_instance import details
from pages.your_data.per_instance.large_data import stoppable
from pages.your_data.per_instance.views import ExposureView

_sentence = say.sentences(__file__)

# Most rows for which a proposal is computed without being asked for. Doubled, the longest wait at an open tab doubles.
AT_ONCE = 2_000
_ACCURACIES = (0.01, 1e7)
_KINDS = {"epsilon": "nobody's ε above", "accuracy": "an accuracy of"}


def show(view: ExposureView) -> None:
    """Ask the three questions and show the proposal, or the one in force."""
    if (applied := edited.of_page(data_input.store(), "pi", view.dataset)) is not None:
        _in_force(view, applied)
        return
    answers = _answers(view)
    found = _proposal(view, answers)
    if found is None:
        return
    _told(found)
    table = view.dataset.origin.table
    with st.container(horizontal=True):
        say.button(
            "Apply and re-run", icon=":material/play_arrow:", type="primary", key="pi_decide_apply",
            on_click=edited.apply,
            args=(data_input.store(), found, table, "pi", glm_release.controls_at(found.mechanism, view.dataset)),
        )  # fmt: skip
        _download(found, table)
    say.caption(found.confidentiality)
    words, _ = or_reason(lambda: decide_arguments(view.dataset, view.result.mechanism, answers))
    if words is not None:
        with say.expander("The same by command"):
            st.code(details.in_lines(words), "bash")


def _answers(view: ExposureView) -> Answers:
    """The three questions; the second is answered where the file is chosen."""
    dataset = view.dataset
    table, sha = dataset.origin.table, dataset.sha256[:12]
    one, two, three = st.columns(3, gap="medium")
    with one:
        names = [name for name in table.names if name != dataset.target]
        likely = id_columns(table, dataset.origin.label)
        person = say.selectbox(
            "Who may appear more than once?", ["", *sorted(names, key=lambda name: name not in likely)],
            format_func=lambda name: name or "nobody: each row is a person", key=f"data_person_{sha}",
            help="A column whose equal cells belong to one person: ε is then that of all rows of a person together.",
        )  # fmt: skip
    with two:
        read = dataset.report.ranges_from_file
        say.markdown(_sentence("ranges_leak", all_quoted(read, 3)) if read else _sentence("ranges_stated"))
    with three:
        kind = say.segmented_control(
            "What is needed?", list(_KINDS), format_func=_KINDS.get, default="epsilon", required=True, key="pi_decide_kind"
        )  # fmt: skip
        if kind == "epsilon":
            epsilon = controls.log_slider("ε of anybody at most ε =", 0.01, 10.0, 1.0, key="pi_decide_epsilon")
            return Answers(epsilon=epsilon, person=person, delta=view.delta)
        needed = say.number_input(
            "Score", *_ACCURACIES, value=1.0, key=f"data_score_{sha}",
            help="RMSE in units of the target, a deviance, or a share of right labels such as 0.8.",
        )  # fmt: skip
        return Answers(accuracy=float(needed), person=person, delta=view.delta)


def _proposal(view: ExposureView, answers: Answers) -> Proposal | None:
    """The proposal, with progress and a stop button; None, with a sentence, while there is none."""
    state = data_input.store()
    key = (view.dataset.sha256, view.dataset.provenance, repr(view.result.mechanism), answers)
    if state.get("proposal_key") == key:
        return state["proposal"]
    stopped = state.get("proposal_stopped") == key
    asks = stopped or view.dataset.n_samples > AT_ONCE
    if asks and not say.button("Recommend", icon=":material/play_arrow:", key="pi_decide_go"):
        return None
    place = st.empty()
    bar = stoppable(place, "pi_decide_stop", state, {"proposal_stopped": key})
    try:
        found = propose(
            view.dataset, answers, view.result.mechanism, lambda what, share: say.progress(share, f"Trying {what}", on=bar)
        )  # fmt: skip
    except DPError as error:
        place.empty()
        say.info(f"{str(error)[:1].upper()}{str(error)[1:]}.".replace("..", "."))
        return None
    place.empty()
    state.update(proposal_key=key, proposal=found)
    return found


def _told(found: Proposal) -> None:
    """The release and the edits, everyone's ε and the score on cards, and what else is to be known."""
    what, rest = found.sentences[: 1 + len(found.edits)], found.sentences[2 + len(found.edits) :]
    say.markdown(md("**{}**", " ".join(what)))
    before, after, sign = found.before, found.after, "" if found.sign == "=" else f"{found.sign} "
    cards.metric_row(
        [
            cards.Metric(label, f"ε {found.sign} {number(then)}", f"now {sign}{number(now)}")
            for label, then, now in (
                ("Median", after.median, before.median),
                ("99 % have at most", after.p99, before.p99),
                ("Largest of anybody", after.largest, before.largest),
            )
        ]
        + [_score(found.price)]
    )
    say.markdown(md("\n").join(md("- {}", sentence) for sentence in rest))


def _score(price: Price) -> cards.Metric:
    beside = f"{price.shown(price.trivial)} by the trivial model"
    return cards.Metric(f"{price.name[:1].upper()}{price.name[1:]}", price.shown(price.released), beside)


def _in_force(view: ExposureView, applied: edited.Applied) -> None:
    """What is applied, whether this run has the promised ε, and the way back."""
    found = applied.proposal
    _told(found)
    now: Spread = view.of_all(_spread, found.answers.person)
    promised, largest = found.after.largest, now.largest
    same = abs(largest - promised) <= 1e-9 * max(1.0, promised)
    say.markdown(_sentence("found_again", promised) if same else _sentence("not_found", promised, largest))
    with st.container(horizontal=True):
        edited.undo_button(data_input.store(), "pi_decide_undo")
        _download(found, applied.original)
    say.caption(found.confidentiality)


def _spread(result: IndividualPrivacy, person: str) -> Spread:
    return Spread.of(everyone(result, groups_of(result.dataset, person)))


def _download(found: Proposal, table: Table) -> None:
    say.download_button(
        "Edited file (CSV)", data=lambda: found.file(table), file_name="confidential_edited_file.csv", mime="text/csv",
        on_click="ignore", icon=":material/download:", key="pi_decide_file",
    )  # fmt: skip
