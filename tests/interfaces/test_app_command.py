"""`python -m dpcore app` becomes the process that serves the app."""

import sys
from pathlib import Path

import pytest

from dpcore.interfaces import app_command
from dpcore.interfaces.command import main

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("asked", "given"), [([], []), (["--port", "8600"], ["--server.port=8600"])])
def test_streamlit_runs_the_app_of_this_checkout(asked, given, monkeypatch):
    def become(path, arguments):
        assert path == arguments[0] == sys.executable
        assert arguments[1:] == ["-m", "streamlit", "run", str(ROOT / "app.py"), *given]
        raise SystemExit(0)

    monkeypatch.setattr(app_command.os, "execv", become)
    with pytest.raises(SystemExit):
        main(["app", *asked])


def test_without_streamlit_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(app_command, "find_spec", lambda name: None)
    assert main(["app"]) == 4
    assert "pip install 'dpcore[app]'" in capsys.readouterr().err
