"""Formats that runs are read from, a file each; the first that knows a content reads it."""

from dpcore.runs.readers import dp_events, flower, jax_privacy, opacus, opendp, pipeline, tf_privacy, tumult
from dpcore.runs.run import Reader

READERS: dict[str, Reader] = {
    "opacus": opacus.ENTRY,
    "dp_events": dp_events.ENTRY,
    "tf_privacy": tf_privacy.ENTRY,
    "jax_privacy": jax_privacy.ENTRY,
    "flower": flower.ENTRY,
    "tumult": tumult.ENTRY,
    "opendp": opendp.ENTRY,
    "pipeline": pipeline.ENTRY,
}
