"""Every figure and table of the sources: drawn again, with what is printed, and a verdict that is computed."""

import re

from dpcore.exhibits.gallery import adult, augmentation, objective, per_instance, simulated, trained
from dpcore.exhibits.gallery.exhibit import Drawing, Exhibit, Finding, Judgement, Shown, Stroke, Verdict

PAPERS = {
    "redberg-koskela-wang-2023": "Objective perturbation",
    "wang-2019": "Per-instance privacy",
    "li-liu-napp": "Noise augmentation",
}
WITHOUT_FIGURES = ("lecture-10", "lecture-12")


def _in_order(exhibits: tuple[Exhibit, ...]) -> dict[str, Exhibit]:
    def place(exhibit: Exhibit) -> tuple[int, bool, bool, int]:
        number = int(re.findall(r"\d+", exhibit.number)[0])
        return list(PAPERS).index(exhibit.source), "S." in exhibit.number, "Table" in exhibit.number, number

    return {exhibit.key: exhibit for exhibit in sorted(exhibits, key=place)}


EXHIBITS = _in_order(
    (
        *objective.EXHIBITS,
        *trained.EXHIBITS,
        *per_instance.EXHIBITS,
        *augmentation.EXHIBITS,
        *adult.EXHIBITS,
        *simulated.EXHIBITS,
    )
)


def shown_of(key: str) -> Shown:
    """`Exhibit.make` of an exhibit by key."""
    return EXHIBITS[key].make()


__all__ = [
    "EXHIBITS", "PAPERS", "WITHOUT_FIGURES", "Drawing", "Exhibit", "Finding", "Judgement", "Shown", "Stroke", "Verdict", "shown_of",
]  # fmt: skip
