"""docs/torch-internals.md lists the private names of torch that the source uses, and no others."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Private names of Python, and of packages that are wrapped where a program uses them.
OF_OTHERS = {
    "_getframe", "_shutdown", "_run_exitfuncs", "_actions", "_option_string_actions",
    "_process_function", "_batches_that_stepped", "_trainable_variables",
}  # fmt: skip


def listed() -> set[str]:
    page = (ROOT / "docs" / "torch-internals.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}


def trees() -> list[ast.Module]:
    return [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "src").rglob("*.py")]


def own_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def used_names(tree: ast.Module, own: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch"):
            yield from (full for one in node.names if is_private(full := f"{node.module}.{one.name}"))
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            full = ast.unparse(node)
            if full.startswith("torch."):
                yield full
            elif node.attr not in own:
                yield node.attr


def missing(used: set[str], names: set[str]) -> list[str]:
    """A listed module or function covers what is below it; the last part of a name is enough."""
    covered = {name for name in used if any(name == one or name.startswith(f"{one}.") for one in names)}
    tails = {name.rpartition(".")[2] for name in names}
    return sorted(name for name in used - covered if name.rpartition(".")[2] not in tails and name != "torch._C")


def test_every_private_name_of_torch_is_listed() -> None:
    parsed = trees()
    own = {name for tree in parsed for name in own_names(tree)}
    used = {name for tree in parsed for name in used_names(tree, own)} - OF_OTHERS
    assert missing(used, listed()) == []


def test_what_is_listed_is_used() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
    assert [name for name in sorted(listed()) if name.rpartition(".")[2] not in source] == []


def test_a_name_that_is_not_listed_is_found() -> None:
    tree = ast.parse(
        "import torch\nfrom torch._new import thing\ntorch._C._gone()\nnode._hidden\nself._mine = 1\nx._mine\n"
    )
    own = set(own_names(tree))
    assert missing(set(used_names(tree, own)), {"torch._C._other"}) == ["_hidden", "torch._C._gone", "torch._new.thing"]
