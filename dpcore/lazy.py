"""Packages that import a name only when it is first used (PEP 562), so that importing the package itself is quick."""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from dpcore.extras import told


def exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, for what its `if TYPE_CHECKING:` block imports and for its submodules.

    The names are written once, where type checkers and editors read them. At run time they work like real imports:

        if TYPE_CHECKING:
            from dpcore.data.dataset import Dataset
        else:
            __getattr__, __dir__ = exports(__name__)
    """
    module = sys.modules[package]

    @cache
    def sources() -> dict[str, str]:
        import ast
        from inspect import getsource

        blocks = [node for node in ast.parse(getsource(module)).body if isinstance(node, ast.If)]
        imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
        return {alias.name: node.module or "" for node in imports for alias in node.names}

    def attribute(name: str) -> Any:
        if not name.startswith("_"):
            source = sources().get(name, package)
            if source != package:
                with told():
                    value = getattr(import_module(source), name)
                setattr(module, name, value)
                return value
            if find_spec(f"{package}.{name}"):
                with told():
                    return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(module), *sources(), *(entry.name for entry in iter_modules(module.__path__))})

    return attribute, names
