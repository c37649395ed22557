"""What to install for the parts of the package that need more than NumPy and SciPy."""

from collections.abc import Iterator
from contextlib import contextmanager

from dpcore.errors import MissingLibraryError

EXTRA = {  # library → the extra of this package that installs it
    "numba": "fast", "llvmlite": "fast", "pandas": "data", "pyarrow": "data", "sklearn": "data", "yaml": "data",
    "plotly": "app", "streamlit": "app", "dask": "distributed", "distributed": "distributed",
}  # fmt: skip


@contextmanager
def told() -> Iterator[None]:
    """Say what to install where an import fails for want of a library that only some parts of the package need.

    Raises
    ------
    MissingLibraryError
        In place of ModuleNotFoundError, for the libraries in `EXTRA`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA:
            raise
        message = f"this needs {library}, which is not installed: pip install 'dpcore[{EXTRA[library]}]'"
        raise MissingLibraryError(message) from error
