"""Attributes that look like `requires_grad` but do nothing: on parameters, and on modules, where even that does."""

import ast
from collections.abc import Iterable

from torch import Tensor
from torch.nn import Module

from surefoot.facts import MisspellingFacts, Site
from surefoot.watch.inventory.module import named_modules, parameters_of
from surefoot.watch.source import assignments, parse

MEANT = "requiresgrad"
OTHERS = frozenset(
    {"requiresgradient", "requiresgradients", "requiregradient", "requiregradients", "needsgrad", "needgrad"}
)
FAR = 2  # letters wrong


def is_misspelled(attribute: str) -> bool:
    plain = attribute.replace("_", "").lower()
    if attribute == "requires_grad" or abs(len(plain) - len(MEANT)) > FAR:
        return plain in OTHERS
    return plain in OTHERS or _distance(plain, MEANT) <= FAR


def _distance(one: str, other: str) -> int:
    """Letters to add, drop or change."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def misspellings(
    models: Iterable[Module], params: Iterable[tuple[str, Tensor]], files: list[str]
) -> list[MisspellingFacts]:
    """What was set without effect on modules and on parameters, given by name, gathered by attribute."""
    found: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for model in models:
        for path, module in named_modules(model):
            for attribute, value in _on_module(module):
                found.setdefault((attribute, "module"), []).append((path or type(module).__name__, value))
    for name, param in params:
        for attribute, value in list(vars(param).items()):
            if isinstance(value, bool) and is_misspelled(attribute) and value != param.requires_grad:
                found.setdefault((attribute, "parameter"), []).append((name, value))
    return [
        MisspellingFacts(attribute, owner, tuple(name for name, _ in where[:5]), len(where), where[0][1], site)
        for (attribute, owner), where in found.items()
        if (site := _line(attribute, owner, [name for name, _ in where], files)) or owner == "parameter"
    ]


def _on_module(module: Module) -> list[tuple[str, bool]]:
    """Attributes of a module that its parameters do not follow."""
    return [
        (attribute, value)
        for attribute, value in list(vars(module).items())
        if isinstance(value, bool)
        and (attribute == "requires_grad" or is_misspelled(attribute))
        and any(param.requires_grad != value for param in parameters_of(module))
    ]


def _line(attribute: str, owner: str, names: list[str], files: list[str]) -> Site | None:
    """The line that sets it. On modules, a setting that the class itself keeps and reads is no misspelling."""
    candidates: list[tuple[bool, Site]] = []
    for file in files:
        tree = parse(file)
        if tree is None:
            continue
        over_parameters = _parameter_variables(tree) if owner == "module" else frozenset()
        for target, line in assignments(tree, attribute):
            base = target.value
            if isinstance(base, ast.Name) and (base.id in over_parameters or (owner == "module" and base.id == "self")):
                continue
            last = base.attr if isinstance(base, ast.Attribute) else ""
            candidates.append((last not in {name.rpartition(".")[2] for name in names}, Site(file, line)))
    return min(candidates, key=lambda c: c[0])[1] if candidates else None


def _parameter_variables(tree: ast.AST) -> frozenset[str]:
    """Loop variables that run over parameters: there the right spelling works."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            calls = {
                c.func.attr
                for c in ast.walk(node.iter)
                if isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute)
            }
            if calls & {"parameters", "named_parameters"}:
                names |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return frozenset(names)
