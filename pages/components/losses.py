"""How losses are named and chosen: whatever `dp.LOSSES` holds."""

from collections.abc import Iterable

from dpcore.glm import LOSSES


def title(name: str) -> str:
    """What people call a loss."""
    return LOSSES[name].title


def needs(names: Iterable[str] = tuple(LOSSES)) -> str:
    """A sentence for each kind of target that not every column is."""
    by_kind: dict[str, list[str]] = {}
    for name in names:
        if LOSSES[name].target.needs:
            by_kind.setdefault(LOSSES[name].target.needs, []).append(title(name))
    return " ".join(
        f"{' and '.join(titles)} {'needs' if len(titles) == 1 else 'need'} {what}." for what, titles in by_kind.items()
    )
