"""A publication about the rows of a file that is read in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcore.data.stream.chunks import ChunkedFile
from dpcore.data.stream.recipe import Block, Wanted, report
from dpcore.glm.losses import find
from dpcore.individual.all_rows.assumptions import Assumptions
from dpcore.individual.passes.blocks import Moments
from dpcore.individual.passes.file import FileRun, Progress
from dpcore.individual.passes.glm import Summed
from dpcore.individual.publication.noisy_fit import Passes, Summand
from dpcore.individual.publication.plan import Terms, publication_plan
from dpcore.individual.publication.statement import PublishedExposure
from dpcore.mechanisms.releases import GlmRelease

_STAGE = "publishing"


def stream_publication(
    path: Any,
    target: str,
    mechanism: GlmRelease,
    delta: float,
    terms: Terms,
    *,
    rng: int | np.random.Generator | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    **choice: Any,
) -> PublishedExposure:
    """`publish_exposure` for a file, in two passes, or three for linear regression; equal noise gives equal numbers.

    Parameters
    ----------
    path, target, mechanism, delta : as in `stream_privacy`
    terms : budget and confidence
    rng : random generator or seed, as in `PublicationPlan.draw`
    progress, cancelled : as in `stream_privacy`
    choice : features, domain, missing, intercept, max_categories, positive and counts, as in `stream_privacy`

    Raises
    ------
    DataError, ParameterError, UnsupportedError
    Cancelled
    """
    run = FileRun(ChunkedFile(path), Wanted(target, **choice), progress, cancelled)
    run.read(Moments)
    recipe, kept = run.recipe, run.counts.kept
    terms.check_rows(kept)
    done = report(recipe, run.counts, run.file.head)
    no_guarantee = Assumptions(done, recipe.domain, target, kept).no_guarantee
    plan = publication_plan(recipe.domain, no_guarantee, mechanism, delta, terms)

    loss = find(mechanism.loss)

    def total(of: Summand) -> np.ndarray:
        def checked(block: Block) -> tuple[np.ndarray]:
            loss.check_target(block.y, block.rows)
            return (of(block.X, block.y),)

        return run.over_rows(_STAGE, Summed(checked)).values[0]

    return plan.draw(Passes(recipe.n_features, total), rng)[0]
