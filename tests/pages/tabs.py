"""A page of the app, run without a browser; a page is named by its folder below pages/."""

import ast
import asyncio
import builtins
import json
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import dpcore

ROOT = Path(__file__).parents[2]
CHOICES = ("selectbox", "multiselect", "toggle", "text_input", "number_input")
# Every new page of the test kit would read again what each installed package says of itself: a quarter of its time.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def _sound(run: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """A run of the test kit, which only notes what the script raises, as one that fails then."""

    def sound(app: AppTest, *asked: Any, **options: Any) -> AppTest:
        run(app, *asked, **options)
        assert not app.exception, app.exception
        return app

    return sound


AppTest._run = _sound(AppTest._run)  # nothing that is done to any page may raise


def examples(page: str) -> dict[str, dict[str, Any]]:
    """What each of a page's examples sets, by its name."""
    return {name: one.state for name, one in import_module(f"pages.{page.replace('/', '.')}.page").PAGE.presets.items()}


def at(page: str) -> AppTest:
    """The app, about to open this page; it has not run."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app._page_hash = calc_hash(Path(page).name)  # before its first run a script's name is taken for its address
    return app


def switch(app: AppTest, page: str) -> AppTest:
    """The app, on another page of the same session."""
    app._page_hash = calc_hash(Path(page).name)
    return app.run()


def run(page: str, *, link: dict[str, str] | None = None, **state) -> AppTest:
    """The page after one run with these widget values, opened by a link that asks for this."""
    app = at(page)
    for key, value in (link or {}).items():
        app.query_params[key] = value
    for key, value in state.items():
        app.session_state[key] = value
    return app.run()


def opened(page: str, tab_key: str, tab: str, **state) -> AppTest:
    """The page after one run with this tab and these widget values."""
    return run(page, **{tab_key: tab, **state})


def awaited(call: Callable[..., Coroutine[Any, Any, Any]], *given: Any) -> Any:
    """What a coroutine gives, run elsewhere: a browser may hold this thread's event loop."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(lambda: asyncio.run(call(*given))).result()


def places(app: AppTest, key: str) -> dict[str, dict[str, str]]:
    """What opens each tab of a row of tabs, and each section of one, by title."""
    found = {one.label: {key: one.label} for one in app.tabs}
    for group in app.get("button_group"):
        tab = str(group.key).removeprefix(f"{key}_")
        if tab in found and tab != group.key:
            found |= {option.content: {key: tab, group.key: option.content} for option in group.proto.options}
    return found


def open_tab(app: AppTest, key: str, title: str) -> AppTest:
    """The page with another of its tabs, or of their sections, open."""
    for name, value in places(app, key)[title].items():
        app.session_state[name] = app.query_params[name] = value
    return app.run()


def said(app: AppTest, kind: str = "markdown") -> str:
    """All of its prose, or its captions, infos, errors or warnings."""
    return " ".join(item.value for item in app.get(kind))


def library(mechanism: Any, sample: str = "diabetes", **options: Any) -> Any:
    """What the library says of the rows of a sample at the page's δ."""
    return dpcore.individual_privacy(dpcore.load_sample(sample), mechanism, delta=1e-6, **options)


def cards(app: AppTest) -> dict[str, str]:
    """What its cards show, by their labels."""
    return {one.label: one.value for one in app.metric}


def on_cards(app: AppTest) -> list[str]:
    """What its cards show, in their order."""
    return [one.value for one in app.metric]


def table_with(app: AppTest, column: str) -> pd.DataFrame:
    """The first of its tables that has this column."""
    return next(one.value for one in app.dataframe if column in one.value)


def figure_in(app: AppTest, chart: int = 0) -> dict[str, Any]:
    """One of its charts as Plotly is told of it."""
    return json.loads(app.get("plotly_chart")[chart].proto.spec)


def press(app: AppTest, label: str) -> AppTest:
    """The page after a click on the button that says this."""
    return next(one for one in app.button if one.label == label).click().run(timeout=120)


def box(app: AppTest, label: str) -> Any:
    """The control that is called this."""
    return next(one for kind in CHOICES for one in app.get(kind) if one.label == label)


def uploaded(page: str, name: str, content: str | bytes, **state: Any) -> AppTest:
    """A page of the reader's own data, given this file."""
    data = content.encode() if isinstance(content, str) else content
    return run(page, source="upload", **state).file_uploader[0].set_value((name, data, "text/csv")).run(timeout=120)


def code(app: AppTest) -> ast.Module:
    """The lines of Python that the page shows: they import dpcore whole, what they ask of it is there, nothing is printed."""
    shown = ast.parse(app.code[0].value)
    assert "print(" not in app.code[0].value
    imports = [ast.unparse(node) for node in ast.walk(shown) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert imports == ["import dpcore as dp"]
    for name in re.findall(r"(?<=\bdp\.)[\w.]+", ast.unparse(shown)):
        attrgetter(name)(dpcore)
    names = [node for node in ast.walk(shown) if isinstance(node, ast.Name)]
    known = {node.id for node in names if isinstance(node.ctx, ast.Store)} | {"dp", *dir(builtins)}
    assert {node.id for node in names} <= known | {"dataset"}  # the data may be the reader's
    return shown


def program(app: AppTest, **given: Any) -> tuple[list[Any], dict[str, Any]]:
    """What the lines that the page shows say, one value for each that says something, and the names they leave behind."""
    names: dict[str, Any] = dict(given)
    said = []
    for line in code(app).body:
        if isinstance(line, ast.Expr):
            said.append(eval(compile(ast.Expression(line.value), "the code shown", "eval"), names))
        else:
            exec(compile(ast.Module([line], []), "the code shown", "exec"), names)
    return said, names
