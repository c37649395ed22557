"""Everything that can be reached from an object: what it would tell whoever it is shared with."""

from __future__ import annotations

import gc
import pickle
import pickletools
from collections.abc import Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

_CODE = (type, ModuleType, BuiltinFunctionType)  # the program itself, which knows no data
_VALUES = (bool, int, float, complex, str, bytes, bytearray, Enum, np.generic, type(None))
RANDOM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)


def leaves(thing: Any) -> dict[str, Any]:
    """Values by the way to them: attributes, items, cells of closures, bases of views, and all that the collector follows."""
    found: dict[str, Any] = {}
    seen: dict[int, Any] = {}  # keeps what it has seen alive, so that no id is used twice
    todo = [("", thing)]
    while todo:
        path, one = todo.pop()
        if isinstance(one, _VALUES + RANDOM):
            found[path] = one
        elif isinstance(one, np.ndarray):
            found[path] = (one.shape, one.tolist())
            todo.append((f"{path}.base", one.base))
        elif not isinstance(one, _CODE) and id(one) not in seen:
            seen[id(one)] = one
            todo += [(path + step, part) for step, part in _parts(one)]
    return found


def _parts(one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, Mapping):
        yield from ((f"[{key!r}]", value) for key, value in one.items())
    elif isinstance(one, list | tuple) and not hasattr(one, "__dict__"):
        yield from ((f"[{place}]", value) for place, value in enumerate(one))
    elif isinstance(one, FunctionType):
        yield from (("()", cell.cell_contents) for cell in one.__closure__ or ())
        yield from (("(=)", one.__defaults__), ("(*=)", one.__kwdefaults__), (".", vars(one)))
    else:
        named = vars(one) if hasattr(one, "__dict__") else {}
        yield from ((f".{name}", value) for name, value in named.items())
        known = {id(named), *map(id, named.values())}
        for place, part in enumerate(gc.get_referents(one)):
            if id(part) not in known:
                yield f"<{place}>", part


def written(thing: Any) -> list[Any]:
    """All that stands in the pickle of an object, in its order."""
    return [argument for _, argument, _ in pickletools.genops(pickle.dumps(thing, protocol=3))]
