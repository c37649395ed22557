"""Names of the losses in `dp.LOSSES`, and what they need."""

from collections.abc import Iterable

from dpcore.glm import LOSSES


def title(name: str) -> str:
    """The usual name of a loss."""
    return LOSSES[name].title


def needs(names: Iterable[str] = tuple(LOSSES)) -> str:
    """A sentence for each requirement on the target that not every column meets."""
    by_kind: dict[str, list[str]] = {}
    for name in names:
        if LOSSES[name].target.needs:
            by_kind.setdefault(LOSSES[name].target.needs, []).append(title(name))
    return " ".join(
        f"{' and '.join(titles)} {'needs' if len(titles) == 1 else 'need'} {what}." for what, titles in by_kind.items()
    )
