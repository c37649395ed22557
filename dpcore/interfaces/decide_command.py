"""`python -m dpcore decide FILE`: one release of a file, proposed from three answers, and the edited file."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from dpcore.data.domain import Domain
from dpcore.data.ingest.csv import read_table
from dpcore.data.ingest.encode import make_dataset
from dpcore.data.ingest.guess import guess_target
from dpcore.data.ingest.needed import needs_range
from dpcore.data.ingest.suggest import suggest_ranges
from dpcore.data.ingest.table import Table
from dpcore.data.names import all_quoted, quoted
from dpcore.decisions.answers import Answers
from dpcore.decisions.proposal import propose
from dpcore.decisions.proposed import Proposal
from dpcore.errors import DataError, ParameterError
from dpcore.interfaces import options
from dpcore.interfaces.outputs import Outputs
from dpcore.interfaces.progress import ProgressLine


def decide(chosen: argparse.Namespace) -> int:
    """Print the proposal, and write the edited file if it is asked for."""
    answers = Answers(chosen.epsilon, chosen.accuracy, chosen.person, delta=chosen.delta)
    wanted, stated = {} if chosen.out is None else {"--out": chosen.out}, options.domain(chosen)
    if chosen.out is not None and Path(chosen.out).suffix.lower() != ".csv":
        raise ParameterError(f"--out needs a file name ending in .csv, got {quoted(chosen.out, 120)}")
    with Outputs(wanted, {"FILE": chosen.file}, chosen.force) as outputs:
        progress = ProgressLine(None if chosen.quiet else sys.stderr)
        table = read_table(chosen.file)
        if chosen.target is None:
            chosen.target = guess_target(table).name
        dataset = make_dataset(table, chosen.target, **options.reading_options(chosen, _ranged(chosen, table, stated)))
        found = propose(dataset, answers, options.mechanism(chosen, dataset), progress)
        progress.close()
        if chosen.out is not None:
            outputs.part("--out").write_bytes(found.file(table))
        outputs.commit()
    _say(found, table, chosen)
    return 0


def _ranged(chosen: argparse.Namespace, table: Table, domain: Domain) -> Domain:
    """The domain with the ranges that names suggest, where none is stated; they are printed.

    Raises
    ------
    DataError
        If a column still has no range, and none is to be read off the file.
    """
    needed = needs_range(table, chosen.target, options.features(chosen.features), chosen.positive, chosen.counts)
    suggested, ranges = suggest_ranges(table.columns), dict(domain.ranges or {})
    for name in needed:
        if name not in ranges and name in suggested:
            ranges[name] = suggested[name].low, suggested[name].high
            print(f"Range of {quoted(name)}: {ranges[name][0]:g} to {ranges[name][1]:g}, {suggested[name].why}.")
    missing = [name for name in needed if name not in ranges]
    if missing and not domain.from_data:
        raise DataError(
            f"What can {all_quoted(missing)} be at all? State --range NAME=LOW:HIGH for each, or read them off the file "
            "with --ranges-from-data, which no guarantee covers."
        )
    return replace(domain, ranges=ranges or None, from_data=bool(missing) and domain.from_data)


def _say(found: Proposal, table: Table, chosen: argparse.Namespace) -> None:
    print(f"Target: {quoted(chosen.target)}.", *found.sentences, found.confidentiality, sep="\n")
    if chosen.out is not None:
        print(f"wrote {chosen.out} (confidential)")
        dataset = make_dataset(replace(found.apply(table), name=Path(chosen.out).name), **found.reading)
        words = options.report_arguments(dataset, found.mechanism, chosen.delta)
        print("The same numbers, for every row: python -m " + " ".join(shlex.quote(word) for word in words))
