"""The gallery as files: each figure as HTML and SVG, its data, the program that computes it, and one manifest."""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dpcore import __version__
from dpcore.data import safe_csv
from dpcore.data.names import quoted
from dpcore.errors import DataError, ParameterError
from dpcore.exhibits.gallery import EXHIBITS, WITHOUT_FIGURES, Exhibit, Shown
from dpcore.exhibits.gallery.figure import page_of, plotly_library, still_picture
from dpcore.references import REFERENCES

MANIFEST = "manifest.json"
_LIBRARIES = ("numpy", "scipy", "pandas", "plotly", "numba", "scikit-learn")


def run_figures(chosen: argparse.Namespace) -> int:
    """Write the gallery into a new folder; if one figure fails, nothing is written."""
    exhibits = _with_files(_wanted(chosen.only), {"adult": chosen.adult, "gisette": chosen.gisette})
    out = _new_folder(chosen.out)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as made:
        manifest = write_gallery(Path(made), exhibits, None if chosen.quiet else _say)
        out.mkdir(exist_ok=True)
        for path in Path(made).iterdir():
            shutil.move(path, out / path.name)
    verdicts = [entry["verdict"] for entry in manifest["figures"]]
    counted = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(sorted(verdicts)))
    print(f"wrote {len(verdicts)} figures and tables to {chosen.out}: {counted}")
    return 0


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _wanted(only: Sequence[str] | None) -> list[Exhibit]:
    unknown = [key for key in only or () if key not in EXHIBITS]
    if unknown:
        raise ParameterError(
            f"--only {quoted(unknown[0])} is no figure of the gallery; known are {', '.join(EXHIBITS)}"
        )
    return [one for key, one in EXHIBITS.items() if not only or key in only]


def _with_files(exhibits: list[Exhibit], files: Mapping[str, Sequence[str] | None]) -> list[Exhibit]:
    """The exhibits; those that need data of the user get the files. A missing file raises an error at once."""
    for name, paths in files.items():
        for path in paths or ():
            if not os.path.isfile(path):
                raise DataError(f"--{name}: there is no file {quoted(path, 120)}; give the name of a file that exists")
    return [one.with_files(tuple(given)) if (given := files.get(one.needs)) else one for one in exhibits]


def _new_folder(path: str) -> Path:
    out, shown = Path(os.path.realpath(path)), f"--out {quoted(path, 120)}"
    if out.is_dir() and any(out.iterdir()):
        raise ParameterError(f"{shown} is a folder that holds files; give a new or an empty one")
    if out.exists() and not out.is_dir():
        raise ParameterError(f"{shown} is a file; give the name of a folder")
    if not out.parent.is_dir():
        raise ParameterError(f"there is no folder {quoted(out.parent, 120)} for --out; make it first")
    if not os.access(out if out.is_dir() else out.parent, os.W_OK):
        raise ParameterError(f"{shown} cannot be written there: permission denied; give another folder")
    return out


def write_gallery(
    folder: Path, exhibits: Sequence[Exhibit], progress: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """Compute the exhibits and write their files and a manifest into a folder; returns the manifest.

    Parameters
    ----------
    folder : an existing folder
    exhibits : what to write
    progress : called with a line of text before each exhibit
    """
    entries = []
    for place, exhibit in enumerate(exhibits, 1):
        if progress is not None:
            progress(
                f"{place}/{len(exhibits)} {exhibit.key}"
                + (f", about {exhibit.seconds:.0f} s" if exhibit.is_slow else "")
            )
        entries.append(_written(folder, exhibit, exhibit.make()))
    manifest = {
        "dpcore": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in _LIBRARIES},
        "without figures": [REFERENCES[key].text for key in WITHOUT_FIGURES],
        "still pictures": "SVG, drawn by dpcore.exhibits.gallery.figure.still_picture from the same data",
        "figures": entries,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    return manifest


def _written(folder: Path, exhibit: Exhibit, shown: Shown) -> dict[str, Any]:
    verdict = exhibit.verdict(shown)
    files = {}
    if shown.drawing.strokes:
        files["html"], files["svg"] = page_of(shown.drawing), still_picture(shown.drawing, "light")
        files["csv"] = safe_csv(shown.drawing.frame()).decode("utf-8")
    files["py"] = exhibit.program() + "\n"
    for ending, text in files.items():
        (folder / f"{exhibit.key}.{ending}").write_text(text, encoding="utf-8")
    library = folder / "plotly.min.js"  # written once, beside the pages that load it
    if "html" in files and not library.exists():
        library.write_text(plotly_library(), encoding="utf-8")
    return {
        "key": exhibit.key, "source": REFERENCES[exhibit.source].text, "number": exhibit.number, "caption": exhibit.caption,
        "printed settings": {name: str(value) for name, value in exhibit.settings.items()}, "assumptions": list(exhibit.assumptions),
        "parameters": exhibit.parameters(), "seed": exhibit.seed, "verdict": verdict.judgement.value, "reason": verdict.reason,
        "checks": [{"printed": check.what, "holds": check.holds, "computed": check.evidence} for check in shown.checks],
        "files": [f"{exhibit.key}.{ending}" for ending in files],
        "page": exhibit.page, "state": {name: str(value) for name, value in exhibit.state.items()},
    }  # fmt: skip
