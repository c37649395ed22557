"""Check a run that another tool accounted for: certified sides of its ε, beside what the tool said."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dpcore import validation
from dpcore.accountants import compose
from dpcore.errors import DataError, ParameterError
from dpcore.profiles.bracket import Bracket
from dpcore.runs.budgets import added
from dpcore.runs.checkpoint import is_checkpoint, read_checkpoint
from dpcore.runs.readers import READERS
from dpcore.runs.readers.opacus import accountant_state
from dpcore.runs.run import ReadRun, Steps, ToolClaim, remark
from dpcore.runs.source import content_of, decoded

_DELTA = 1e-5  # where neither the caller nor the run states one
# A claim this many times the certified upper side is said to give away ε. Doubled, more goes unsaid.
_LOOSE = 1.001


@dataclass(frozen=True)
class CheckedRun:
    """A run, bounded from both sides, and what its tool said.

    Parameters
    ----------
    tool : whose format it is
    run : as it was read
    delta : δ at which ε is given
    """

    tool: str
    run: ReadRun
    delta: float

    @property
    def pipeline(self) -> Steps:
        """(mechanism, count) of steps that reveal at least as much as the run, as `dp.compose` takes them."""
        return added(self.run.sides.above)

    @cached_property
    def _brackets(self) -> tuple[Bracket | None, Bracket | None]:
        below = self.run.sides.below
        above = compose(self.pipeline) if self.pipeline else None
        return (above if below == self.pipeline else compose(below) if below else None), above

    def at(self, delta: float) -> CheckedRun:
        """The same run at another δ; what was composed is kept."""
        other = replace(self, delta=validation.open_probability("delta", delta))
        vars(other)["_brackets"] = self._brackets
        return other

    def epsilon_at(self, delta: Any) -> tuple[Any, Any]:
        """(lower, upper) of ε at δ, in nats; the lower one is 0 where nothing bounds the run from below."""
        below, above = self._brackets
        low = 0.0 * validation.real_array("delta", delta) if below is None else below.epsilon(delta)[0]
        return low, 0.0 * low if above is None else above.epsilon(delta)[1]

    @cached_property
    def epsilon(self) -> tuple[float, float]:
        """(lower, upper) of ε at δ, in nats."""
        low, high = self.epsilon_at(self.delta)
        return float(low), float(high)

    @cached_property
    def claim(self) -> tuple[float, float] | None:
        """(ε, δ) that the tool claims; None if it claims none."""
        return None if self.run.claim is None else self.run.claim.at(self.delta)

    @property
    def claimed(self) -> float | None:
        """ε that the tool claims, at the δ of `claim`; None if it claims none."""
        return None if self.claim is None else self.claim[0]

    @cached_property
    def _at_claim(self) -> tuple[float, float]:
        """(lower, upper) of ε at the claim's own δ."""
        low, high = self.epsilon_at(self.claim[1] if self.claim else self.delta)
        return float(low), float(high)

    @cached_property
    def verdict(self) -> str:
        """ "refuted", "open" (between the sides), "inside" the digits of the certified side, "holds", or "" without a claim."""
        if self.claim is None:
            return ""
        (low, high), unit, above = self._at_claim, (self.run.claim or ToolClaim()).unit, self._brackets[1]
        if self.claim[0] + unit < low:
            return "refuted"
        proven = low if above is None else float(above.epsilon(self.claim[1])[0])  # the side above, up to its round-off
        if self.claim[0] + unit < proven:
            return "open"
        return "inside" if self.claim[0] - unit <= high else "holds"

    @cached_property
    def flags(self) -> tuple[str, ...]:
        """Sentences on what was assumed, and on a claim that is refuted, open, or larger than it need be."""
        if self.claim is None:
            return self.run.flags
        (claim, at), (low, high), said = self.claim, self._at_claim, list(self.run.flags)
        if self.run.claim is not None and self.run.claim.delta is None and self.run.claim.unit:
            said.insert(0, remark("no_delta", delta=at))
        if at != self.delta:
            said.insert(0, remark("other_delta", delta=self.delta, claimed=at, low=low, high=high))
        if self.verdict == "refuted":
            said.insert(0, remark("refuted", claim=claim, delta=at, low=low))
        elif self.verdict == "open":
            said.insert(0, remark("open", claim=claim, delta=at))
        elif self.verdict == "holds" and claim > _LOOSE * high > 0:
            said.insert(0, remark("too_much", more=claim / high, delta=at))
        return tuple(said)


def as_text(data: bytes) -> str:
    """A dropped file as text one can read and paste: of a checkpoint the accountant's numbers, as JSON.

    Raises
    ------
    DataError
        If it is neither text nor a checkpoint, or asks for more than numbers.
    """
    if not is_checkpoint(data):
        return decoded(data)
    state = accountant_state(read_checkpoint(data))
    return json.dumps(state, indent=1, default=lambda _: "left out")


def check_run(source: Any, delta: float | None = None) -> CheckedRun:
    """What a run that another tool accounted for reveals, certified from both sides, beside what the tool said.

    Formats: Opacus states and checkpoints, dp_accounting events, statements of TensorFlow Privacy, `DpParams` of
    jax_privacy, states of Flower's accountant, budgets of Tumult, measurements of OpenDP, and pipelines that the page
    Composition saves. Nothing in a source is imported, run or unpickled but numbers.

    Parameters
    ----------
    source : a dict, a text, bytes, or the path of a file
    delta : float in (0, 1); by default the run's own, or 1e-5 if it states none

    Returns
    -------
    CheckedRun
        `epsilon` (lower, upper), `claimed`, `flags` (sentences), `pipeline`.

    Raises
    ------
    DataError
        If the source cannot be read, or no reader knows it; the sentence says what is wrong and where.
    UnsupportedError
        If it says what nothing here can bound.

    Examples
    --------
    >>> import dpcore as dp
    >>> found = dp.check_run({"history": [[1.0, 0.01, 1000]], "mechanism": "rdp"}, delta=1e-5)
    >>> low, high = found.epsilon
    >>> round(found.claimed, 2), round(low, 3), round(high, 3)
    (2.1, 1.828, 1.828)
    """
    if delta is not None:
        delta = validation.open_probability("delta", delta)
    content = content_of(source)
    for reader in READERS:
        if reader.knows(content):
            try:
                run = reader.read(content)
            except ParameterError as error:
                raise DataError(f"{reader.name}: {error}") from error
            return CheckedRun(reader.name, run, delta or run.delta or _DELTA)
    names = ", ".join(reader.name for reader in READERS if reader.name != "The file")
    raise DataError(
        f"this is no run of a known format ({names}, or a pipeline saved by Composition): paste the state, event, statement or "
        "budget as the tool prints or exports it"
    )
