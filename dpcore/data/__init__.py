"""From a file of unknown content to a validated data set in a public domain."""

from typing import TYPE_CHECKING

from dpcore.lazy import exports

if TYPE_CHECKING:
    from dpcore.data.dataset import Dataset
    from dpcore.data.domain import Domain
    from dpcore.data.encoding.target import TargetReading
    from dpcore.data.ingest.csv import load_csv, read_table
    from dpcore.data.ingest.encode import make_dataset
    from dpcore.data.ingest.guess import Candidate, guess_target, target_candidates, target_kind
    from dpcore.data.ingest.kinds import Column
    from dpcore.data.ingest.needed import file_ranges, needs_range
    from dpcore.data.ingest.preview import taken_for
    from dpcore.data.ingest.ranges import read_ranges, write_ranges
    from dpcore.data.ingest.suggest import SuggestedRange, suggest_ranges, suggested_range
    from dpcore.data.ingest.table import Table
    from dpcore.data.ingest_report import ColumnReport, IngestReport, Note
    from dpcore.data.names import display_name, safe_csv
    from dpcore.data.samples import SAMPLES, Sample, load_sample, read_sample
    from dpcore.data.samples.published import adult, gisette, synthetic_h, synthetic_l
    from dpcore.data.samples.synthetic import Synthetic, linear_gaussian, logistic_gaussian
else:
    __getattr__, __dir__ = exports(__name__)

__all__ = [
    "SAMPLES", "Candidate", "Column", "ColumnReport", "Dataset", "Domain", "IngestReport", "Note", "Sample",
    "SuggestedRange", "Synthetic", "Table", "TargetReading", "adult", "display_name", "file_ranges", "gisette",
    "guess_target", "linear_gaussian", "load_csv", "load_sample", "logistic_gaussian", "make_dataset", "needs_range",
    "read_ranges", "read_sample", "read_table", "safe_csv", "suggest_ranges", "suggested_range", "synthetic_h",
    "synthetic_l", "taken_for", "target_candidates", "target_kind", "write_ranges",
]  # fmt: skip
