"""Formats that runs are read from, a file each; the first that knows a content reads it."""

from dpcore.runs.readers import dp_events, flower, jax_privacy, opacus, opendp, pipeline, tf_privacy, tumult
from dpcore.runs.run import Reader

READERS: tuple[Reader, ...] = tuple(
    one.ENTRY for one in (opacus, dp_events, tf_privacy, jax_privacy, flower, tumult, opendp, pipeline)
)
