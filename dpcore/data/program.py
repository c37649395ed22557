"""The call of `load_csv` that makes the same data set from its file again."""

from dpcore.data.dataset import Dataset
from dpcore.data.names import visible
from dpcore.data.samples import SAMPLES
from dpcore.errors import UnsupportedError


def file_of(dataset: Dataset) -> str:
    """The file a data set was read from: the path of a sample in a source checkout, else the name of the file.

    Raises
    ------
    UnsupportedError
        If it was not read from a file.
    """
    if dataset.origin is None or not dataset.origin.table.sha256:
        raise UnsupportedError("These data were not read from a file, so there is no call that reads them again.")
    table = dataset.origin.table
    sample = next((sample for sample in SAMPLES.values() if sample.sha256 == table.sha256), None)
    name = visible(table.name) if sample is None else f"sample_data/{sample.file}"
    return f"./{name}" if name.startswith("-") else name


def chosen_features(dataset: Dataset) -> tuple[str, ...] | None:
    """Features that were asked for by name; None if all usable columns were taken."""
    if all(column.reason != "not chosen" for column in dataset.report.columns):
        return None
    return dataset.encoder.features


def loading(dataset: Dataset) -> str:
    """The call as Python code, with every argument that decides the numbers.

    Raises
    ------
    UnsupportedError
        If the data were not read from a file.
    """
    parts = [repr(file_of(dataset)), f"target={dataset.target!r}"]
    encoder, features = dataset.encoder, chosen_features(dataset)
    if features is not None:
        parts.append(f"features={list(features)!r}")
    parts.append(f"domain={'' if dataset.domain is None else 'dp.'}{dataset.domain!r}")
    parts += [f"missing={encoder.missing!r}", f"intercept={encoder.intercept!r}"]
    parts += [] if encoder.positive is None else [f"positive={encoder.positive!r}"]
    parts += ["counts=True"] if encoder.counts else []
    return f"dp.load_csv({', '.join(parts)})"
