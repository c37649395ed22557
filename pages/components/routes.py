"""From the folder of a page to the page: what the navigation lists and what links lead to."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from pages.components import say


def _run(page: str) -> None:
    import_module(f"pages.{page.replace('/', '.')}.page").PAGE.open()


def route(page: str, title: str = "") -> Any:
    """A page, named by its folder below pages/, as Streamlit knows it; the folder's own name is its address."""
    name = page.rpartition("/")[2]
    return st.Page(partial(_run, page), title=title or name, url_path=name, default=name == "home")


def page_link(page: str, label: str, query_params: Mapping[str, str] | None = None) -> None:
    """A link to a page of the app."""
    say.page_link(route(page), label=label, query_params=query_params)


def open_page(page: str, query_params: Mapping[str, str]) -> None:
    """Leave for a page of the app, in the state that its link would hold."""
    st.switch_page(route(page), query_params=dict(query_params))
