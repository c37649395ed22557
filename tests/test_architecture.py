"""The shape of the house, enforced on whatever files exist: who may import whom, and how large a room may grow."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import every

ROOT = Path(__file__).resolve().parent.parent
LAYERS = (
    ("errors",),
    ("extras",),
    ("lazy",),
    ("records",),
    ("validation", "numerics", "references"),
    ("profiles",),
    ("data",),
    ("glm", "sampling"),
    ("mechanisms",),
    ("accountants",),
    ("calibration",),
    ("runs",),
    ("learners", "individual"),
    ("decisions",),
    ("sklearn", "audit"),
    ("errata",),
    ("statements", "figures"),
    ("exhibits",),
    ("interfaces",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
RESULT_TYPES = {"lazy", "errors", "references", "profiles", "individual", "learners", "audit", "errata", "exhibits"}
NAMES = {f"dpcore.data.names{name}" for name in ("", ".display_name", ".grouped", ".in_words")}  # how text is written
ARRAY_TOOLS = {
    "ndarray", "array", "array_equal", "asarray", "frombuffer", "concatenate", "column_stack", "isfinite", "nan", "inf",
    "where",
}  # fmt: skip
CURVE_METHODS = {"delta", "log_delta", "epsilon", "tradeoff", "renyi", "fit", "solve"}
SILENT = {  # what pages take from streamlit themselves: it shows no text, or shows it letter by letter (code)
    "Page", "cache_data", "cache_resource", "code", "columns", "container", "context", "divider", "empty", "fragment",
    "navigation", "query_params", "rerun", "session_state", "set_page_config", "sidebar", "stop",
    "switch_page",
}  # fmt: skip
SPEAKING = {
    "pages/components/export.py": {"plotly_chart", "iframe"},  # figures, whose words pass through dpcore.figures.theme
    "pages/components/drawing.py": {"components"},  # our own component, which writes textContent
    "pages/components/unseen.py": {"components"},  # our own components, which show nothing
}
# Formula cards and documents, records of errata, lessons: written in this repository.
OWN_PROSE = {"pages/components/cards.py", "pages/sources/errata/views.py", "pages/understand/learn/words.py"}
INTERFACES = {"streamlit", "plotly", "matplotlib"}
HEAVY = {"pandas", "pyarrow", "sklearn", "numba", "scipy.signal", "scipy.stats"}  # imported when they are first used
TABLES = {
    "Table", "load_csv", "load_sample", "make_dataset", "read_ranges", "read_sample", "read_table", "stream_privacy",
    "write_ranges", "target_kind", "cluster_privacy", "find_rows", "exposing_cells", "subgroups", "advise", "advise_all", "propose",
}  # fmt: skip
SEVERAL = {  # what every module of a kind has, with one meaning
    "main",  # of `python -m`
    "ENTRY", "LOSS",  # what this module adds to its registry
    "COLORS",  # of the names in this module's figures
}  # fmt: skip
DISTRIBUTIONS = {"scikit-learn": {"sklearn"}, "numba": {"numba", "llvmlite"}, "pyyaml": {"yaml"}}

CORE = sorted((ROOT / "dpcore").rglob("*.py"))
FIGURES = [path for path in CORE if path.parent.name == "figures" or path.stem.split("_")[-1] == "figure"]
PAGES = sorted((ROOT / "pages").rglob("*.py"))
GROUPS = ("understand", "your_data", "sources", "verify")
SHOWING = ("main", "steps")  # of the server's modules; the others never write on a page
SERVING = [ROOT / "app.py", *(path for path in PAGES if path.parent.name == "server" and path.stem not in SHOWING)]
COMPONENTS = [path for path in PAGES if path.parent.name == "components" and path.name != "__init__.py"]
SCRIPTS = [path for path in PAGES if path.name == "page.py" and path.parent.name != "components"]
APP = [*PAGES, ROOT / "app.py"]
SAY = ROOT / "pages" / "components" / "say.py"


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def each(paths: list[Path]):
    return every.each(paths, place)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def imported(parts: Iterable[ast.AST]) -> set[str]:
    """Dotted names of everything that these parts of a file import, `from a import b` counting as a and a.b."""
    found = set()
    for node in parts:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@cache
def imported_modules(path: Path) -> set[str]:
    """What is imported anywhere in the file."""
    return imported(nodes(path))


def imported_when_run(path: Path) -> set[str]:
    """What is imported, without what only the type checker reads."""
    run = [
        part for part in tree(path).body if not (isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING")
    ]
    return imported(node for part in run for node in ast.walk(part))


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported_modules(path)}


def parts_of_dpcore(path: Path) -> set[str]:
    """Second-level names of dpcore that the file imports."""
    names = {name.split(".")[1] for name in imported_modules(path) if name.startswith("dpcore.")}
    return {name for name in names if (ROOT / "dpcore" / name).is_dir() or (ROOT / "dpcore" / f"{name}.py").exists()}


@cache
def attributes(path: Path) -> set[str]:
    """Every dotted name a.b.c that occurs in the file."""
    return {ast.unparse(node) for node in nodes(path) if isinstance(node, ast.Attribute)}


def calls(module: ast.Module) -> list[ast.Call]:
    return [node for node in ast.walk(module) if isinstance(node, ast.Call)]


def own_part(path: Path) -> str:
    inside = path.relative_to(ROOT / "dpcore")
    return inside.parts[0].removesuffix(".py")


@each(CORE)
def test_imports_point_downwards(path):
    own = own_part(path)
    if own == "__init__":
        return
    for other in parts_of_dpcore(path) - {own}:
        assert RANK[other] < RANK[own], f"{own} must not import {other}"


FOLDERS = sorted({path.parent for path in [*CORE, *PAGES]})


@each(FOLDERS)
def test_nothing_in_a_folder_runs_in_circles(folder):
    """What lies in one folder, files and folders, can be read in some order: each after what it imports."""
    own = ".".join(folder.relative_to(ROOT).parts) + "."
    children = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()} - {"__init__"}
    needs = {child: set() for child in children}
    for path in (path for path in [*CORE, *PAGES] if folder in path.parents and path != folder / "__init__.py"):
        child = path.relative_to(folder).parts[0].removesuffix(".py")
        names = {name.removeprefix(own).split(".")[0] for name in imported_when_run(path) if name.startswith(own)}
        needs[child] |= (names & children) - {child}
    try:
        list(TopologicalSorter(needs).static_order())
    except CycleError as circle:
        raise AssertionError(f"{' → '.join(circle.args[1])} in {folder}") from None


@each(CORE)
def test_dpcore_imports_only_what_is_declared(path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = project["dependencies"] + extras["fast"] + extras["data"] + extras["app"]
    names = {entry.split(">")[0].split("<")[0].split("=")[0].strip() for entry in declared}
    names = set().union(*(DISTRIBUTIONS.get(name, {name}) for name in names)) - {"streamlit"}
    if path not in FIGURES:
        names -= {"plotly"}
    foreign = packages(path) - set(sys.stdlib_module_names) - {"dpcore"}
    assert foreign <= names, f"{foreign - names} must not be imported here"


def defined(node: ast.stmt) -> list[str]:
    """Names that a statement of a module gives to a class, a function, a type or a constant."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    named = [name for target in targets for name in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [name.id for name in named if isinstance(name, ast.Name)]


def test_a_public_name_is_given_once():
    """One meaning for each class, function and constant of dpcore, wherever it is imported from."""
    places = {}
    for path in CORE:
        for name in {name for node in tree(path).body for name in defined(node) if not name.startswith("_")}:
            places.setdefault(name, []).append(place(path))
    given = {name for name, where in places.items() if len(where) > 1}
    assert not {name: places[name] for name in given - SEVERAL}
    assert given >= SEVERAL, "an exception that nothing needs"


def test_a_function_does_not_hide_the_module_of_its_name():
    for package in [path.parent for path in CORE if path.name == "__init__.py"]:
        exported = {alias.asname or alias.name for node in nodes(package / "__init__.py")
                    if isinstance(node, ast.ImportFrom) and node.module != place(package).replace("/", ".")
                    for alias in node.names}  # fmt: skip
        assert not exported & {path.stem for path in package.iterdir()}, package


@cache
def kinds() -> set[str]:
    """Classes that are one of several: they have a parent in dpcore or in the same page, or are a page's own."""
    found = {node.name: node for path in (*CORE, *PAGES) for node in tree(path).body if isinstance(node, ast.ClassDef)}
    parents = {name: {ast.unparse(base).split("[")[0] for base in node.bases} for name, node in found.items()}
    of_pages = {node.name for path in PAGES for node in tree(path).body if isinstance(node, ast.ClassDef)}
    errors = {name for name in found if name.endswith("Error")}
    return ({name for name in found if parents[name] & set(found)} | of_pages) - {"Markdown"} - errors


def takes_class(node: ast.AST) -> bool:
    """Whether a node is `type(…)` of something else than self."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "type" and ast.unparse(node.args[0]) != "self"


def asked_for(module: ast.AST) -> set[str]:
    """Classes that an instance is compared with, but for a class's own within it; type() where a class itself is looked at.

    A name of a class (`type(x).__name__`) and what a class knows (`type(x).method()`) tell no kinds apart.
    """
    found: set[str] = set()
    left = [(module, frozenset[str]())]
    while left:
        node, inside = left.pop()
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.ClassDef):
            inside |= {node.name}
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"isinstance", "issubclass"}:
            found |= {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)} - inside
        if takes_class(node) or getattr(node, "attr", "") == "__class__":
            found |= {"type()"}
        if isinstance(node, ast.Attribute) and takes_class(node.value):
            children = node.value.args
        if (
            isinstance(node, ast.Compare)
            and takes_class(node.left)
            and isinstance(node.comparators[0], (ast.Name, ast.Attribute))
        ):
            found |= {ast.unparse(node.comparators[0])} - inside
            children = node.left.args
        if isinstance(node, ast.MatchClass):
            found |= {ast.unparse(node.cls)} - inside
        left += [(child, inside) for child in children]
    return found


@each([*CORE, *APP])
def test_nobody_asks_a_thing_for_its_kind(path):
    """What is known of one kind it says itself: pair, with_noise, dominating, is_slow, inverse_temperature, …"""
    assert not asked_for(tree(path)) & (kinds() | {"type()"})


def test_kinds_are_those_that_differ():
    assert {"Gaussian", "PosteriorSampling", "ComposedCurve", "FromEpsilon", "GaussianNoise", "Squared"} <= kinds()
    assert not {"PrivacyProfile", "GlmRelease", "Noise", "Loss", "Problem", "Dataset"} & kinds()


def test_one_quadrature_rule():
    own = [path for path in CORE if "leggauss" in path.read_text(encoding="utf-8")]
    assert own == [ROOT / "dpcore" / "numerics.py"], "numerics.gauss_legendre and panel_rule are for everybody"


@each(CORE)
def test_modules_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@each(FIGURES)
def test_figures_compute_nothing(path):
    assert {name for name in imported_modules(path) if name.startswith("dpcore.data")} <= NAMES
    assert parts_of_dpcore(path) <= RESULT_TYPES | {"figures", "data"}
    assert packages(path) <= set(sys.stdlib_module_names) | {"dpcore", "plotly", "numpy"}
    used = {name.split(".")[1] for name in attributes(path) if name.startswith("np.")}
    assert used <= ARRAY_TOOLS, f"{used - ARRAY_TOOLS} of numpy computes"
    assert not {getattr(call.func, "attr", "") for call in calls(tree(path))} & CURVE_METHODS


def _unescaped(node: ast.AST) -> list[str]:
    """Values in an expression that are shown as text without `plain`: not a constant, a number with a format, a test."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "plain":
        return []
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        return []
    if isinstance(node, (ast.Name, ast.Attribute)):
        return [] if ast.unparse(node) == "hover" else [ast.unparse(node)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [name for part in (node.func.value, *node.args) for name in _unescaped(part)]
    if isinstance(node, ast.IfExp):
        return _unescaped(node.body) + _unescaped(node.orelse)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _unescaped(node.elt)
    return [name for child in ast.iter_child_nodes(node) for name in _unescaped(child)]


@each(FIGURES)
def test_figures_show_names_letter_by_letter(path):
    """Plotly reads HTML and hover templates in every text: what comes from outside goes through theme.plain."""
    shown = {"name", "text", "title_text", "hovertext", "hovertemplate", "ticktext", "unifiedhovertitle_text", "title"}
    for node in nodes(path):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "attr", "") in shown:
            assert not _unescaped(node.value), f"line {node.lineno}: {_unescaped(node.value)}"
    for call in calls(tree(path)):
        for keyword in call.keywords:
            assert keyword.arg != "hover" or isinstance(keyword.value, ast.Constant), (
                f"line {call.lineno}: a hover template"
            )
        if not isinstance(call.func, ast.Attribute) or "fig" not in ast.unparse(call.func):
            continue
        texts = [keyword.value for keyword in call.keywords if keyword.arg in shown]
        for keyword in call.keywords:
            for node in ast.walk(keyword.value):
                if isinstance(node, ast.Dict):
                    texts += [
                        v for k, v in zip(node.keys, node.values, strict=True) if getattr(k, "value", 0) == "text"
                    ]
        for text in texts:
            assert not _unescaped(text), f"line {text.lineno}: {_unescaped(text)}"


@each(APP)
def test_pages_leave_the_numbers_to_dpcore(path):
    assert not packages(path) & {"numpy", "scipy", "sklearn"}


def folder(path: Path) -> str:
    """The folder of pages/ that a module belongs to, dotted: a page's own (understand.home), components or server."""
    return ".".join(path.relative_to(ROOT / "pages").parts[:-1])


def parts_of_pages(path: Path) -> set[Path]:
    """Modules of pages that the file imports."""
    names = {name for name in imported_modules(path) if name.startswith("pages.")}
    return {ROOT / f"{name.replace('.', '/')}.py" for name in names} & set(PAGES)


@each(PAGES)
def test_pages_never_import_each_other(path):
    for other in parts_of_pages(path):
        assert folder(other) in {folder(path), "components", "server"}, f"{other.relative_to(ROOT)} is another page's"


def test_every_page_is_a_folder_of_its_own():
    pages = {path.parent for path in SCRIPTS}
    assert {path.parent for path in PAGES} == pages | {ROOT / "pages" / "components", ROOT / "pages" / "server"}
    assert {path.parent for path in pages} == {ROOT / "pages" / group for group in GROUPS}


def test_navigation_leads_to_every_page():
    (listed,) = (
        ast.literal_eval(node.value)
        for node in tree(ROOT / "pages" / "server" / "main.py").body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NAVIGATION"
    )
    found = [f"{group.lower().replace(' ', '_')}/{page}" for group, pages in listed.items() for page in pages]
    assert sorted(found) == sorted(path.parent.relative_to(ROOT / "pages").as_posix() for path in SCRIPTS)


@each(COMPONENTS)
def test_a_component_serves_several_pages(path):
    """Itself or through other components; what one page alone needs stands in that page's folder."""
    serving, found = {path}, 0
    while len(serving) > found:
        found = len(serving)
        serving |= {other for other in COMPONENTS if parts_of_pages(other) & serving}
    pages = {folder(other) for other in PAGES if parts_of_pages(other) & serving} - {"components"}
    assert len(pages) >= 2, f"{pages or 'no page'} alone needs it"


@each(SCRIPTS)
def test_page_scripts_are_thin(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


@each(PAGES)
def test_modules_of_pages_are_moderate(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250


def test_tests_of_pages_stand_where_the_pages_do():
    """tests/pages/<group>/test_<page or part of one>.py; tests in tests/pages itself are of several pages."""
    for path in (ROOT / "tests" / "pages").glob("*/test_*.py"):
        group = ROOT / "pages" / path.parent.name
        assert path.stem.removeprefix("test_") in {other.stem for other in group.rglob("*")}, path


@each(APP)
def test_one_place_for_caches(path):
    caches = {name for name in attributes(path) | imported_modules(path) if ".cache_" in name}
    assert not caches or path == ROOT / "pages" / "components" / "cache.py"


@each([path for path in APP if path != SAY and path not in SERVING])
def test_text_reaches_the_screen_through_say_alone(path):
    """Streamlit's functions that take text are called in say.py, which makes plain text literal, and nowhere else."""
    sinks = {node.args[0].value for node in calls(tree(SAY)) if ast.unparse(node.func) == "_sink"}
    assert {"markdown", "caption", "error", "metric", "selectbox", "tabs"} <= sinks
    sinks |= {"dataframe", "data_editor", "table", "write", "text", "html", "header", "toast", "badge", "popover"}
    imported = {name.split(".")[-1] for name in imported_modules(path)} - {"streamlit"}
    for node in nodes(path):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "st":
            assert node.attr in SILENT | SPEAKING.get(place(path), set()), f"line {node.lineno}: st.{node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in sinks:
            assert ast.unparse(node.func.value) in imported, f"line {node.lineno}: {ast.unparse(node.func)}"
        if isinstance(node, ast.alias) and node.name.split(".")[0] == "streamlit":
            assert (node.name, node.asname) == ("streamlit", "st")
        assert not (isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "streamlit")


@each([path for path in APP if path != SAY])
def test_markdown_is_written_in_the_source(path):
    """Templates are literals; names of a file can only fill their gaps. Other Markdown comes from this repository."""
    for node in calls(tree(path)):
        name = ast.unparse(node.func).removeprefix("say.")
        if name == "md":
            template = node.args[0]
            assert isinstance(template, ast.Constant), f"line {node.lineno}: md of something that is not a literal"
            assert isinstance(template.value, str)
    used = {node.id for node in nodes(path) if isinstance(node, ast.Name)} | attributes(path)
    assert not used & {"Markdown", "say.Markdown"}
    assert not used & {"own", "say.own"} or place(path) in OWN_PROSE
    assert not used & {"display_name", "literal", "names.display_name", "names.literal"}, "say.py does that, once"


@each([path.parent for path in SCRIPTS if path.with_name("words.toml").exists()])
def test_sentences_of_a_page_are_those_it_says(folder):
    named = [
        node.args[0].value
        for path in folder.glob("*.py")
        for node in calls(tree(path))
        if ast.unparse(node.func) == "_sentence"
    ]
    assert set(named) == set(tomllib.loads((folder / "words.toml").read_text(encoding="utf-8")))


@each([path.parent for path in SCRIPTS if path.with_name("programs.toml").exists()])
def test_programs_of_a_page_are_those_it_shows(folder):
    words = {
        node.value for path in folder.glob("*.py") for node in ast.walk(tree(path)) if isinstance(node, ast.Constant)
    }
    assert words >= set(tomllib.loads((folder / "programs.toml").read_text(encoding="utf-8")))


@each(APP)
def test_nothing_unsafe_reaches_the_screen_or_the_session(path):
    assert "pickle" not in packages(path)
    keywords = {node.arg for node in nodes(path) if isinstance(node, ast.keyword)}
    assert "unsafe_allow_html" not in keywords
    called = {ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)}
    assert not called & {"eval", "exec", "st.html", "components.html", "st.components.v1.html"}


def loaded_after(code: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after some code."""
    code = f"import sys; {code}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_dpcore_loads_no_user_interface_and_nothing_heavy():
    assert not loaded_after("import dpcore") & {*INTERFACES, *HEAVY}


def test_only_tables_load_what_reads_them():
    """Profiles, learners and per-instance privacy of arrays do without tables, compilers and statistics."""
    code = (
        "import numpy as np, dpcore as dp; "
        f"[getattr(dp, name) for name in dp.__all__ if name not in {TABLES}]; "
        "data = dp.Dataset.from_arrays(np.eye(3), [1.0, -1.0, 1.0], domain=dp.Domain()); "
        "dp.individual_privacy(data, dp.PosteriorSampling(gamma=1.0, lam=1.0)).epsilon; "
        "dp.AMP(loss='logistic', epsilon=1.0, delta=1e-5).fit(data, rng=0)"
    )
    assert not loaded_after(code) & {*INTERFACES, *HEAVY}


@pytest.mark.parametrize("package", ["dpcore", "dpcore.data"])
def test_names_that_wait_are_there(package):
    """Every public name can be listed and taken, none is hidden by a module of its name, no other is there."""
    module = import_module(package)
    for name in module.__all__:
        assert name in dir(module)
        assert getattr(module, name) is not None
        assert not find_spec(f"{package}.{name}"), f"{package}.{name} is a module too"
    for name in ("dataset", "samples") if package == "dpcore.data" else ("sklearn", "audit"):
        assert getattr(module, name) is sys.modules[f"{package}.{name}"]
    assert not hasattr(module, "Datset")


def test_the_public_names_are_there_once_and_lead_everywhere():
    """`import dpcore as dp` is the only import a program needs: names of `__all__`, packages and what they hold."""
    import dpcore as dp

    assert len(set(dp.__all__)) == len(dp.__all__)
    assert set(dp.__all__) | {"audit", "errata", "learners", "exhibits"} <= set(dir(dp))
    source = (ROOT / "dpcore" / "__init__.py").read_text(encoding="utf-8")
    named = {
        alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert named - {"TYPE_CHECKING", "exports"} == set(dp.__all__)
    assert dp.exhibits.exponential_mechanism.study.line_landscape
    assert dp.learners.napp.Regularizer
    with pytest.raises(AttributeError, match="nowhere"):
        dp.nowhere  # noqa: B018


@each([path for path in CORE if path.is_relative_to(ROOT / "dpcore" / "data" / "ingest")])
def test_a_table_in_memory_knows_nothing_of_files_in_pieces(path):
    assert not {name for name in imported_modules(path) if name.startswith("dpcore.data.stream")}


def test_types_are_shipped_and_checked_without_a_blanket_ignore():
    """PEP 561's mark is in the package; CI runs the checker, which may not overlook our own code, only libraries' lack of types."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert "py.typed" in tool["setuptools"]["package-data"]["dpcore"]
    assert (ROOT / "dpcore" / "py.typed").is_file()
    assert not {"ignore_errors", "ignore_missing_imports", "disable_error_code", "exclude"} & set(tool["mypy"])
    for override in tool["mypy"]["overrides"]:
        assert set(override) == {"module", "ignore_missing_imports"}
        assert not [name for name in override["module"] if name.startswith(("dpcore", "*"))]
    assert ".venv/bin/mypy" in (ROOT / ".ci" / "run").read_text().splitlines()


def test_tables_of_words_are_shipped():
    """The patterns of pyproject.toml reach every TOML file and style sheet of the package, however deep its folder lies."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["dpcore"]
    shipped = {path for pattern in patterns for path in (ROOT / "dpcore").glob(pattern)}
    assert shipped >= {*(ROOT / "dpcore").rglob("*.toml"), *(ROOT / "dpcore").rglob("*.css")} > set()


@each(CORE)
def test_what_the_type_checker_overlooks_is_named(path):
    assert not re.findall(r"# type: ignore(?!\[[a-z-]+\])|# mypy:", path.read_text(encoding="utf-8"))
