"""What a Python object prints of itself: `Name(field=1.0, other=[…])` and `name = 1.0`, read without running it."""

from __future__ import annotations

import ast
import re
from typing import Any

from dpcore.errors import DataError

_ENUM = re.compile(r"<(\w+)\.(\w+): [^<>]*>")  # what an enumeration prints of a member
CLASS, FIELDS = "class_name", "_positional"  # keys under which the name of a call and its unnamed values stand
_SCALARS = {"Array", "array", "float32", "float64", "int32", "int64"}  # numbers that print their type
_NAMES = {"inf": float("inf"), "nan": float("nan")}


def looks_like_calls(text: str) -> bool:
    """Whether text begins with a name and a bracket."""
    return re.match(r"\s*[A-Za-z_][\w.]*\(", text) is not None


def parsed_calls(text: str) -> dict[str, Any]:
    """The calls of a text under "calls" and its assignments by name; a lone call's fields stand beside them.

    Raises
    ------
    DataError
        If it is anything else than calls of names with literal values.
    """
    try:
        body = ast.parse(_ENUM.sub(r"'\2'", text.strip())).body
        found: dict[str, Any] = {"calls": [_value(part.value) for part in body if isinstance(part, ast.Expr)]}
        for part in body:
            if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                found[part.targets[0].id] = _value(part.value)
            elif not isinstance(part, ast.Expr):
                raise _refused(part)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"this begins like a printed Python object and is not one: {error}") from error
    return {**found["calls"][0], **found} if len(found["calls"]) == 1 else found


def _value(node: ast.AST) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in _SCALARS and node.args:
            return _value(node.args[0])
        named = {one.arg: _value(one.value) for one in node.keywords if one.arg}
        return {CLASS: name, FIELDS: [_value(one) for one in node.args], **named}
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(one) for one in node.elts]
    if isinstance(node, ast.Dict):
        return {_value(key): _value(one) for key, one in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.Attribute):  # a member of an enumeration
        return node.attr
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise _refused(node) from None


def _refused(node: ast.AST) -> DataError:
    return DataError(f"a printed object has names and plain values only; {ast.unparse(node)!r:.60} is neither")
