"""A proposal promises what a re-run of the edited file gives, by a path that shares no code with the search."""

from __future__ import annotations

from functools import cache
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import dpcore as dp
from dpcore.data import guess_target, target_candidates
from dpcore.decisions.proposed import Proposal, groups_of
from dpcore.individual.rows.group_privacy import group_privacy
from dpcore.interfaces.command import main
from tests.decisions.files import SMALL, Case, adult, levels, outliers, patients, staff


@cache
def proposed(make) -> tuple[Case, dp.Dataset, Proposal]:
    case = make()
    data = case.dataset()
    return case, data, dp.propose(data, dp.Answers(epsilon=case.epsilon, person=case.person))


def rerun(case: Case, data: dp.Dataset, found: Proposal) -> np.ndarray:
    """ε of everyone in the edited file, read as any file is; of a person, the largest bound on all rows together."""
    again = dp.load_csv(found.file(data.origin.table), **found.reading)
    epsilon = dp.individual_privacy(again, found.mechanism, found.answers.delta).epsilon
    groups = groups_of(again, case.person)
    alone = np.setdiff1d(np.arange(again.n_samples), np.concatenate([[], *groups]))
    return np.append(epsilon[alone.astype(int)], [
        max(found_.joint if found_.joint is not None else found_.chain, epsilon[rows].max())
        for rows in groups for found_ in [group_privacy(again, found.mechanism, rows, found.answers.delta)]
    ])  # fmt: skip


@pytest.mark.parametrize("make", [*SMALL, pytest.param(adult, marks=pytest.mark.thorough)])
def test_the_edited_file_has_the_promised_epsilon_for_everyone(make):
    case, data, found = proposed(make)
    epsilon = rerun(case, data, found)
    promised = (found.after.median, found.after.p99, found.after.largest)
    assert promised == pytest.approx(
        (np.median(epsilon), np.quantile(epsilon, 0.99), epsilon.max()), rel=1e-9, abs=1e-9
    )
    assert found.after.count == epsilon.size
    assert found.after.largest <= case.epsilon
    louder = found.mechanism.noise.noise
    assert found.after.largest > 0.5 * case.epsilon or louder == 0  # no more noise than a few places of the slider


@pytest.mark.parametrize("make", [*SMALL, pytest.param(adult, marks=pytest.mark.thorough)])
def test_the_command_proposes_the_same(make, tmp_path, capsys):
    case, data, found = proposed(make)
    path, out = tmp_path / case.name, tmp_path / "edited.csv"
    path.write_bytes(case.data)
    words = ["decide", str(path), f"--epsilon={case.epsilon}", f"--target={case.target}", f"--out={out}", "--quiet"]
    words += [f"--range={name}={low}:{high}" for name, (low, high) in case.ranges.items()]
    words += [f"--person={case.person}"] if case.person else []
    words += ["--counts"] if case.options.get("counts") else []
    words += [f"--positive={case.options['positive']}"] if "positive" in case.options else []
    assert main(words) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1 : 1 + len(found.sentences)] == list(found.sentences)
    assert out.read_bytes() == found.file(data.origin.table)


def test_far_rows_are_left_out_together_and_those_who_stay_pay_for_it():
    _, data, found = proposed(outliers)
    (edit,) = found.edits
    assert edit.rows == (18, 131, 256)
    kept = pd.read_csv(BytesIO(found.file(data.origin.table)))
    assert len(kept) == 297
    assert kept["wealth"].max() < 900
    with_them = dp.individual_privacy(data, found.mechanism).epsilon
    largest = np.delete(with_them, [17, 130, 255]).max()
    assert largest < found.after.largest
    raised = next(text for text in found.sentences if text.startswith("Leaving rows out raises"))
    assert f"largest {largest:.3g} → {found.after.largest:.3g}" in raised


def test_scores_stand_beside_the_trivial_model_on_all_rows_and_on_the_others():
    _, data, found = proposed(outliers)
    income = pd.read_csv(BytesIO(outliers().data))["income"].to_numpy(dtype=float)
    before = dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0)).epsilon
    others = before <= np.quantile(before, 0.99)
    assert found.price.trivial == pytest.approx(income.std())
    assert found.price_without.trivial == pytest.approx(income[others].std())
    plain = Ridge(alpha=0.1, fit_intercept=False).fit(data.X, data.y).predict(data.X)
    error = 5_000.0 * (plain - data.y)  # the range is 10 000 wide and becomes 2
    assert found.price.unprotected == pytest.approx(np.sqrt(np.mean(error**2)))
    assert found.price_without.unprotected == pytest.approx(np.sqrt(np.mean(error[others] ** 2)))
    again = dp.load_csv(found.file(data.origin.table), **found.reading)
    draws = found.mechanism.draw(dp.leverage(again, lam=found.mechanism.lam), 4_000, np.random.default_rng(0))
    spread = 5_000.0 * (data.X @ draws.T - data.y[:, None])
    assert found.price.released == pytest.approx(np.sqrt(np.mean(spread**2)), rel=0.01)


def test_a_release_that_says_nothing_says_so_and_changes_nothing():
    data = staff().dataset()
    found = dp.propose(data, dp.Answers(epsilon=0.02))
    assert not found.price_without.is_useful
    assert not found.edits
    assert "no better than the mean" in " ".join(found.sentences)
    assert any(text.startswith("Such a release is of no use") for text in found.sentences)


def test_an_accuracy_asked_for_is_reached_with_the_least_epsilon():
    data = staff().dataset()
    found = dp.propose(data, dp.Answers(accuracy=0.9))
    assert 0.85 < found.score <= 0.9
    stronger = found.mechanism.with_noise(1.2)
    again = dp.load_csv(found.file(data.origin.table), **found.reading)
    assert dp.individual_privacy(again, stronger).epsilon.max() < found.after.largest
    assert found.after.largest < found.before.largest


def test_a_column_of_persons_is_no_feature_and_each_person_counts_once():
    case, data, found = proposed(patients)
    assert "patient" in data.names
    assert found.reading["features"] == ("age", "dose")
    assert found.after.count == pd.read_csv(BytesIO(case.data))["patient"].nunique()
    rows = dp.propose(data, dp.Answers(epsilon=case.epsilon))
    assert rows.after.count == data.n_samples


def test_the_level_told_from_the_others_and_its_share_are_judged():
    case, _, found = proposed(levels)
    kinds = pd.read_csv(BytesIO(case.data))["kind"]
    assert found.price.trivial == pytest.approx(max((kinds == "large").mean(), (kinds != "large").mean()))
    assert found.price.share
    assert found.sign == "≈"


@pytest.mark.parametrize(("asked", "said"), [
    ({}, "give epsilon or accuracy"), ({"epsilon": 1.0, "accuracy": 1.0}, "not both"), ({"epsilon": -1.0}, "epsilon must be > 0"),
    ({"epsilon": 1.0, "delta": 2.0}, "delta must"), ({"epsilon": 1.0, "ranges": {"a": (1.0, 1.0)}}, "low < high"),
])  # fmt: skip
def test_answers_that_do_not_fit_are_refused_in_a_sentence(asked, said):
    with pytest.raises(dp.ParameterError, match=said):
        dp.Answers(**asked)


def test_what_cannot_be_proposed_is_a_sentence():
    data = staff().dataset()
    with pytest.raises(dp.DataError, match="not read from one"):
        dp.propose(dp.Dataset.from_arrays(data.X, data.y), dp.Answers(epsilon=1.0))
    with pytest.raises(dp.DataError, match="There is no column of persons 'nobody'"):
        dp.propose(data, dp.Answers(epsilon=1.0, person="nobody"))
    with pytest.raises(dp.UnsupportedError, match="no release tried gives ε ≤ 1e-07"):
        dp.propose(data, dp.Answers(epsilon=1e-7))
    with pytest.raises(dp.UnsupportedError, match=r"no release tried gives a score of 0\.1"):
        dp.propose(data, dp.Answers(accuracy=0.1))


def test_stated_ranges_override_those_of_the_data_set():
    data = staff().dataset()
    found = dp.propose(data, dp.Answers(epsilon=2.0, ranges={"salary": (0.0, 60_000.0)}))
    assert found.reading["domain"].range_of("salary") == (0.0, 60_000.0)
    assert found.reading["domain"].range_of("years") == (0.0, 50.0)


def test_too_many_persons_for_their_epsilon_keep_one_row_each(monkeypatch):
    monkeypatch.setattr("dpcore.decisions.everyone.MOST_WORK", 1_000)
    case = patients()
    data = case.dataset()
    found = dp.propose(data, dp.Answers(epsilon=case.epsilon, person=case.person))
    first = pd.read_csv(BytesIO(case.data)).drop_duplicates("patient")
    pd.testing.assert_frame_equal(pd.read_csv(BytesIO(found.file(data.origin.table))), first.reset_index(drop=True))
    assert found.edits[0].text == "keep the first row of each person ('patient')"
    assert found.after.count == len(first)
    assert any(text.startswith("Now counts each row alone") for text in found.sentences)


def test_a_column_of_many_names_is_no_suggested_target():
    rng = np.random.default_rng(0)
    names = [f"N{k}" for k in rng.integers(0, 150, 400)]
    table = dp.read_table(pd.DataFrame({"pay": rng.normal(size=400), "Name": names}).to_csv(index=False).encode())
    found = {one.name: one for one in target_candidates(table)}
    assert guess_target(table).name == "pay"
    assert found["Name"].score < 0 < len(found["Name"].reading.levels)


def test_names_and_texts_that_a_spreadsheet_would_run_are_those_of_the_file_when_it_is_read_again():
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=80), rng.choice(["=x", "+y", "5", "plain"], size=80)
    lines = [f"{a:.3f},{b},{a + c:.3f}" for a, b, c in zip(x, level, rng.normal(size=80), strict=True)]
    data = dp.load_csv("\n".join(["=1+zq,-level,y", *lines]).encode(), target="y", domain=dp.Domain(from_data=True))
    table, found = data.origin.table, dp.propose(data, dp.Answers(epsilon=1.0))
    assert found.file(table).startswith(b"'=1+zq,'-level,y\r\n")
    again = found.apply(table)
    assert again.names == table.names
    assert again.levels("-level") == table.levels("-level") == ("+y", "5", "=x", "plain")
    assert again.frame["-level"].astype(str).tolist() == table.frame["-level"].astype(str).tolist()
    assert found.rerun(table)[1].largest == pytest.approx(found.after.largest, rel=1e-9)
