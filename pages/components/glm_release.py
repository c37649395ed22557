"""The controls of a released model: which model, which mechanism, its penalty, its noise, δ."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpcore.data import Dataset
from dpcore.glm import LOSSES
from dpcore.individual import IndividualPrivacy, analysis_of, individual_privacy
from dpcore.individual.models import default_clip, models_for
from dpcore.mechanisms import RELEASES, GlmRelease, ReleaseEntry
from dpcore.references import FormulaCard
from pages.components import cache, controls, data_input, edited, say, state
from pages.components.words import number

_LINEAR = "squared"
_FORMER = {"shape": {"XᵀX (frozen)": "gram", "(XᵀX)² (frozen)": "gram_squared"}}  # names in old links → options


def _mechanism(asked: Any, key: str, *, few: bool = False) -> GlmRelease:
    """The release described by the controls; the models offered are those that suit the target."""
    prefix, dataset = placed(key.removesuffix("_mechanism"), asked.dataset), asked.dataset
    loss = _model(prefix, dataset)
    kind = say.segmented_control(
        "Mechanism", list(RELEASES), format_func=lambda key: RELEASES[key].name, default="posterior", required=True,
        key=f"{prefix}_kind",
        help=" ".join(f"{entry.name}: {entry.law}." for entry in RELEASES.values()),
    )  # fmt: skip
    entry = RELEASES[kind]
    penalty, *others = entry.parameters
    values: dict[str, Any] = {penalty.name: _slider(penalty, f"{prefix}_lambda")}
    for one in others:
        with asked.hand if one.noise else nullcontext():  # the slider of the noise stands under the figure
            values[one.name] = _slider(one, f"{prefix}_{one.name}", few=few and one.noise)
    for choice in entry.alternatives:
        values[choice.name] = say.selectbox(
            choice.words, list(choice.options), format_func=choice.options.get, key=f"{prefix}_{choice.name}", help=choice.help,
            former=_FORMER.get(choice.name),
        )  # fmt: skip
    values |= {"clip": _clip(prefix, entry, loss, dataset), "domain": dataset.domain if loss != _LINEAR else None}
    return entry.build(loss=loss, **values)


def placed(prefix: str, dataset: Dataset) -> str:
    """The prefix of the controls of the release: another one, in no address, while a proposal for the data is in force."""
    found = edited.of_page(data_input.store(), prefix, dataset)
    return prefix if found is None else found.place


def controls_at(mechanism: GlmRelease, dataset: Dataset) -> dict[str, Any]:
    """The values of the controls that describe a release, by the ends of their keys."""
    loss = next(name for name, one in LOSSES.items() if one == (mechanism.loss or LOSSES[_LINEAR]))
    clipped = {} if mechanism.clip is None else {f"clip_{loss}": mechanism.clip}
    return {
        f"model_{models_for(dataset).kind}": loss, "kind": mechanism.release, "lambda": mechanism.lam,
        mechanism.noise.name: getattr(mechanism, mechanism.noise.name), f"clipped_{loss}": mechanism.clip is not None, **clipped,
    }  # fmt: skip


@dataclass(frozen=True)
class Released:
    """A data set, what is released from it, and δ."""

    dataset: Dataset
    mechanism: GlmRelease = state.control(None, _mechanism)
    delta: float = state.delta(exponent=-6)


@dataclass(frozen=True)
class InFewSteps(Released):
    """The same with few positions of the noise, because each of them takes long."""

    mechanism: GlmRelease = state.control(None, partial(_mechanism, few=True))


def _model(prefix: str, dataset: Dataset) -> str:
    """The chosen model, a name in `LOSSES`; the model that suits the target best is offered first."""
    models = models_for(dataset)
    out = "; ".join(f"{LOSSES[name].model}: {reason}" for name, reason in models.refused.items())
    return say.selectbox(
        "Model", models.offered, format_func=lambda name: LOSSES[name].model, key=f"{prefix}_model_{models.kind}",
        help=f"The first is taken because {models.reason}." + (f" Not offered: {out}." if out else ""),
    )  # fmt: skip


def _clip(prefix: str, entry: ReleaseEntry, loss: str, dataset: Dataset) -> float | None:
    """The clipping bound C, if gradients have no bound without it; on by default, except for linear regression."""
    domain = dataset.domain
    if domain is None or not entry.can_clip(LOSSES[loss], domain):
        return None
    on = say.toggle(
        "Clip gradients", value=loss != _LINEAR, key=f"{prefix}_clipped_{loss}",
        help=f"The gradient of a record has no bound in {LOSSES[loss].model}: without clipping there is no worst case.",
    )  # fmt: skip
    if not on:
        return None
    return controls.log_slider(
        "Gradient clip C", 0.01, 1000.0, default_clip(domain),
        key=f"{prefix}_clip_{loss}", help="Largest norm of the gradient of one record; larger ones are shortened to it.",
    )  # fmt: skip


def _slider(one: Any, key: str, *, few: bool = False) -> float:
    return controls.log_slider(one.words, one.low, one.high, one.default, key=key, few=few)


def of_all(function: Callable[..., Any], result: IndividualPrivacy, *args: Any) -> Any:
    """`function(exposure of every row, *args)`, computed once in this session for the data and release of a result."""
    return cache.kept(_of_all, function, result.dataset, result.mechanism, result.delta, *args)


def _of_all(function: Callable[..., Any], dataset: Dataset, mechanism: GlmRelease, delta: float, *args: Any) -> Any:
    return function(cache.in_session(individual_privacy, dataset, mechanism, delta), *args)


def card(mechanism: GlmRelease) -> FormulaCard:
    """The formula card of the per-instance analysis of a mechanism."""
    return analysis_of(mechanism).card(mechanism)


def name(mechanism: GlmRelease) -> str:
    """The name of a mechanism on these pages."""
    return RELEASES[mechanism.release].name


def model(mechanism: GlmRelease) -> str:
    """The name of the model, with its clipping."""
    said = LOSSES[_LINEAR].model if mechanism.loss is None else mechanism.loss.model
    return said if mechanism.clip is None else f"{said}, gradients clipped at {number(mechanism.clip)}"
