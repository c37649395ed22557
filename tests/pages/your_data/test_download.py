"""What the page and the command line write of one release are the same files, but for what names the run."""

import json
import re
import shlex
from html import unescape

import pytest

from dpcore.interfaces.command import OK, main
from pages.components import say
from tests.pages.tabs import ROOT, open_tab, opened

PAGE = "your_data/per_instance"


@pytest.fixture
def files(monkeypatch):
    """What the buttons give, by the name of the file."""
    found = {}

    def taken(label, *, data, file_name, **options):
        content = data() if callable(data) else data
        found[file_name] = content if isinstance(content, str) else content.decode()

    monkeypatch.setattr(say, "download_button", taken)
    return found


def sections(html: str) -> dict[str, str]:
    """The text of each section, by its heading."""
    bare = re.sub(r"<(script|style)>.*?</\1>", " ", html, flags=re.S)
    parts = re.split(r"<h2>(.*?)</h2>", bare)
    texts = [" ".join(unescape(re.sub(r"<[^>]+>", " ", part)).split()) for part in parts]
    return dict(zip(texts[1::2], texts[2::2], strict=True))


def test_the_page_and_the_command_write_the_same(files, tmp_path, monkeypatch):
    app = opened(PAGE, "pi_tab", "Share", pi_publish_rows=True, pi_lambda=10.0, pi_decide_epsilon=0.2)
    open_tab(app, "pi_tab", "Recommendation")
    open_tab(app, "pi_tab", "Files and link")
    report = sections(files["confidential_per_instance_report.html"])
    shown = re.search(r"<pre><code>(.*?)</code></pre>", files["confidential_per_instance_report.html"], flags=re.S)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    _, *words = shlex.split(unescape(shown[1]).replace("\\\n", " ").removeprefix("python -m "))
    more = ["--json", "records.json", "--public", "public.html", "--card", "card.yaml", "--public-rows", "--quiet"]
    assert main([*words, *more]) == OK
    written = {name: (tmp_path / name).read_text(encoding="utf-8") for name in ("report.html", *more[1:6:2])}
    assert json.loads(written["records.json"]) == json.loads(files["confidential_records.json"])
    assert written["public.html"] == files["public_part.html"]
    assert written["card.yaml"] == files["public_deployment_card.yaml"]
    again = sections(written["report.html"])
    assert "ε ≤ 0.2" in " ".join(again)
    for name in set(report) - {"How to make it again"}:
        assert report[name] == again[name], name
    assert set(again) == set(report)
    assert "Everyone's ε then" in report["Recommendation"]


def test_where_rows_decide_how_rows_are_read_nothing_is_offered_for_the_public(files):
    app = opened(PAGE, "pi_tab", "Share")
    open_tab(app, "pi_tab", "Files and link")
    assert {"public_part.html"} == {name for name in files if name.startswith("public_")}
    assert any(
        "no deployment card: in linear regression it depends on the number of rows" in one.value for one in app.caption
    )


def test_what_is_in_force_stands_in_the_report_and_what_belongs_to_another_release_does_not(files):
    name = "confidential_per_instance_report.html"
    app = opened(PAGE, "pi_tab", "Decide", pi_decide_epsilon=0.4)
    open_tab(app, "pi_tab", "Recommendation")
    app.button(key="pi_decide_apply").click().run()
    open_tab(app, "pi_tab", "Files and link")
    applied = "Recommendation, which this file and this release follow"
    assert applied in sections(files[name])
    (advice,) = (text for heading, text in sections(files[name]).items() if heading.startswith("What would bring"))
    assert advice == "Nothing need be done."
    key = next(one.key for one in app.select_slider if one.label == "Regularisation λ")
    app.select_slider(key=key).set_value(1.0 if app.session_state[key] != 1.0 else 10.0).run()
    assert not [heading for heading in sections(files[name]) if heading.startswith("Recommendation")]
