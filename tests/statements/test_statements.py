"""The index reads the code: a statement is implemented where a docstring cites it, or says why nothing does."""

import ast
import re
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from dpcore.exhibits.gallery import EXHIBITS
from dpcore.statements import STATEMENTS, citations, index
from dpcore.statements.citations import citations as all_citations
from dpcore.statements.citations import cited_in
from dpcore.statements.entries import errata_of
from pages.components.state import key_of
from tests import every

ROOT = Path(__file__).resolve().parents[2]
KINDS = "Theorem|Lemma|Proposition|Corollary|Claim|Definition|Remark|Fact|Algorithm|Assumption|Table|Appendix"
NUMBERED = {  # as printed: how many of each kind the sources number; lecture 10 numbers one lemma
    "lecture-12": {"Definition": 3, "Lemma": 2, "Theorem": 3},
    "li-liu-napp": {
        "Definition": 2, "Assumption": 1, "Proposition": 3, "Claim": 1, "Algorithm": 2, "Theorem": 3, "Corollary": 1, "Lemma": 3,
        "Table": 4,
    },
    "redberg-koskela-wang-2023": {"Definition": 12, "Lemma": 16, "Theorem": 14, "Remark": 4, "Algorithm": 2, "Appendix": 7, "Table": 2},
    "wang-2019": {
        "Definition": 6, "Lemma": 10, "Fact": 2, "Proposition": 4, "Corollary": 1, "Theorem": 1, "Remark": 1, "Algorithm": 1, "Table": 1,
    },
}  # fmt: skip
EQUATIONS = {  # every number printed beside a display
    "lecture-10": ["1", "2", "3", "10.1", "10.2"],
    "lecture-12": ["1"],
    "li-liu-napp": [str(k) for k in range(1, 40)],
    "redberg-koskela-wang-2023": [
        "3.1", "B.1", *(f"C.{k}" for k in range(1, 10)), *(f"D.{k}" for k in range(1, 13)), "G.1", "G.2", "G.3", "H.1",
    ],
    "wang-2019": [str(k) for k in range(1, 18)],
}  # fmt: skip
LISTS = {"na_attacked": '"moor" "retrieval" "vs_plus"', "na_selection": '"vs" "vs_plus"'}  # of the package
OF_GALLERY: dict[str, list] = {}  # what the gallery's states, which its own test opens, set a control to
for exhibit in EXHIBITS.values():
    for control, chosen in exhibit.state.items():
        OF_GALLERY.setdefault(control, []).extend(chosen if isinstance(chosen, list) else [chosen])


@cache
def by_place():
    """The entry of a source and a label; the index reads the whole code, so it is made when a test asks for it."""
    return {(entry.statement.source, entry.statement.label): entry for entry in index()}


def test_every_numbered_statement_is_listed_once():
    assert len(by_place()) == len(STATEMENTS)
    for source, counts in NUMBERED.items():
        labels = [statement.label for statement in STATEMENTS if statement.source == source]
        found = [label.split()[0] for label in labels if re.match(rf"({KINDS}) ", label)]
        assert {kind: found.count(kind) for kind in found} == counts


def test_every_numbered_equation_belongs_to_one_entry():
    for source, numbers in EQUATIONS.items():
        found = [number for statement in STATEMENTS if statement.source == source for number in statement.numbers]
        assert sorted(found) == sorted(numbers)


def test_a_statement_has_code_or_a_reason_why_not():
    every.hold(has_code_or_says_why_not, {" ".join(place): entry for place, entry in by_place().items()})


def asked_by(page):
    """Names in the address of what a page declares: its controls and its tabs."""
    controls = [one.name for one in fields(page.state) if "control" in one.metadata] if is_dataclass(page.state) else []
    return {f"{page.prefix}_tab", *(key_of(page.state, page.prefix, name) for name in controls)}


def has_code_or_says_why_not(entry):
    assert bool(entry.code) != bool(entry.statement.why_not), entry
    if entry.code:
        assert entry.tests, "no test names what implements it"
        folder = ROOT / "pages" / entry.statement.page
        assert (folder / "page.py").is_file()
        source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
        page = import_module(f"pages.{entry.statement.page.replace('/', '.')}.page").PAGE
        for key, value in entry.statement.state.items():
            assert f'"{key}"' in source or key in {*OF_GALLERY, *asked_by(page)}
            for one in value if isinstance(value, list) else [value]:
                assert not isinstance(one, str) or f'"{one}"' in source + LISTS.get(key, "") or one in OF_GALLERY[key]


@pytest.mark.parametrize(("trailer", "wanted"), [
    ("References: wang-2019 (Theorem 14).", [("Theorem 14", "")]),
    ("References: mironov-2017, wang-2019 (Lemmas 19, 20), dwork-roth-2014.", [("Lemma 19", ""), ("Lemma 20", "")]),
    ("References: wang-2019 (Lemma 4, corrected, Definition 3).", [("Lemma 4", "corrected"), ("Definition 3", "")]),
    ("References: wang-2019 (Definitions 8, 10,\n    refuted).", [("Definition 8", "refuted"), ("Definition 10", "refuted")]),
    ("References: wang-2019.", []),
    ("See wang-2019 (Theorem 14).", []),
])  # fmt: skip
def test_a_trailer_is_read(trailer, wanted):
    found = list(cited_in(f"Something.\n\n{trailer}\n\nNotes"))
    assert found == [("wang-2019", *one) for one in wanted]


def test_tests_are_those_whose_code_names_it():
    """Words in a comment or another thing's attribute do not count: `at` is in most modules."""
    imports = "import dpcore as dp\nfrom dpcore.glm import SAG\nfrom numpy import solve\n"
    found = citations._named(ast.parse(imports + "dp.exhibits.odds(1).at(2)\n'live'"))
    assert {"SAG", "odds", "exhibits"} <= found.of_package
    assert not {"solve", "live", "at"} & found.of_package
    assert "at" in found.attributes


def test_every_citation_of_a_statement_is_in_the_list():
    """A docstring that cites a theorem the sources do not have, or one the list forgot, is a mistake."""
    listed = {(statement.source, statement.label) for statement in STATEMENTS}
    for citation in all_citations():
        if re.match(rf"({KINDS.removesuffix('|Table|Appendix')}) ", citation.label):
            whole = citation.label.rpartition(".")[0]
            assert {(citation.source, citation.label), (citation.source, whole)} & listed, citation


def test_errata_belong_to_their_statement_and_to_no_other():
    by_label = {(statement.source, statement.label): set(errata_of(statement)) for statement in STATEMENTS}
    assert "pdp-prop16-eff" in by_label["wang-2019", "Proposition 16"]
    assert {"objpert-31-sign", "objpert-det-loose"} <= by_label["redberg-koskela-wang-2023", "Theorem 3.1"]
    assert "objpert-det-loose" in by_label["redberg-koskela-wang-2023", "Theorem 3.2"]
    assert "objpert-31-sign" not in by_label["redberg-koskela-wang-2023", "Theorem 3.2"]
    assert not by_label["wang-2019", "Definition 1"]
    assert by_place()["li-liu-napp", "Theorem 4"].standing == "refuted"
    assert by_place()["redberg-koskela-wang-2023", "Theorem 2.8"].standing == "upper bound"


def test_without_a_checkout_there_are_no_tests_to_list(monkeypatch):
    statement = by_place()["redberg-koskela-wang-2023", "Theorem 3.2"]
    assert "mechanisms/objective_perturbation/test_bounds.py" in statement.tests
    monkeypatch.setattr(citations, "PACKAGE", Path("/nowhere/dpcore"))
    assert citations.names_in_tests.__wrapped__() is None
