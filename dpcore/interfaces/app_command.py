"""`python -m dpcore app`: the app, from a checkout or from an installed wheel."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from dpcore.errors import MissingLibraryError

_PACKAGE = Path(__file__).parents[1]
SCRIPTS = (_PACKAGE / "app" / "app.py", _PACKAGE.parent / "app.py")  # in a wheel, and in a checkout


def app(chosen: argparse.Namespace) -> NoReturn:
    """Become the process that serves the app.

    Raises
    ------
    MissingLibraryError
        If Streamlit is not installed.
    """
    if find_spec("streamlit") is None:
        raise MissingLibraryError("the app needs Streamlit, which is not installed: pip install 'dpcore[app]'")
    script = next(path for path in SCRIPTS if path.is_file())
    asked = [f"--server.port={chosen.port}"] if chosen.port else []
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", str(script), *asked])
