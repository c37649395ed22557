"""Pages by their folders, for the navigation and for links."""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from pages.components import say


def _run(page: str) -> None:
    import_module(f"pages.{page.replace('/', '.')}.page").PAGE.open()


def route(page: str, title: str = "") -> Any:
    """Streamlit's page for a folder below pages/; the name of the folder is its address."""
    name = page.rpartition("/")[2]
    return st.Page(partial(_run, page), title=title or name, url_path=name, default=name == "home")


def page_link(page: str, label: str, query_params: Mapping[str, str] | None = None) -> None:
    """A link to a page of the app."""
    say.page_link(route(page), label=label, query_params=query_params)


def open_page(page: str, query_params: Mapping[str, str]) -> None:
    """Open another page of the app in the state of these parameters."""
    st.switch_page(route(page), query_params=dict(query_params))
