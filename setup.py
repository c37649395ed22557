"""Puts the app beside the library into built distributions, so that `python -m dpcore app` starts it from anywhere."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

APP = ("app.py", "pages", "docs", ".streamlit")


class WithApp(build_py):
    """A checkout that is installed to be edited keeps the app where it is."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            place = Path(self.build_lib, "dpcore", "app")
            shutil.rmtree(place, ignore_errors=True)
            for name in APP:
                if Path(name).is_dir():
                    shutil.copytree(name, place / name, ignore=shutil.ignore_patterns("__pycache__", "images"))
                else:
                    place.mkdir(parents=True)
                    shutil.copy(name, place)


setup(cmdclass={"build_py": WithApp})
