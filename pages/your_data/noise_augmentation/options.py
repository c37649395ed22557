"""Controls of the noise-augmentation page that belong to one view."""

import math

from dpcore.exhibits.noise_augmentation.settings import SETTINGS
from dpcore.learners.napp import SELECTIONS
from pages.components import controls, say
from pages.components.say import md

_QUICK = {True: (0.4, 1.0), False: (0.1, 1.0)}  # ε of Table 4, and of Adult
_FULL = {True: (0.4, 0.6, 0.8, 1.0), False: (0.1, 0.4, 0.7, 1.0)}
_SIZES = {
    True: "500 repeats, four ε and 12 Λ, as in the source; else 12, two and 8.",
    False: "All records, 20 splits and four ε; else 3000 records, 3 splits and two ε.",
}
_CUTS = (-math.inf, -3.0, -2.0, -1.5, -1.0, -0.75, 0.0)


def epsilons(full: bool, simulated: bool) -> tuple[float, ...]:
    """Values of ε in a study."""
    return (_FULL if full else _QUICK)[simulated]


def rest(view: str, chosen: dict[str, object]) -> dict[str, object]:
    """What only one view asks for; `chosen` is what the controls above said."""
    if view == "rows":
        return {"rows": _row_slider("Appended rows nₑ", 400)}
    if view == "paths":
        more: dict[str, object] = {
            "finite": say.toggle("Finitely many rows", key="na_finite", help=md("Off: the limit nₑ → ∞."))
        }
        if more["finite"]:
            more["rows"] = _row_slider("Appended rows nₑ", 4000)
            more["limit"] = controls.count_slider("Iterations T", 40, 40, key="na_limit_finite")
        else:
            more["limit"] = controls.count_slider("Iterations T", 400, 80, key="na_limit")
        if chosen["variant"] != "certified":
            names = SELECTIONS
            more["selection"] = say.selectbox("Noise term", list(names), format_func=names.get, key="na_selection")
        if more.get("selection") == "vs":
            more["cut"] = say.select_slider(
                "Cut c of the noise, in σ", _CUTS, value=_CUTS[0], format_func=lambda c: "none" if c < -9 else f"{c:g}", key="na_cut",
                help="Entries of b are drawn above c ≤ 0; at 0 this is VS+.",
            )  # fmt: skip
        return more
    if view == "sizes":
        return {
            "allowed": controls.log_slider("Allowed excess ϱ", 0.01, 20.0, 1.0, key="na_allowed"),
            "constant": controls.log_slider(
                md("Constant C′"),
                0.01,
                10.0,
                1.0,
                key="na_constant",
                help="Theorem 10 says that it exists, not how large.",
            ),
        }
    if view == "private":
        after = 0
        if chosen["attacked"] == "moor":
            after = say.select_slider(
                "After T iterations", [1, 2, 5, 10, 20, 80, 0], value=0, format_func=lambda t: str(t) if t else "∞", key="na_after",
                help="Theorem 4 is claimed for each iteration. At T = 1 the weights are fixed and it holds.",
            )  # fmt: skip
        return {
            "after": after,
            "target": controls.linear_slider("Target y of the record", -4.0, 4.0, 2.0, step=0.1, key="na_target"),
            "others": int(
                controls.linear_slider(md("Other records (x = 1, y = 0)"), 0, 40, 0, step=1, key="na_others")
            ),
        }
    if view == "study":
        simulated = chosen["data"] in SETTINGS
        full = say.toggle("Full size", key="na_full", help=_SIZES[simulated])
        if chosen["figure"] == "budget":
            return {"full": full} | ({} if simulated else _as_in_source())
        values = epsilons(full, simulated)
        epsilon = say.select_slider(md("Show ε ="), values, value=1.0, key=f"na_show_{full}_{simulated}")
        return {"full": full, "epsilon": epsilon}
    return {}


def _as_in_source() -> dict[str, object]:
    asked = say.toggle(
        "As in the source",
        key="na_source",
        help="Adult in file order: 30 162 records train, 15 060 test. Λ₀ = 1/ε, T = 80; minutes for each ε.",
    )
    return {"as_printed": asked}


def _row_slider(label: str, default: int) -> int:
    values = [40, 100, 200, 400, 1000, 2000, 4000, 10_000]
    return say.select_slider(label, values, value=default, key=f"na_rows_{default}")
