"""Which small faults are possible: cosmic-ray's operators, one variant drawn at every site that computes something."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).resolve().parents[2]
_ARITHMETIC = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Pow_Mul", "FloorDiv_Mul", "Mod_Add")
_COMPARISONS = (
    *("Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"),
    *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
)
_OTHERS = (
    *("NumberReplacer", "AddNot", "ZeroIterationForLoop", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not"),
)
_OPPOSITES = (
    *(("min", "max"), ("minimum", "maximum"), ("fmin", "fmax"), ("argmin", "argmax"), ("any", "all")),
    *(("log", "log1p"), ("exp", "expm1"), ("ceil", "floor")),
)
_SWAPS = dict(_OPPOSITES) | {other: one for one, other in _OPPOSITES}
_WORDS = {"Card", "Caveat", "Formula", "ParameterError", "DataError", "ReproducibilityError", "warn"}


class SwapCalls(Operator):
    """Replaces a function by its opposite or its neighbour: min by max, any by all, log by log1p."""

    def mutation_positions(self, node):
        if isinstance(node, parso.python.tree.Name) and node.value in _SWAPS and node.get_next_leaf() == "(":
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        return parso.python.tree.Name(_SWAPS[node.value], node.start_pos, node.prefix)

    @classmethod
    def examples(cls):
        return ()


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    source: str

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.operator}: {self.before}  ->  {self.after}"


def _operators() -> Iterator[tuple[str, Operator]]:
    names = [*_OTHERS, *(f"ReplaceBinaryOperator_{swap}" for swap in _ARITHMETIC)]
    for name in [*names, *(f"ReplaceComparisonOperator_{swap}" for swap in _COMPARISONS)]:
        yield name, get_operator(f"core/{name}")()
    yield "SwapCalls", SwapCalls()


def _spans(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where nothing is computed: annotations, raised errors, messages, cards, strings."""
    silent: list[ast.AST] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _WORDS
        ):
            silent.append(node)
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            silent.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            silent += [*node.decorator_list, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.ClassDef):
            silent += node.decorator_list
    return [((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in silent]


def _sites(path: Path) -> Iterator[tuple[tuple[int, int], str, Operator, int]]:
    source = path.read_text(encoding="utf-8")
    silent = _spans(source)
    nodes = list(ast_nodes(get_ast(source)))
    for name, operator in _operators():
        positions = [position for node in nodes for position in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            marker = source.splitlines()[start[0] - 1][start[1] :].startswith(("*,", "*)"))  # of a signature
            if not marker and not any(low <= start < high for low, high in silent):
                yield start, name, operator, occurrence


def _made(path: Path, start: tuple[int, int], name: str, operator: Operator, occurrence: int) -> Mutant | None:
    source = path.read_text(encoding="utf-8")
    changed = mutate_code(source, operator, occurrence)
    try:
        if changed is None or ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
            return None
    except SyntaxError:
        return None
    before, after = source.splitlines()[start[0] - 1].strip(), changed.splitlines()[start[0] - 1].strip()
    return Mutant(str(path.relative_to(ROOT)), *start, name, before, after, changed)


def sample(folders: list[str], size: int, seed: int) -> list[Mutant]:
    """`size` mutants: sites drawn evenly over all lines of the folders, one variant drawn for each."""
    draw = random.Random(seed)
    sites: dict[tuple[Path, tuple[int, int]], list] = {}
    for path in sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        for start, name, operator, occurrence in _sites(path):
            sites.setdefault((path, start), []).append((name, operator, occurrence))
    order = sorted(sites)
    draw.shuffle(order)
    found: list[Mutant] = []
    for path, start in order:
        if len(found) == size:
            break
        if mutant := _made(path, start, *draw.choice(sites[path, start])):
            found.append(mutant)
    return found
