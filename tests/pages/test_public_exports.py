"""What is called public holds nothing confidential: every file of the page, the report's part and the console, with planted values."""

import base64
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

import dpcore as dp
from dpcore.individual.publication import plan
from dpcore.interfaces.command import OK, main
from pages.components import say
from tests.pages.tabs import open_tab, opened

PLANTED = 10_007  # added to every count: none that leaves is as it was
SECRET = "K-70317-Q"


@pytest.fixture(autouse=True)
def noise(monkeypatch):
    draw = plan.PublicationPlan.draw
    monkeypatch.setattr(plan.PublicationPlan, "draw", lambda self, passes, rng=None: draw(self, passes, 0))
    monkeypatch.setattr(plan, "exact_discrete_noise", lambda sigma, count, rng: np.full(count, PLANTED))


def numbers(text: str) -> set[float]:
    """Every number in a text; of a page with a figure, those of its arrays and texts, not of its layout."""
    packed = re.findall(r'"dtype":\s*"(\w+)",\s*"bdata":\s*"([^"]+)"', text)
    if "Plotly.newPlot" in text:
        text = " ".join(re.findall(r'"(?:x|y|text|customdata|name)":\s*(\[[^{}]*?\]|"[^"]*")[,}]', text))
    found = {float(one) for one in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])", text)}
    for kind, array in packed:
        found |= set(np.frombuffer(base64.b64decode(array.encode().decode("unicode_escape")), dtype=kind).tolist())
    return found


def true_counts(result, edges) -> set[int]:
    """Counts of rows by ε and up to each edge, without noise; small ones are any number's."""
    count = np.histogram(result.epsilon, bins=[*edges[:-1], np.inf])[0]
    return {int(one) for one in [*count, *np.cumsum(count), result.epsilon.size] if one > 30} - {50, 90, 99}


def as_written(known: np.ndarray, one: float) -> np.ndarray:
    """Which values are this number, to all the digits it is written with (six at least: chance meets no more)."""
    digits = max(6, len(repr(one).partition("e")[0].replace(".", "").lstrip("-0")))
    near = known[np.abs(known - one) <= 1e-5 * abs(one)]
    return np.array([float(f"{value:.{digits}g}") == one for value in near])


def assert_public(text: str, result, edges) -> None:
    seen = numbers(text)
    known = np.array([*result.epsilon, *result.leverage.in_sample, *result.leverage.residual])
    assert not {one for one in seen - {0.0, 1.0} if as_written(known, one).any()}
    assert not seen & true_counts(result, edges)
    assert SECRET not in text


def test_every_file_of_the_page_is_public_or_says_that_it_is_confidential(monkeypatch):
    files = {}

    def taken(label, *, data, file_name, **options):
        content = data() if callable(data) else data
        files[file_name] = content if isinstance(content, str) else content.decode()

    monkeypatch.setattr(say, "download_button", taken)
    app = opened("your_data/per_instance", "pi_tab", "What may be said", pi_lambda=10.0)
    app.button(key="pi_publish_draw").click().run()
    ((_, found),) = app.session_state["data_published"]
    assert min(found.counts) >= PLANTED
    public = dict(files)
    assert {name.rpartition(".")[2] for name in public} == {"html", "csv", "json"}
    assert all(name.startswith("public_") for name in public)
    result = dp.individual_privacy(dp.load_sample("diabetes"), dp.PosteriorSampling(1.0, 10.0))
    assert len(true_counts(result, found.edges)) > 4
    assert max(numbers(public["public_exposure_published_distribution.html"])) >= PLANTED
    for content in public.values():
        assert_public(content, result, found.edges)
    assert json.loads(public["public_exposure.json"])["counts"] == list(found.counts)
    open_tab(app, "pi_tab", "Files and link")
    assert {name.partition("_")[0] for name in set(files) - set(public)} == {"confidential", "public"}
    assert f"{PLANTED}" in files["public_part.html"]
    assert_public(files["public_part.html"].partition("</style>")[2], result, found.edges)
    open_tab(app, "pi_tab", "What may be said")
    app.toggle(key="pi_publish_rows").set_value(True).run()
    files.clear()
    open_tab(app, "pi_tab", "Files and link")
    assert "public_part.html" in files
    assert "public_deployment_card.yaml" not in files, "what was drawn before is of another request, and not counted"
    assert "more was drawn in this session" in " ".join(one.value for one in app.caption)
    with pytest.raises(AssertionError):  # the check sees what must not leave
        assert_public(files["confidential_per_instance_privacy.csv"], result, found.edges)


@pytest.mark.thorough
@pytest.mark.parametrize("options", [["--model", "linear"], ["--model", "huber"], ["--model", "linear", "--stream"]])
def test_the_public_part_of_a_report_holds_no_row(options, tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(613, 2)).round(6), columns=["a", "b"])
    frame["y"] = (frame["a"] - frame["b"] + rng.normal(size=613)).round(6)
    frame.insert(0, "id", [f"{SECRET}{k}" for k in range(613)])
    frame.loc[5, ["a", "b", "y"]] = 3.141593, -2.718282, 1.618034
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    out = tmp_path / "report.html"
    asked = shlex.split("--target y --features a,b --mechanism posterior_sampling --lam 5 --publish-epsilon 2 --quiet")
    asked += [f"--range={name}=-4:4" for name in "aby"]
    alone = tmp_path / "public.html"
    assert main(["report", str(path), *asked, *options, "--out", str(out), "--public", str(alone)]) == OK
    (said,) = re.findall(r"^May be published: (.*)$", capsys.readouterr().out, flags=re.M)
    page = out.read_text(encoding="utf-8")
    part = page[page.index("What may be said") :]
    part = part[: part.index("<h2", 10)] if "<h2" in part[10:] else part
    assert said[:60] in part
    data = dp.load_csv(path, "y", ["a", "b"], dp.Domain(ranges=dict.fromkeys("aby", (-4, 4))))
    mechanism = dp.PosteriorSampling(1.0, 5.0, loss="huber" if "huber" in options else "squared")
    result = dp.individual_privacy(data, mechanism)
    edges = dp.publish_exposure(data, mechanism, epsilon=2.0, rng=0).edges
    for text in (said, part, alone.read_text(encoding="utf-8").partition("</style>")[2]):
        assert_public(text, result, edges)
        assert not re.search(r"3\.1415|2\.7182|1\.6180", text)
    assert str(PLANTED) in part or f"{PLANTED:,}" in part
