"""Checkpoints: what is kept, and what is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import (
    argument,
    assignments,
    called,
    calls,
    dotted,
    is_scheduler,
    made_optimizers,
    own_statement,
    receiver,
    statement_calls,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("best-weights-aliased", anywhere=True)
def copy_best_weights(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "state_dict"):
        parent = source.parent(call)
        outer = source.enclosing(call, cst.Call)
        if isinstance(parent, cst.Assign | cst.DictElement | cst.Element) or (
            outer and called(outer) in ("dict", "append")
        ):
            target: cst.CSTNode = outer if outer is not None and called(outer) == "dict" else call
            edit = Edit(source).replace(target, f"copy.deepcopy({source.code(call)})").add_import("import copy")
            yield "copy the weights: state_dict() is no copy", edit


@patch_for("loads-its-own-weights", anywhere=True)
def copy_module(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "load_state_dict"):
        holder = receiver(call)
        for made in assignments(source, source.code(holder)) if holder is not None else []:
            value = made.body[0].value if isinstance(made.body[0], cst.Assign) else None
            if isinstance(value, cst.Name | cst.Attribute):
                edit = Edit(source).replace(value, f"copy.deepcopy({source.code(value)})").add_import("import copy")
                yield "copy the module: both names stand for one", edit
    yield from copy_best_weights.propose(source, finding)


@patch_for("optimizer-state-not-restored", anywhere=True)
def load_optimizer(source: Source, finding: Finding) -> Proposals:
    optimizers = [*made_optimizers(source), *_stateful(source, is_optimizer=True)]
    yield from _load(source, list(dict.fromkeys(optimizers)), "the optimizer")


@patch_for("schedule-restarted-after-resume", "learning-rate-jumped-after-resume", anywhere=True)
def load_schedule(source: Source, finding: Finding) -> Proposals:
    schedulers = [name for name in _names(source) if is_scheduler(source, name)]
    yield from _load(source, schedulers, "the schedule")
    for name in schedulers:
        yield from _save_and_load(source, name)


def _names(source: Source) -> list[str]:
    found = []
    for statement in source.walk(cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign):
                target = small.targets[0].target
                nodes = [each.value for each in target.elements] if isinstance(target, cst.Tuple) else [target]
                found += [dotted(node) for node in nodes]
    return [name for name in dict.fromkeys(found) if name]


def _stateful(source: Source, *, is_optimizer: bool) -> Iterator[str]:
    for call in calls(source, "state_dict"):
        holder = receiver(call)
        if holder is not None and is_optimizer and "opt" in dotted(holder).rpartition(".")[2].lower():
            yield dotted(holder)


def _load(source: Source, names: list[str], what: str) -> Proposals:
    """After another part is loaded from the same checkpoint, by the key under which it was saved, or one more index."""
    for loaded, checkpoint, key in _loads(source):
        for name in names:
            if f"{name}.load_state_dict(" in source.text:
                continue
            for saved in [*_saved_keys(source, name), *_next_index(source, checkpoint)]:
                if saved != key:
                    place = _after_made(source, name, loaded)
                    code = f"{name}.load_state_dict({checkpoint}[{saved}])"
                    yield f"load {what}, too: {code}", Edit(source).insert_after(place, code)


def _loads(source: Source) -> Iterator[tuple[cst.SimpleStatementLine, str, str]]:
    """Statements `x.load_state_dict(checkpoint[key])`, the last first."""
    for statement in reversed(statement_calls(source, "load_state_dict")):
        call = next(call for call in source.walk(cst.Call, statement) if called(call) == "load_state_dict")
        if call.args and isinstance(call.args[0].value, cst.Subscript):
            part = call.args[0].value
            key = ", ".join(source.code(each) for each in part.slice)
            yield statement, source.code(part.value), key


def _saved_keys(source: Source, name: str) -> list[str]:
    """`"optim"` in `{"optim": self.optimizer.state_dict()}`."""
    last = re.escape(name.rpartition(".")[2])
    found = re.findall(rf"""((?:"[^"]+"|'[^']+'))\s*:\s*[\w.]*\b{last}\.state_dict\(\)""", source.text)
    named = re.findall(rf"""((?:"[^"]+"|'[^']+'))\s*:\s*{last}\b""", source.text)
    return list(dict.fromkeys([*found, *named]))


def _next_index(source: Source, checkpoint: str) -> list[str]:
    used = [int(each) for each in re.findall(rf"{re.escape(checkpoint)}\[(\d+)\]", source.text)]
    return [str(max(used) + 1)] if used else []


def _after_made(source: Source, name: str, loaded: Statement) -> Statement:
    """The later of the load and of what makes it, so that both are there."""
    made = [each for each in assignments(source, name) if source.parent(each) is source.parent(loaded)]
    later = [each for each in made if source.line(each) > source.line(loaded)]
    return later[-1] if later else loaded


def _save_and_load(source: Source, name: str) -> Proposals:
    for call in calls(source, "save"):
        saved = call.args[0].value if call.args else None
        if not isinstance(saved, cst.Dict) or _saved_keys(source, name):
            continue
        for loaded, checkpoint, _ in _loads(source):
            code = source.code(saved).rstrip().removesuffix("}").rstrip().removesuffix(",")
            edit = Edit(source).replace(saved, f'{code}, "scheduler": {name}.state_dict()}}')
            edit.insert_after(_after_made(source, name, loaded), f'{name}.load_state_dict({checkpoint}["scheduler"])')
            yield "save and load the schedule, too", edit


@patch_for("initialised-after-load", anywhere=True)
def load_last(source: Source, finding: Finding) -> Proposals:
    for loaded in statement_calls(source, "load_state_dict"):
        block = source.siblings(loaded)
        for later in reversed(block[block.index(loaded) + 1 :]):
            if re.search(r"\.apply\(|init", source.code(later)):
                yield "load after initialising", Edit(source).move_after(loaded, later)


@patch_for("checkpoint-mostly-unmatched", anywhere=True)
def match_names(source: Source, finding: Finding) -> Proposals:
    given = re.findall(r"'([^']+)' and '([^']+)'", finding.message)
    for call in calls(source, "load_state_dict"):
        if not call.args or argument(call, "strict") is None:
            continue
        code = source.code(call.args[0].value)
        holder = source.code(receiver(call)) if receiver(call) is not None else ""  # type: ignore[arg-type]
        for wanted, found in given:
            renamed = ""
            if found.endswith(wanted):
                renamed = f'name.removeprefix("{found.removesuffix(wanted)}")'
            elif wanted.endswith(found):
                renamed = f'"{wanted.removesuffix(found)}" + name'
            if renamed:
                made = f"{{{renamed}: value for name, value in {code}.items()}}"
                yield (
                    "rename the entries to the model's names",
                    Edit(source).replace(call, f"{holder}.load_state_dict({made})"),
                )


@patch_for("untrained-optimizer-saved", anywhere=True)
def save_trained_optimizer(source: Source, finding: Finding) -> Proposals:
    """Pass the optimizer to the function that makes one of its own."""
    for function in source.walk(cst.FunctionDef):
        for name, made in made_optimizers(source).items():
            inner = [each for each in assignments(source, name) if source.function_of(each) is function]
            outer = [each for each in assignments(source, name) if source.function_of(each) is source.module]
            used = [call for call in calls(source, function.name.value) if own_statement(source, call) is not None]
            if not (inner and outer and used and made):
                continue
            params = function.params.with_changes(params=[*function.params.params, cst.Param(cst.Name(name))])
            edit = Edit(source).remove(inner[-1]).substitute(function.params, params)
            for call in used:
                edit.substitute(call, call.with_changes(args=[*call.args, cst.Arg(cst.Name(name))]))
            yield "train with the optimizer that is saved", edit
