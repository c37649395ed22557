"""A proposal in sentences: what is released, what it does to everyone, what it costs, and what it does not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.names import grouped, in_words
from dpcore.glm.losses import find
from dpcore.individual.result import IndividualPrivacy
from dpcore.mechanisms import RELEASES

if TYPE_CHECKING:
    from dpcore.decisions.proposed import Proposal, Spread

ROWS_ALONE = "Now counts each row alone: ε per person of so many rows is too much work."
_USELESS = "Such a release is of no use: allow a larger ε, state narrower ranges, or add rows."
_LOOKED = "The choice was made by looking at the rows, which no guarantee covers."
_VALUES = "A cap or a level read off the file depends on its rows: choose values known without it."


def sentences(
    found: Proposal,
    result: IndividualPrivacy,
    no_guarantee: str,
    others: tuple[np.ndarray, np.ndarray] | None,
    surely: float | None,
    counted: str = "",
) -> tuple[str, ...]:
    """The sentences, the answer first.

    Parameters
    ----------
    found : the proposal, still without sentences
    result : ε of every row of the edited file
    no_guarantee : why there is no guarantee for other records; "" if there is one
    others : ε of the rows that stay, with and without the rows left out; None if none is
    surely : ε of the most exposed row without the expansion, if that is known
    counted : what `before` counts, if that is not everyone
    """
    said = [_release(found), *(f"{edit.text[:1].upper()}{edit.text[1:]}." for edit in found.edits), _everyone(found)]
    if others is not None:
        said.append(_raised(*others))
    said += [
        f"{found.price.said[:1].upper()}{found.price.said[1:]}.",
        _without(found),
        "" if found.price_without.is_useful else _USELESS,
        _guarantee(found, no_guarantee),
    ]
    if result.is_expansion:
        known = "" if surely is None else f"; without it the most exposed row has ε ≤ {in_words(surely)}"
        said.append(f"ε of rows is an expansion around the fit{known}.")
    values = _VALUES if any(not edit.rows for edit in found.edits) else ""
    return tuple(text for text in (*said, counted, _LOOKED, values) if text)


def _release(found: Proposal) -> str:
    mechanism = found.mechanism
    entry, clip = (
        RELEASES[mechanism.release],
        "" if mechanism.clip is None else f", gradients clipped at {mechanism.clip:g}",
    )
    values = ", ".join(f"{part.symbol} = {getattr(mechanism, part.name):g}" for part in entry.parameters)
    return f"{entry.name}, {values}, of {_lower(find(mechanism.loss).model)}{clip}."


def _lower(name: str) -> str:
    return name if name.startswith("Poisson") else name[:1].lower() + name[1:]


def _everyone(found: Proposal) -> str:
    return f"Everyone's ε then: {_spread(found.after, found.sign)}. Now: {_spread(found.before, found.sign)}."


def _spread(of: Spread, sign: str = "=") -> str:
    mark = "" if sign == "=" else f"{sign} "
    return f"median {mark}{in_words(of.median)}, 99 % {mark}{in_words(of.p99)}, largest {mark}{in_words(of.largest)}"


def _raised(with_them: np.ndarray, without: np.ndarray) -> str:
    """What leaving rows out does to those who stay."""
    (middle, largest), (middle_now, now) = ((float(np.median(of)), float(of.max())) for of in (with_them, without))
    verb = "raises" if now > largest else "lowers" if now < largest and middle_now <= middle else "changes"
    return (
        f"Leaving rows out {verb} ε of those who stay, under this release: largest {in_words(largest)} → {in_words(now)}, "
        f"median {in_words(middle)} → {in_words(middle_now)}."
    )


def _without(found: Proposal) -> str:
    return f"On the {grouped(found.price_without.rows)} rows that are not among the 1 % most exposed: {found.price_without.said}."


def _guarantee(found: Proposal, no_guarantee: str) -> str:
    if found.worst_case is None:
        why = no_guarantee or "this release has none for every record"
        return f"No guarantee: {why}."
    return f"Guaranteed for any record of the public domain: ε ≤ {in_words(found.worst_case)} at δ = {found.answers.delta:g}."
