"""dpcore: exact privacy profiles, per-instance privacy and the mechanisms behind them."""

from dpcore.calibration import calibrate
from dpcore.data import Dataset, Domain, Table, load_csv, load_sample, make_dataset, read_sample, read_table
from dpcore.errors import CalibrationError, ConvergenceError, DataError, DPError, ParameterError, UnsupportedError
from dpcore.mechanisms import (
    MECHANISMS,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Subsampled,
)
from dpcore.profiles import Bound, PrivacyProfile
from dpcore.references import REFERENCES, FormulaCard

__version__ = "0.1.0"

__all__ = [
    "MECHANISMS",
    "REFERENCES",
    "Bound",
    "CalibrationError",
    "ConvergenceError",
    "DPError",
    "DataError",
    "Dataset",
    "Domain",
    "ExponentialMechanism",
    "FormulaCard",
    "Gaussian",
    "Laplace",
    "ParameterError",
    "PrivacyProfile",
    "RandomizedResponse",
    "Subsampled",
    "Table",
    "UnsupportedError",
    "calibrate",
    "load_csv",
    "load_sample",
    "make_dataset",
    "read_sample",
    "read_table",
]
