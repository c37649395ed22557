"""The part that may be published: the same for neighbouring data, refused where rows decide, its card as the registry has it."""

import datetime
import json
from html import unescape

import numpy as np
import pandas as pd
import pytest
import yaml

import dpcore as dp
from dpcore.interfaces.command import INTERRUPTED, OK, UNSUPPORTED, USAGE, main
from dpcore.interfaces.public_part import PublicPart
from tests.refusals import refuses

PLANTED = [3.141593, -2.718282]
FACTS = (dp.OutputPerturbation(sigma=20.0, lam=5.0, loss="logistic"), dp.Domain(), 1e-6)
# What a record of the registry may hold: names of fields, or the words it allows; None stands for any text.
MODEL = {
    "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"}, "model_name_details": None, "actors": None,
    "release_type": {"One release", "Many releases"}, "release_type_details": None,
    "data_source_type": {"Static", "Dynamic"}, "data_source_type_details": None,
    "access_type": {"Interactive", "Non-interactive"}, "access_type_details": None,
}  # fmt: skip
REGISTRY = {
    "url_slug": None, "status": {"Draft"}, "tier": {1, 2, 3},
    "deployment": {
        "basic": {
            "name": None, "data_curators": None, "description": None, "intended_use": None, "data_product_region": None,
            "data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data"},
            "publication_date": None,
        },
        "dp_variant": {
            "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
            "data_domain": None, "unprotected_quantities": None,
        },
        "privacy_loss": {
            "privacy_unit": None, "privacy_unit_details": None, "privacy_parameters": {"epsilon": None, "delta": None},
            "privacy_parameters_details": None,
        },
        "deployment_model": MODEL,
        "accounting": {"post_processing": None, "composition": None},
        "implementation": {
            "preprocessing_and_hyperparameter_tuning": None, "mechanisms": None, "justification": None,
        },
        "administrative": {"sources": None, "notes": None, "registry_authors": None},
    },
}  # fmt: skip


@pytest.fixture
def neighbours(tmp_path, monkeypatch):
    """Two files that differ in one person, whose cells are unlike all others; or one of them lacks it, or has another in its place."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    frame["y"] = frame["a"] - frame["b"] + rng.normal(size=80)
    frame["label"] = np.where(frame["y"] > 0, "yes", "no")
    frame.assign(a=frame["a"].where(frame.index != 40, 0.25)).to_csv("instead.csv", index=False)
    frame.loc[40, ["a", "b"]] = PLANTED
    frame.to_csv("planted.csv", index=False)
    frame.drop(index=40).to_csv("without.csv", index=False)
    return tmp_path


def written(file: str, *options: str) -> dict[str, str]:
    """What the command writes of a file that may be published."""
    features = ["--features", "a,b", "--range", "a=-4:4", "--range", "b=-4:4", "--range", "y=-9:9"]
    noise = ["--mechanism", "posterior_sampling", "--gamma", "0.1", "--lam", "5", "--quiet", "--force", "--top", "3"]
    asked = ["--out", "report.html", "--public", "public.html", "--card", "card.yaml"]
    assert main(["report", file, *features, *noise, *asked, *options]) == OK
    with open("public.html", encoding="utf-8") as public, open("card.yaml", encoding="utf-8") as card:
        return {"public": public.read(), "card": card.read()}


@pytest.mark.parametrize(("other", "options"), [
    ("without.csv", ("--target", "label", "--model", "logistic")),
    ("without.csv", ("--target", "label", "--model", "logistic", "--stream")),
    ("instead.csv", ("--target", "y", "--model", "linear", "--public-rows")),
], ids=["a row less", "a row less, in pieces", "another row"])  # fmt: skip
def test_neighbouring_data_have_the_same_public_part(other, options, neighbours):
    planted = written("planted.csv", *options)
    confidential = (neighbours / "report.html").read_text(encoding="utf-8")
    assert written(other, *options) == planted
    assert (neighbours / "report.html").read_text(encoding="utf-8") != confidential
    for text in planted.values():
        assert not any(f"{cell:.4f}" in text for cell in map(abs, PLANTED))


def test_what_is_published_is_in_the_public_part_and_its_budget_on_the_card(neighbours, capsys):
    asked = ("--target", "y", "--model", "linear", "--public-rows")
    plain = written("planted.csv", *asked)
    capsys.readouterr()
    drawn = written("planted.csv", *asked, "--publish-epsilon", "2", "--publish-delta", "1e-5")
    said = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("May be published: "))
    assert said.removeprefix("May be published: ") in unescape(drawn["public"])
    assert "nothing else in this report may" not in drawn["public"]
    assert "noise</th>" not in plain["public"]
    loss, more = (
        yaml.safe_load(one["card"])["deployment"]["privacy_loss"]["privacy_parameters"] for one in (plain, drawn)
    )
    assert f"Together with the release of the model they cost at most ε = {more['epsilon']:.3g} at" in said
    assert max(loss["epsilon"], 2) < more["epsilon"] <= 1.011 * (loss["epsilon"] + 2)
    assert more["delta"] == pytest.approx(1.1e-5, rel=1e-6)
    assert loss["delta"] == 1e-6


@pytest.mark.parametrize(("options", "code", "words"), [
    ((), USAGE, "need --model"),
    (("--model", "linear"), USAGE, "add --public-rows"),
    (("--model", "linear", "--ranges-from-data", "--public-rows"), UNSUPPORTED, "read off the file"),
    (("--model", "linear", "--missing", "mean", "--public-rows"), UNSUPPORTED, "filled in from other rows"),
], ids=["no model", "rows are not public", "ranges read off", "filled"])  # fmt: skip
def test_where_nothing_is_guaranteed_there_is_no_card_and_no_file_is_left(options, code, words, neighbours, capsys):
    before = sorted(path.name for path in neighbours.iterdir())
    asked = ["--target", "y", "--mechanism", "posterior_sampling", "--out", "r.html", "--card", "c.yaml"]
    assert main(["report", "planted.csv", *asked, *options]) == code
    assert words in capsys.readouterr().err
    assert sorted(path.name for path in neighbours.iterdir()) == before


def test_without_a_worst_case_the_public_part_says_why_and_has_no_card():
    part = PublicPart(dp.PosteriorSampling(gamma=1.0, lam=1.0), dp.Domain(), 1e-6)
    assert (
        "No worst case of the release is stated: in linear regression it depends on the number of rows" in part.html()
    )
    assert "compute it again" not in part.html()
    refuses(dp.UnsupportedError, "a deployment card states ε", part.card)
    for refused in ({"domain": dp.Domain(from_data=True)}, {"missing": "median"}):
        refuses(dp.UnsupportedError, "nothing can be said in public", PublicPart, **{
            "mechanism": FACTS[0], "domain": FACTS[1], "delta": 1e-6, **refused,
        })  # fmt: skip


def test_what_was_published_of_another_release_is_refused():
    data = dp.load_sample("diabetes")
    of_another = dp.publish_exposure(data, dp.PosteriorSampling(1.0, 20.0), epsilon=1.0, rng=0)
    given = {
        "mechanism": dp.PosteriorSampling(1.0, 10.0),
        "domain": data.domain,
        "delta": 1e-6,
        "published": of_another,
    }
    refuses(dp.ParameterError, "of another release", PublicPart, **given)


def test_the_card_has_the_fields_of_the_registry_and_an_epsilon_that_is_never_too_small():
    part = PublicPart(*FACTS)
    card = yaml.safe_load(part.card(datetime.date(2031, 2, 3)))

    def check(found, allowed, place):
        if isinstance(allowed, dict):
            assert set(found) <= set(allowed), place
            for name, value in found.items():
                check(value, allowed[name], f"{place}.{name}")
        elif allowed is not None:
            assert found in allowed, place
        else:
            assert isinstance(found, str | float | int) or (found and all(isinstance(one, str) for one in found)), place

    check(card, REGISTRY, "card")
    mechanism, domain, delta = FACTS
    epsilon = float(mechanism.worst_case(domain, 0).epsilon(delta))
    assert epsilon <= card["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"] <= 1.01 * epsilon
    assert eval(part.program, {"dp": dp}) == epsilon
    assert card["deployment"]["basic"]["publication_date"] == "2031-02-03"
    assert json.dumps(dp.__version__)[1:-1] in part.card()


def test_hostile_names_stay_text_on_the_page_and_on_the_card():
    nasty = '</table><script>alert(1)</script>"\n- x: y\u202e'
    domain = dp.Domain(ranges={nasty: (0.0, 1.0)})
    part = PublicPart(FACTS[0], domain, 1e-6)
    assert "<script" not in part.html()
    assert "\u202e" not in part.html() + part.card()
    assert set(yaml.safe_load(part.card())) == set(REGISTRY)


@pytest.mark.parametrize("part", ["html", "card"])
def test_interrupted_between_two_files_it_leaves_neither(part, neighbours, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    (neighbours / "card.yaml").write_text("kept")
    before = {path.name: path.read_bytes() for path in neighbours.iterdir()}
    monkeypatch.setattr(PublicPart, part, interrupted)
    asked = [
        "--target",
        "label",
        "--model",
        "logistic",
        "--mechanism",
        "output_perturbation",
        "--sigma",
        "9",
        "--force",
    ]
    asked += [word for name in "ab" for word in ("--range", f"{name}=-4:4")]
    files = ["--out", "r.html", "--json", "r.json", "--public", "p.html", "--card", "card.yaml"]
    assert main(["report", "planted.csv", "--features", "a,b", *asked, *files]) == INTERRUPTED
    assert "interrupted; no unfinished file was left behind" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in neighbours.iterdir()} == before
