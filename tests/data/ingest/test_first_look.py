"""What is said of a table before anything is computed: the guessed target, what columns are, suggested ranges."""

import numpy as np
import pandas as pd
import pytest

import dpcore.data as look
from dpcore.data import guess_target, read_table, suggest_ranges, taken_for
from dpcore.errors import DataError

ROWS = 60
RNG = np.random.default_rng(5)


def table(header: str, **columns):
    """Columns of uneven numbers, save those given."""
    data = {name: np.round(RNG.normal(50, 9, ROWS), 3) for name in header.split(",")} | columns
    return read_table(pd.DataFrame(data).to_csv(index=False).encode())


@pytest.mark.parametrize(("header", "target"), [
    ("age,default,balance,y", "y"),
    ("Gehalt,Alter,Zielvariable,Ort", "Zielvariable"),
    ("a,b,c", "c"),
    ("loanStatus,term,amount", "loanStatus"),
])  # fmt: skip
def test_the_target_is_guessed_by_its_name_and_else_it_is_the_last_column(header, target):
    assert guess_target(table(header)).name == target


def test_counts_at_the_end_are_guessed_before_an_income_among_the_columns():
    visits = RNG.integers(0, 9, ROWS)
    assert guess_target(table("income,age,visits", visits=visits)).name == "visits"
    assert guess_target(table("churned,age,visits", churned=visits % 2, visits=visits)).name == "churned"


def test_a_postcode_is_a_code_that_neither_counts_nor_names_the_rows():
    read = table("plz,age,y", plz=RNG.integers(1067, 1090, ROWS))
    assert taken_for(read, "plz")[1] == "the name says it is a code, not an amount"
    data = look.make_dataset(read, "y")
    assert (data.names, data.row_ids([0])) == (("age",), [""])


MESSY = "kundennr_id;am;stadt;einkommen;rabatt;art;immer;leer;notiz;target_id;zwilling\n" + "".join(
    f"K-{i};{1 + i % 28:02}.01.2023;{'ABC'[i % 3]};€ {2000 + 37 * i % 911},50;{i % 40} %;{'ja' if i % 2 else 'nein'};DE;;"
    f"Text ganz anders als alle anderen Texte Nummer {i * 7919};{9000 + i * i};{'ABC'[i % 3]}\n"
    for i in range(ROWS)
)


def test_an_identifier_a_date_and_what_never_varies_are_never_guessed_and_each_says_why():
    found = {one.name: one for one in look.target_candidates(read_table(MESSY.encode()))}
    against = {name: one.why for name, one in found.items() if one.reading is None}
    assert {name: why.split(":")[0] for name, why in against.items()} == {
        "kundennr_id": "looks like an identifier",
        "am": "holds dates or times",
        "immer": "never varies",
        "leer": "has no value",
        "notiz": "holds text, neither numbers nor levels",
        "target_id": "looks like an identifier",
        "zwilling": "repeats a column",
    }
    assert guess_target(read_table(MESSY.encode())).name == "einkommen"


def test_a_table_without_a_target_says_so_of_every_column():
    text = b"id,when\n" + b"".join(f"{i},2020-01-{1 + i:02}\n".encode() for i in range(20))
    with pytest.raises(DataError, match=r"'id': looks like an identifier.*'when': holds dates or times"):
        guess_target(read_table(text))


@pytest.mark.parametrize(("column", "what", "why"), [
    ("stadt", "3 levels", "'A', 'B', 'C'"),
    ("einkommen", "amount in €", "removing the sign €"),
    ("rabatt", "percentage", "removing the sign %"),
    ("art", "two levels", "'nein' = 0, 'ja' = 1"),
])  # fmt: skip
def test_what_a_column_was_taken_for_and_why(column, what, why):
    taken, reason = taken_for(read_table(MESSY.encode()), column)
    assert (taken, why in reason) == (what, True)


ENDS = {  # of a word, of words joined, of another language, of a moment, of a sign of its own; none where a rate is named
    (0, 100): "age, Alter, pct_female, years_employed",
    (0, 168): "hours-per-week",
    (1, 12): "signupMonth",
    (-90, 90): "lat",
    (0, 250): "height_cm",
    None: "salary, storage, language, daily_spend, visits_per_year, calls last month, Anrufe_pro_Tag, minutes_per_hour",
}


@pytest.mark.parametrize(("name", "ends"), [(name, ends) for ends, names in ENDS.items() for name in names.split(", ")])
def test_a_name_suggests_what_the_quantity_can_be(name, ends):
    found = look.suggested_range(name)
    assert (found and (found.low, found.high)) == ends


def test_a_sign_suggests_a_percentage_and_values_suggest_nothing():
    assert suggest_ranges(read_table(MESSY.encode()).columns)["rabatt"].high == 100
    names = "age,year,percent,salary,rating"
    one = table(names)
    other = read_table((one.frame.sample(frac=1, random_state=1) * -1e5 + 17.25).to_csv(index=False).encode())
    assert suggest_ranges(one.columns) == suggest_ranges(other.columns)
    assert set(suggest_ranges(one.columns)) == {"age", "year", "percent", "rating"}
