"""Cross-check: the app's numbers computed again by a route that shares no code with the first."""

import pandas as pd
import streamlit as st

from dpcore.audit import cross_check
from dpcore.data.samples import SAMPLES, load_sample
from dpcore.individual import individual_privacy
from dpcore.mechanisms import MECHANISMS
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from pages.components import cache, cards, controls, export, say
from pages.components.page import Page
from pages.components.say import md
from pages.components.words import number

EXPLANATION = [
    md(
        "**The first way** is the closed form the app draws with, in log space. **The second way** integrates the positive part "
        "of $p - e^\\varepsilon q$ over the mechanism's output densities, sums over outcomes, or refits the model without the row."
    ),
    md(
        "**Agreement to many digits is evidence, not proof**: both ways could share a wrong idea of the mechanism. It does rule "
        "out slips in the algebra and loss of accuracy in the arithmetic."
    ),
    md(
        "**Quadrature is the weaker side** at tiny δ: it adds positive numbers near the edge of double precision. The test "
        "suite repeats the comparison with 50 digits."
    ),
]


def _draw() -> None:
    cards.heading(
        "Cross-check",
        "Do not take a privacy number on trust: compute it a second way, here and now, and see how many digits agree.",
    )

    with st.sidebar:
        say.markdown(md("**Mechanism**"))
        key = say.selectbox(
            "Mechanism", list(MECHANISMS), format_func=lambda key: MECHANISMS[key].name, key="cc_mechanism",
            label_visibility="collapsed",
        )  # fmt: skip
        mechanism = controls.mechanism_controls(key, MECHANISMS[key], prefix="cc")
        epsilon = controls.linear_slider("Privacy loss ε", 0.0, 8.0, 0.5, step=0.05, key="cc_epsilon")
        st.divider()
        say.markdown(md("**Rows of a sample**"))
        sample = say.selectbox("Data", list(SAMPLES), format_func=lambda key: SAMPLES[key].title, key="cc_sample")
        lam = controls.log_slider("Regularisation λ", 0.01, 1000.0, 1.0, key="cc_lambda")
        gamma = controls.log_slider("Inverse temperature γ", 1e-2, 1e3, 1.0, key="cc_gamma")

    checks = cross_check.profile_checks(mechanism, epsilon)
    dataset = load_sample(sample)
    result = individual_privacy(dataset, PosteriorSampling(gamma=gamma, lam=lam), delta=1e-6)
    rows = [int(row) for row in result.most_exposed(12)]
    refits = cache.in_session(cross_check.refit_checks, dataset, result, rows)

    cards.metric_row(
        [
            cards.Metric(check.what, number(check.first), f"relative difference {number(check.difference, 2)}", help=check.how)
            for check in checks
        ]
        + [
            cards.Metric("Rows refitted", str(len(refits)), f"largest difference {number(float(refits['relative difference'].max()), 2)}",
                         help="The most exposed rows; largest relative difference between the two ways."),
        ]
    )  # fmt: skip
    say.subheader(f"{MECHANISMS[key].name}: δ at ε = {number(epsilon)}", anchor=False)
    frame = pd.DataFrame(
        [{"what": c.what, "closed form": c.first, "second way": c.second, "relative difference": c.difference, "how": c.how}
         for c in checks]
    )  # fmt: skip
    exact = dict.fromkeys(("closed form", "second way", "engine"), "%.12e") | {"relative difference": "%.1e"}
    say.table(frame, hide_index=True, formats=exact)
    say.subheader(f"{SAMPLES[sample].title}: the most exposed rows, refitted without each", anchor=False)
    say.table(refits, hide_index=True, formats=exact, labels={"engine": "closed form"})
    notes, formulas, take = say.tabs(["What to notice", "Formula", "Download and link"])
    with notes:
        cards.notice(EXPLANATION)
    with formulas:
        cards.formula_cards([MECHANISMS[key].card, PosteriorSampling.card])
    with take:
        export.take({}, cross_check.both_ways(checks, refits), "cross_check")


PAGE = Page(draw=_draw)
