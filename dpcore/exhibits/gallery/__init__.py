"""Every figure and table of the sources: drawn again, compared with what is printed, with a computed verdict.

The words of an exhibit are a table in the TOML file of its source. A function of one of the modules computes it.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from dpcore.errors import DataError
from dpcore.exhibits.gallery.exhibit import Drawing, Exhibit, Finding, Judgement, Shown, Stroke, Verdict
from dpcore.records import from_table, refuse_unknown, tables

PAPERS = {
    "redberg-koskela-wang-2023": "Objective perturbation",
    "wang-2019": "Per-instance privacy",
    "li-liu-napp": "Noise augmentation",
}
WITHOUT_FIGURES = ("lecture-10", "lecture-12")
_FOLDER = Path(__file__).parent
_CALLS = ("make", "printed", "given")


def read_exhibits(source: str, folder: Path = _FOLDER) -> Iterator[Exhibit]:
    """The exhibits of one source, in the order of its file.

    An exhibit can be `like` another one above it in the file. It then has all entries of the other one that it does not
    state itself. Tables (settings, state and arguments) are merged entry by entry. An assumption is a sentence, or the
    name of a sentence in the table `sentences` of the file.
    """
    path = folder / f"{source}.toml"
    found = tables(path, ("sentences", "exhibit"))
    whole: dict[str, Mapping[str, Any]] = {}
    for key, own in found["exhibit"].items():
        place, like = f"{path.name}, {key}", own.pop("like", None)
        if like is not None:
            refuse_unknown(f"{place}, like", [like], whole)
            own = {name: _joined(whole[like].get(name), value) for name, value in own.items()}
        whole[key] = given = {**whole.get(like, {}), **own}
        said = [found["sentences"].get(one, one) for one in given.get("assumptions", ())]
        called = {name: _called(f"{place}, {name}", given[name]) for name in _CALLS if name in given}
        yield from_table(Exhibit, {**given, **called, "key": key, "source": source, "assumptions": said}, place)


def _joined(base: Any, own: Any) -> Any:
    """A table merged into the same table of another exhibit; a table with its own `call` replaces it."""
    return base | own if isinstance(base, dict) and isinstance(own, dict) and "call" not in own else own


def _called(place: str, given: Mapping[str, Any]) -> partial[Shown]:
    """The function `module.function` of this folder, bound to its arguments."""
    module, _, name = given.get("call", "").partition(".")
    if not name or not (_FOLDER / f"{module}.py").is_file():
        raise DataError(f"{place}: call names a function as module.function, got {given.get('call')!r}")
    function = getattr(import_module(f"{__name__}.{module}"), name, None)
    if function is None:
        raise DataError(f"{place}: there is no function {name} in {module}")
    arguments = {
        one: tuple(value) if isinstance(value, list) else value for one, value in given.items() if one != "call"
    }
    refuse_unknown(place, arguments, signature(function).parameters)
    return partial(function, **arguments)


EXHIBITS = {one.key: one for source in PAPERS for one in read_exhibits(source)}


def shown_of(key: str) -> Shown:
    """The computed figure of the exhibit with this key."""
    return EXHIBITS[key].make()
