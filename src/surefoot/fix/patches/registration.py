"""Which parameters an optimizer is given."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import (
    argument,
    assigned_value,
    assignments,
    called,
    calls,
    dotted,
    is_optimizer_call,
    made_optimizers,
    receiver,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.fix.patches.optimizer import models_of
from surefoot.judge import Finding


@patch_for("unregistered-module", anywhere=True)
def register_modules(source: Source, finding: Finding) -> Proposals:
    attribute = str(finding.evidence.get("container", "")).rpartition(".")[2]
    nn = "nn" if re.search(r"^(from torch import nn|import torch\.nn as nn)", source.text, re.MULTILINE) else "torch.nn"
    for made in [*assignments(source, f"self.{attribute}"), *_other_containers(source, attribute)]:
        value = assigned_value(made)
        kind = _container(value)
        if kind:
            edit = Edit(source).replace(value, f"{nn}.{kind}({source.code(value)})")
            yield f"register the modules: {nn}.{kind}", edit


def _other_containers(source: Source, attribute: str) -> Iterator[cst.SimpleStatementLine]:
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        target = source.code(small.targets[0].target) if isinstance(small, cst.Assign) else ""
        if target.startswith("self.") and target != f"self.{attribute}":
            yield statement


def _container(value: cst.BaseExpression) -> str:
    if isinstance(value, cst.List | cst.ListComp | cst.Tuple | cst.BinaryOperation):
        return "ModuleList"
    if isinstance(value, cst.Dict | cst.DictComp):
        return "ModuleDict"
    return {"list": "ModuleList", "tuple": "ModuleList", "dict": "ModuleDict"}.get(
        called(value) if isinstance(value, cst.Call) else "", ""
    )


@patch_for("parameters-not-in-optimizer", anywhere=True)
def give_all_parameters(source: Source, finding: Finding) -> Proposals:
    missing = re.findall(r"[\w.]+", (re.search(r"\(([^;)]*)", finding.message) or ["", ""])[1])  # their names
    for made in made_optimizers(source).values():
        value = assigned_value(made)
        assert isinstance(value, cst.Call)
        given = argument(value, "params", 0)
        if given is None:
            continue
        meaning = "give the optimizer all parameters that get gradients"
        for code in _wider(source, given.value, missing):
            yield meaning, Edit(source).replace(given.value, code)


def _wider(source: Source, given: cst.BaseExpression, missing: list[str]) -> Iterator[str]:
    code = source.code(given)
    models = models_of(source, given)  # type: ignore[arg-type]
    if isinstance(given, cst.List) and any(isinstance(each.value, cst.Dict) for each in given.elements):
        for model in {name.split(".")[0] for name in models}:
            for name in missing:
                yield with_element(code, f'{{"params": [{model}.{name}]}}')
                yield with_element(code, f'{{"params": {model}.{name.rpartition(".")[0]}.parameters()}}')
        return
    for model in models:
        if not re.fullmatch(rf"{re.escape(model)}\.parameters\(\)", code):
            yield f"{model}.parameters()"  # a filter or a choice of layers
        whole, _, part = model.rpartition(".")
        if part and whole != "self":
            yield f"{whole}.parameters()"
    inner = [f"*{code}"] if not code.startswith("[") else [code[1:-1].rstrip(", \n")]
    for name in _module_names(source):
        if name not in models:
            yield f"[{', '.join([*inner, f'*{name}.parameters()'])}]"
    for name in _tensor_names(source):
        yield f"[{', '.join([*inner, name])}]"


def with_element(code: str, element: str) -> str:
    """A list with one more element, on a line of its own if the others have theirs."""
    lines = code.splitlines()
    if len(lines) > 2 and lines[-1].strip() == "]":
        indent = lines[-2][: len(lines[-2]) - len(lines[-2].lstrip())]
        return "\n".join([*lines[:-2], f"{lines[-2].rstrip().removesuffix(',')},", f"{indent}{element},", lines[-1]])
    head = code.rstrip().removesuffix("]").rstrip().removesuffix(",")
    return f"{head}, {element}]"


def _module_names(source: Source) -> list[str]:
    """Names that are called like modules: assigned from a class or torch.nn."""
    found = []
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if not isinstance(small, cst.Assign):
            continue
        target, value = small.targets[0].target, small.value
        pairs: list[tuple[cst.BaseExpression | cst.BaseAssignTargetExpression, cst.BaseExpression]] = [(target, value)]
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            pairs = [(t.value, v.value) for t, v in zip(target.elements, value.elements, strict=False)]
        for name, made in pairs:
            if isinstance(made, cst.Call) and called(made)[:1].isupper() and not is_optimizer_call(source, made):
                found.append(dotted(name))
    return [name for name in dict.fromkeys(found) if name]


def _tensor_names(source: Source) -> Iterator[str]:
    """Leaves that the program made itself, as elements of a list of parameters."""
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if isinstance(small, cst.Assign) and re.search(r"requires_grad=True|nn\.Parameter\(", source.code(small.value)):
            name = dotted(small.targets[0].target)
            if not name:
                continue
            if isinstance(small.value, cst.Dict | cst.DictComp):
                yield f"*{name}.values()"
            elif isinstance(small.value, cst.List | cst.ListComp):
                yield f"*{name}"
            else:
                yield name


@patch_for("backward-misses-optimizer", "optimizer-holds-stale-parameters", anywhere=True)
def give_trained_module(source: Source, finding: Finding) -> Proposals:
    for made in made_optimizers(source).values():
        value = assigned_value(made)
        for call in calls(source, "parameters", within=value):
            holder = receiver(call)
            for name in _module_names(source):
                if holder is not None and source.code(holder) != name:
                    yield f"give the optimizer what the loss trains, {name}", Edit(source).replace(holder, name)


@patch_for("parameter-in-two-optimizers", anywhere=True)
def drop_shared_parameters(source: Source, finding: Finding) -> Proposals:
    for name, made in reversed(made_optimizers(source).items()):
        value = assigned_value(made)
        given = argument(value, "params", 0) if isinstance(value, cst.Call) else None
        if given is None:
            continue
        meaning = f"leave to the other optimizer what it has: {name}"
        if isinstance(given.value, cst.BinaryOperation):
            for side in (given.value.right, given.value.left):
                yield meaning, Edit(source).replace(given.value, source.code(side))
        if isinstance(given.value, cst.List) and len(given.value.elements) > 1:
            for element in given.value.elements:
                kept = [source.code(each).rstrip(", ") for each in given.value.elements if each is not element]
                yield meaning, Edit(source).replace(given.value, f"[{', '.join(kept)}]")
        for model in models_of(source, value):  # type: ignore[arg-type]
            if source.code(given.value) == f"{model}.parameters()":
                for part in _parts(source, model):
                    yield meaning, Edit(source).replace(given.value, f"{part}.parameters()")


def _parts(source: Source, model: str) -> list[str]:
    return sorted(set(re.findall(rf"\b{re.escape(model)}\.(?!parameters|train|eval)\w+", source.text)))
