"""No module of surefoot imports itself by way of others, not even inside a function."""

from pathlib import Path

import grimp
import pytest


def cycles(package: str) -> list[list[str]]:
    """The modules of each import cycle, by Tarjan's strongly connected components."""
    graph = grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for imported in graph.find_modules_directly_imported_by(module):
            if imported not in number:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in stack:
                lowest[module] = min(lowest[module], number[imported])
        if lowest[module] == number[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(graph.modules):
        if module not in number:
            visit(module)
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert cycles("surefoot") == []


def test_a_cycle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "ringed"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from ringed import b\n")
    (package / "b.py").write_text("def late():\n    from ringed import c\n    return c\n")
    (package / "c.py").write_text("import ringed.a\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert cycles("ringed") == [["ringed.a", "ringed.b", "ringed.c"]]
