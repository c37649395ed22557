"""A file whose names, levels and cells are Markdown, HTML, LaTeX, formulas and short codes: all are shown, none is read."""

import csv
import io
import re

import pytest
from playwright.sync_api import expect

from dpcore.data.names import visible
from tests.browser.conftest import Server, click, navigate, section, settled
from tests.browser.letters import texts
from tests.browser.test_per_instance import open_upload, upload

HOST = "stray.example"
NAMES = [
    f"<a href=//{HOST}>zqanchor</a>", f"<img src=//{HOST}/p.png>zqpicture", "$zqlatex$", ":red[zqred]",
    ":material/home: zqicon", ":smile: zqemoji", "=1+zqsum", "%{x} zqhover", "`zqcode`", "<b>zqbold</b>",
    f"www.{HOST}/zqpath", f"http://{HOST}/zqurl", f"zqmail@{HOST}", "\u202ezqrtl", f"[zqlink](http://{HOST}/l)",
]  # fmt: skip
IMAGE = f"![zqimage](http://{HOST}/t.png)"
PARTS = {  # marker: what stands before it, without which it has been interpreted
    found[0]: name[: found.start()] for name in (IMAGE, *NAMES) if (found := re.search(r"zq(?!rtl)\w+", name))
}
LEVELS = (IMAGE, f"<a href=//{HOST}>zqanchor</a> $zqlatex$", f"www.{HOST}/zqpath :red[zqred]")
STRAYS = """([parts, host]) => {
  const found = [...document.querySelectorAll("a, img, image, source, link, iframe")]
    .filter(node => [...node.attributes].some(({value}) => value.includes(host))).map(node => node.outerHTML);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.replaceAll("\\u200b", "");
    if (text.includes("\\u202e") || text.includes("&#")) found.push(text);
    for (const [marker, before] of Object.entries(parts)) {
      if (!text.includes(marker)) continue;
      if (!text.includes(before + marker) || node.parentElement.closest(".katex, [class*=stMarkdownColored], .stMarkdown a")) {
        found.push(`${marker}: ${node.parentElement.outerHTML}`);
      }
    }
  }
  return found;
}"""


def content(target: str) -> bytes:
    """A CSV with these names."""
    sink = io.StringIO()
    rows = csv.writer(sink)
    rows.writerow([*NAMES, "zq $level$", target])
    for i in range(60):
        numbers = [(i * (k + 3) % 17) / 3 for k in range(len(NAMES))]
        rows.writerow([*numbers, LEVELS[i % 3], (i * 7 % 23) / 5])
    return sink.getvalue().encode()


def inspect(page, where: str) -> None:
    settled(page)
    assert page.evaluate(STRAYS, [PARTS, HOST]) == [], where


def choose(page, label: str, option: str) -> None:
    box = page.get_by_role("combobox", name=re.compile(rf"^(Selected .*)?{re.escape(label)}")).first
    box.scroll_into_view_if_needed()
    settled(page)  # a list that opens while its place is still moving closes again
    box.click()
    click(page.get_by_role("option", name=option, exact=True))


def every_tab(page, where: str) -> None:
    for tab in page.get_by_role("tab").all():
        tab.click()
        inspect(page, f"{where}, {tab.inner_text()}")
        for choice in page.get_by_role("tabpanel").get_by_role("radiogroup", name="Section").get_by_role("radio").all():
            choice.click()
            inspect(page, f"{where}, {choice.inner_text()}")


def open_hostile(page, server) -> None:
    open_upload(page, server)
    upload(page, "people.csv", content(f"{IMAGE} y"))
    expect(page.get_by_text("Median of 60 rows")).to_be_visible()
    assert page.evaluate(STRAYS, [PARTS | {"Columns": "never "}, HOST]) != []  # the search finds what is there


def test_a_page_shows_a_hostile_file_reads_nothing_of_it_and_its_tables_offer_no_file_of_their_own(server, page):
    """The tables' CSV would hold formulas as they are and no notice; the pages' own downloads are disarmed and say so."""
    open_hostile(page, server)
    inspect(page, "per-instance")
    table = page.get_by_test_id("stDataFrame").filter(visible=True).first
    table.scroll_into_view_if_needed()
    table.hover()
    expect(page.get_by_role("button", name="Search", exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Download as CSV"))).to_have_count(0)
    section(page, "Decide", "Subgroups")
    for name in (NAMES[0], NAMES[6]):
        choose(page, "Column", name)
        inspect(page, f"subgroups by {name}")


@pytest.mark.thorough
def test_every_page_shows_a_hostile_file_and_reads_nothing_of_it(server, page):
    open_hostile(page, server)
    every_tab(page, "per-instance")
    navigate(page, "Your data", "Privacy map")
    every_tab(page, "map")
    navigate(page, "Your data", "Private training")
    choose(page, "Where the data come from", "Sample or upload")
    every_tab(page, "training")
    choose(page, "Loss", "Logistic")  # an error: the target has more than two values
    expect(page.get_by_test_id("stAlertContentError").first).to_be_visible()
    inspect(page, "training, refused")
    navigate(page, "Sources", "Noise augmentation")
    choose(page, "View", "Rows")
    choose(page, "Data", "Sample or upload")
    inspect(page, "augmentation")
    every_tab(page, "augmentation")
    navigate(page, "Understand", "Output perturbation")
    every_tab(page, "output perturbation")
    navigate(page, "Verify", "Audit")
    for subject in ("Rows of data, one by one (pDP)", "A learner, on data"):
        choose(page, "What is attacked", subject)
        every_tab(page, f"audit of {subject}")


@pytest.mark.thorough
def test_any_text_is_shown_letter_by_letter(page, tmp_path):
    """Random texts of punctuation, marks and addresses: what is on screen is the text on one line, in no element of its own."""
    server = Server(tmp_path / "server.log", "tests/browser/letters.py")
    try:
        page.goto(server.url)
        settled(page)
        shown = page.get_by_test_id("stMarkdownContainer").evaluate_all(
            "nodes => nodes.map(node => [node.textContent, [...node.querySelectorAll('*')].map(one => one.tagName).join()])"
        )
    finally:
        server.stop()
    wanted = [" ".join(visible(text).split()) for text in texts()]
    for text, (got, tags) in zip(wanted, shown, strict=False):
        assert " ".join(got.replace("\u200b", "").split()) == text
        assert tags in ("P", ""), (text, tags)
    assert len(shown) >= len(wanted)
