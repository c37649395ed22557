"""From a file of strangers to a validated data set in a public domain."""

from dpcore.data.csv import load_csv, read_table
from dpcore.data.dataset import Dataset
from dpcore.data.domain import Domain
from dpcore.data.encode import make_dataset, needs_range
from dpcore.data.kinds import Column
from dpcore.data.names import display_name, safe_csv
from dpcore.data.ranges import read_ranges, write_ranges
from dpcore.data.report import ColumnReport, IngestReport, Note
from dpcore.data.samples import SAMPLES, Sample, load_sample, read_sample
from dpcore.data.synthetic import Synthetic, linear_gaussian, logistic_gaussian
from dpcore.data.table import Table

__all__ = [
    "SAMPLES",
    "Column",
    "ColumnReport",
    "Dataset",
    "Domain",
    "IngestReport",
    "Note",
    "Sample",
    "Synthetic",
    "Table",
    "display_name",
    "linear_gaussian",
    "load_csv",
    "load_sample",
    "logistic_gaussian",
    "make_dataset",
    "needs_range",
    "read_ranges",
    "read_sample",
    "read_table",
    "safe_csv",
    "write_ranges",
]
