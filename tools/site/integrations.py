"""The reference of `surefoot.integrations`, read off its source: the frameworks need not be installed."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.site.links import ROOT

FOLDER = ROOT / "src" / "surefoot" / "integrations"
SHARED = "training_watch"  # what the others are made of
Documented = ast.ClassDef | ast.FunctionDef


def page() -> str:
    parts = [
        "# Integrations",
        "What `surefoot.integrations` has for each framework; [In other frameworks](../integrations.md) has examples. "
        "`options` are those of the table at the end.",
    ]
    for file in modules():
        tree = _tree(file)
        parts += [f"## surefoot.integrations.{file.stem}", ast.get_docstring(tree, clean=False) or ""]
        for one in public(tree):
            parts += [f"### {file.stem}.{one.name}", f"```python\n{_signature(one)}\n```", ast.get_docstring(one) or ""]
    return "\n\n".join([*parts, *_options()]) + "\n"


def modules() -> list[Path]:
    return sorted(file for file in FOLDER.glob("*.py") if file.stem not in ("__init__", SHARED))


def public(tree: ast.Module) -> list[Documented]:
    return [node for node in tree.body if isinstance(node, Documented) and not node.name.startswith("_")]


def undocumented() -> list[str]:
    named = [(f"{file.stem}.{one.name}", one) for file in modules() for one in public(_tree(file))]
    return [name for name, one in named if not ast.get_docstring(one)]


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _signature(one: Documented) -> str:
    function = one if isinstance(one, ast.FunctionDef) else _init(one)
    given = "" if function is None else ast.unparse(function.args)
    given = given.removeprefix("self").removeprefix(", ")
    return f"{one.name}({given})"


def _init(one: ast.ClassDef) -> ast.FunctionDef | None:
    return next((node for node in one.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"), None)


def _options() -> Iterator[str]:
    tree = _tree(FOLDER / f"{SHARED}.py")
    options = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Options")
    yield "## Options"
    yield ast.get_docstring(options) or ""
    rows = [(ast.unparse(n.target), ast.unparse(n.annotation)) for n in options.body if isinstance(n, ast.AnnAssign)]
    yield "| option | type |\n|---|---|\n" + "\n".join(f"| `{name}` | `{kind}` |" for name, kind in _escaped(rows))


def _escaped(rows: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A bar would end the cell."""
    yield from ((name, kind.replace("|", r"\|")) for name, kind in rows)
