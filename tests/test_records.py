"""Records written as TOML: what a table says is what is read, and a wrong key is a sentence that names file and record."""

import re
from pathlib import Path

import pytest

import dpcore as dp
from dpcore.errata import ERRATA, Kind, read_errata
from dpcore.exhibits.gallery import EXHIBITS, read_exhibits
from dpcore.statements import STATEMENTS
from dpcore.statements.entries import read_statements

PACKAGE = Path(dp.__file__).parent
READERS = {
    "errata/wang-2019.toml": lambda folder: read_errata("wang-2019", folder),
    "exhibits/gallery/redberg-koskela-wang-2023.toml": lambda folder: read_exhibits(
        "redberg-koskela-wang-2023", folder
    ),
    "statements/statements.toml": lambda folder: read_statements(folder / "statements.toml"),
}
ERRATUM, EXHIBIT, STATEMENT = READERS
EQ6 = '[record.pdp-eq6]\nplace = "Eq. (6)"\n'
LEMMA = '{label = "Lemma 10.1", says = "density of a bijective image", place = "variables"}'


@pytest.mark.parametrize(("file", "text", "instead", "said"), [
    (ERRATUM, EQ6, "[record.pdp-eq6]\n", "pdp-eq6: place is missing"),
    (ERRATUM, EQ6, EQ6 + "hwo = 1\n", "pdp-eq6: hwo is not known"),
    (ERRATUM, EQ6, EQ6 + 'kind = "wrong"\n', "pdp-eq6, kind: wrong is not known"),
    (ERRATUM, EQ6, EQ6 + "own.d = {low = 1.0}\n", "pdp-eq6, own: d is not known"),
    (ERRATUM, "own.h = {", "own.h = {least = 1.0, ", "pdp-cov, h: least is not known"),
    (ERRATUM, EQ6, EQ6.replace("eq6", "eq66"), "pdp-eq66: no module of dpcore.errata has a function pdp_eq66"),
    (ERRATUM, "[parameters]", "[parameters", "is not TOML"),
    (EXHIBIT, 'number = "Fig. 1, left"\n', "", "redberg-fig-1-left: number is missing"),
    (EXHIBIT, 'like = "redberg-fig-1-left"', 'like = "left"', "redberg-fig-1-right, like: left is not known"),
    (EXHIBIT, "sigma = 5.0", "sgima = 5.0", "redberg-fig-1-left, make: sgima is not known"),
    (EXHIBIT, "objective.bounds", "objective.bound", "redberg-fig-1-left, make: there is no function bound in objective"),
    (STATEMENT, LEMMA, LEMMA.replace("variables", "nowhere"), "lecture-10, Lemma 10.1, place: nowhere is not known"),
    (STATEMENT, 'whole = "Lemma 10.1"', 'whole = "Lemma 10"', "lecture-10, Eq. (10.1), whole: Lemma 10 is not known"),
])  # fmt: skip
def test_a_wrong_key_is_refused_by_name(file, text, instead, said, tmp_path):
    whole, name = (PACKAGE / file).read_text(encoding="utf-8"), file.rpartition("/")[2]
    assert text in whole
    (tmp_path / name).write_text(whole.replace(text, instead, 1), encoding="utf-8")
    with pytest.raises(dp.DataError, match=f"^{name}.*{re.escape(said)}"):
        list(READERS[file](tmp_path))


def test_what_a_record_does_not_say_it_has_from_its_file():
    lasso = ERRATA["napp-claims-retrieval"].parameters[0]
    assert (lasso.name, lasso.symbol, lasso.default, lasso.high) == ("strength", "Λ", 0.5, 2.0)
    assert (ERRATA["napp-claims"].kind, ERRATA["napp-min"].kind) == (Kind.REFUTED, Kind.MISPRINT)
    left, right = EXHIBITS["redberg-fig-1-left"], EXHIBITS["redberg-fig-1-right"]
    assert (right.settings, right.state["op_view"]) == ({"σ": 10.0, "β": 1, "λ": 5.0}, "profile")
    assert right.assumptions == left.assumptions != ("picture", "unit", "The axis of ε is ours.")
    assert "bounds(sigma=10.0, lam=5.0, epsilon_max=1.0)" in right.program()
    assert EXHIBITS["redberg-fig-2-gisette"].parameters() == {"table": ""}, "a call of its own stands for itself"
    lemma, equation = (one for one in STATEMENTS if one.label in ("Lemma 10.1", "Eq. (10.1)"))
    assert lemma.state == equation.state == {"op_view": "variables"}
