"""Proposition 16 and Remark 15: a picture that compares each with the exact value, its formula and its conditions."""

from dpcore.exhibits.paper_figures import figure as figures
from dpcore.exhibits.paper_figures import proposition16 as study
from pages.components import cache, cards, controls, part, say

_sentence = say.sentences(__file__)

Sizes = tuple[int, int, float, int]


def show(sizes: Sizes) -> None:
    """Show one statement at a time, for the rows, columns, noise and seed chosen in the sidebar."""
    views = {
        "Average exposure": _average, "No assumptions": _agnostic, "One draw's excess": _excess, "A simpler bound": _remark,
    }  # fmt: skip
    chosen = say.segmented_control(
        "Statement", list(views), default="Average exposure", required=True, key="pf_statement"
    )
    gamma = controls.log_slider("Inverse temperature γ", 1e-3, 100.0, 10.0 if chosen != "No assumptions" else 1e-3,
                                key=f"pf_gamma_{list(views).index(chosen)}") if chosen != "A simpler bound" else 0.0  # fmt: skip
    with say.spinner("Computing it", show_time=True):
        views[chosen](sizes, gamma)


def _average(sizes: Sizes, gamma: float) -> None:
    ways = ["Condition of the data", "Size of θ₀"]
    along = say.segmented_control("Varied", ways, default=ways[0], required=True, key="pf_along")
    conditioned = along == ways[0]
    found = cache.shared(study.over_condition if conditioned else study.over_size, *sizes, gamma)
    across = "α, how far one direction is filled" if conditioned else "‖θ₀‖"
    if conditioned:
        however = "however scarce one direction gets: it is theirs alone"
        elsewhere = _sentence("elsewhere_grows", found.elsewhere[-1] / found.elsewhere[0])
    else:
        however = "however large the coefficients are"
        elsewhere = "keep theirs too: only the data set's own θ̂ matters, not its size"
    part.show(
        _sentence("rows_keep_their_average", found.rows[0], however, found.everyone[0], found.everyone[-1], elsewhere),
        study.AVERAGE,
        figure=figures.lines(found.curves, cards.theme_mode(), across=across, up="ε (nats)"), key="pf_average",
        alt="Average and largest epsilon against the condition of the data",
    )  # fmt: skip


def _agnostic(sizes: Sizes, gamma: float) -> None:
    curves = cache.shared(study.agnostic, *sizes, gamma)
    by_name = {curve.name: curve.y for curve in curves}
    worst, here, printed = (by_name[name] for name in ("Worst case of DP", "Any record, these data", "(10) as printed"))
    part.show(
        _sentence("any_record_these_data", here[0], worst[0], worst[0] / here[0], int((printed < worst).sum()), len(worst)),
        study.AGNOSTIC,
        figure=figures.lines(curves, cards.theme_mode(), across="regularisation λ", up="ε (nats)", height=420),
        key="pf_agnostic", alt="Equations 9 and 10 against lambda with exact values",
    )  # fmt: skip


def _excess(sizes: Sizes, gamma: float) -> None:
    found = cache.shared(study.excess_tail, *sizes, gamma)
    at = int(abs(found.delta - 1e-6).argmin())
    exact, bound = float(found.exact[at]), float(found.bound[at])
    part.show(
        _sentence("on_average_draw_worse", found.mean, exact, bound, bound / exact),
        study.EXCESS,
        figure=figures.excess(found, cards.theme_mode()),
        key="pf_excess",
        alt="Excess of one draw against delta",
    )


def _remark(sizes: Sizes, gamma: float) -> None:
    leverage = controls.log_slider("Leverage μ", 1e-3, 10.0, 0.01, key="pf_remark_mu")
    residual = controls.log_slider("Residual |r|", 0.01, 3.0, 0.3, key="pf_remark_r")
    curves = cache.shared(study.remark_15, leverage, residual)
    exact, simple, short = (
        next(c.y for c in curves if c.name.startswith(name)) for name in ("This", "Remark", "Short")
    )
    part.show(
        _sentence("remark_never_below_exact", (simple / exact).max(), int((short < exact).sum()), len(exact)),
        study.REMARK,
        figure=figures.lines(curves, cards.theme_mode(), across="inverse temperature γ", up="ε (nats)"), key="pf_remark",
        alt="Theorem 14, Remark 15 and the exact epsilon against gamma",
    )  # fmt: skip
