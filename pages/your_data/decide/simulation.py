"""The simulated check of a ranking, which can be stopped; the code to copy, and the way to Private training."""

import time
from typing import Any

import streamlit as st

import dpcore as dp
from dpcore.decisions.check import check_once
from dpcore.errors import DPError
from dpcore.exhibits.decide.study import training_data
from pages.components import cache, controls, routes, say
from pages.components.words import number

_RUNNING = "de_running"  # key of the question whose check runs
_ENOUGH = 20  # data sets of a check; doubled, it takes twice as long and its error falls by a third
_SECONDS = 0.8  # work before the progress is drawn again; doubled, it is renewed half as often


def _question(answer: dp.Recommendation) -> tuple[Any, ...]:
    return answer.facts, answer.loss, answer.epsilon, answer.delta, answer.difficulty


def _found(answer: dp.Recommendation) -> dict[str, Any]:
    return cache.done(check_once, *_question(answer))


def trials(answer: dp.Recommendation) -> list[dict[str, float]]:
    """Scores by learner, of each data set simulated so far; nobody's data, so that all sessions share them."""
    return [one for key, one in sorted(_found(answer).items()) if key.isdigit()]


def running() -> bool:
    """Whether a check runs: what else would be computed ahead waits for it."""
    return bool(st.session_state.get(_RUNNING))


def show(answer: dp.Recommendation) -> None:
    """Buttons to run and to stop, and how far the check has come."""
    name, done = repr(_question(answer)), len(trials(answer))
    if st.session_state.get(_RUNNING) != name or done >= _ENOUGH:  # another question is asked, or all is done
        _set("")
    runs = running()
    left, right, rest = st.columns([2, 1, 3], gap="small")
    say.button(
        "Check by simulation", on=left, key="de_check", on_click=_set, args=(name,), disabled=runs or done >= _ENOUGH,
        width="stretch",
    )  # fmt: skip
    say.button("Stop", on=right, key="de_stop", on_click=_set, args=("",), disabled=not runs, width="stretch")
    with rest:
        st.fragment(lambda: _fill(answer, name), run_every=0.1 if runs else None)()


def _fill(answer: dp.Recommendation, name: str) -> None:
    found = _found(answer)
    done = len(trials(answer))
    problem = found.get("problem", "")
    if problem:
        say.warning(problem)
    elif done or st.session_state.get(_RUNNING) == name:
        say.progress(done / _ENOUGH, f"{done} of {_ENOUGH} data sets")
    if problem or st.session_state.get(_RUNNING) != name or done >= _ENOUGH:
        return
    started = time.monotonic()
    while len(trials(answer)) < _ENOUGH and time.monotonic() - started < _SECONDS:
        at = len(trials(answer))
        try:
            found[f"{at:03d}"] = check_once(answer, at)
        except DPError as error:
            found["problem"] = str(error)
            break
    if "problem" in found or len(trials(answer)) >= _ENOUGH:
        _set("")
        st.rerun()


def _set(name: str) -> None:
    st.session_state[_RUNNING] = name


def code(text: str) -> None:
    """Lines to copy."""
    st.code(text)


def link(answer: dp.Recommendation) -> None:
    """The way to Private training on generated data of this shape; none for counts, which it does not generate."""
    found = training_data(answer)
    if found is None:
        return
    whole, few = controls.whole_values(1, 50_000), controls.round_values(0.01, 20.0, few=True)
    asked = {
        "tr_data": found.kind, "tr_n": str(controls.nearest(whole, answer.facts.n_samples)),
        "tr_d": str(controls.nearest(controls.whole_values(1, 100), answer.facts.n_features)),
        "tr_epsilon": number(controls.nearest(few, answer.epsilon)),
    }  # fmt: skip
    if found.kind == "logistic":
        asked["tr_steepness"] = number(controls.nearest(controls.round_values(0.5, 50.0), found.value))
    else:
        asked["tr_noise"] = f"{min(round(found.value * 20) / 20, 1.0):g}"
    routes.page_link("your_data/private_training", "Train on generated data of this shape, in Private training", asked)
