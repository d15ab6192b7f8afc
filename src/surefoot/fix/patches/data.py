"""Data loading and sequences."""

from __future__ import annotations

import re

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import argument, assignments, backwards, called, calls, dotted
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

REPLACED = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign)


@patch_for("unshuffled-training-data", "same-batch-every-step", anywhere=True)
def shuffle(source: Source, finding: Finding) -> Proposals:
    if finding.rule == "same-batch-every-step":
        yield from _iterate_on(source)
        return
    loaders = calls(source, "DataLoader")
    ranked = sorted(loaders, key=lambda call: source.line(call) != finding.line)
    for call in ranked:
        flag = argument(call, "shuffle")
        if flag is not None:
            yield "shuffle the training data", Edit(source).replace(flag.value, "True")
        else:
            edit = Edit(source).replace(call, with_argument(source.code(call), "shuffle=True"))
            yield "shuffle the training data", edit


def _iterate_on(source: Source) -> Proposals:
    """`next(iter(loader))` in a loop begins anew each time."""
    for call in calls(source, "next"):
        inner = call.args[0].value if call.args else None
        loops = source.loops_of(call)
        if not (isinstance(inner, cst.Call) and called(inner) == "iter" and inner.args and loops):
            continue
        loader = source.code(inner.args[0].value)
        batches = f"batches = itertools.chain.from_iterable(itertools.repeat({loader}))"
        edit = Edit(source).replace(inner, "batches").insert_before(loops[-1], batches).add_import("import itertools")
        for made in assignments(source, loader):
            value = made.body[0].value if isinstance(made.body[0], cst.Assign) else None
            if isinstance(value, cst.Call) and called(value) == "DataLoader" and argument(value, "shuffle") is None:
                edit.replace(value, with_argument(source.code(value), "shuffle=True"))
        yield "go on through the loader, epoch after epoch", edit


@patch_for("same-order-every-epoch", anywhere=True)
def new_order_each_epoch(source: Source, finding: Finding) -> Proposals:
    for loop in _epoch_loops(source):
        epoch = source.code(loop.target)
        for statement in source.walk(cst.SimpleStatementLine):
            small = statement.body[0]
            if isinstance(small, cst.Assign) and "Sampler(" in source.code(small.value):
                code = f"{dotted(small.targets[0].target)}.set_epoch({epoch})"
                yield f"tell the sampler the epoch: {code}", Edit(source).insert_first(loop, code)
        for call in source.walk(cst.Call, loop):
            if re.search("seed", called(call)) and call.args and source.loops_of(call)[-1:] == [loop]:
                value = source.code(call.args[0].value)
                edit = Edit(source).replace(call.args[0].value, f"{value} + {epoch}")
                yield "give each epoch a seed of its own", edit
        for call in calls(source, "DataLoader", within=loop):
            statement_of = source.statement_of(call)
            if statement_of is not None:
                yield "make the loader once", Edit(source).move_before(statement_of, loop)
    for call in calls(source, "manual_seed"):
        statement_of = source.statement_of(call)
        loops = source.loops_of(call)
        if statement_of is not None and loops:
            yield "set the seed once, before the loop", Edit(source).move_before(statement_of, loops[-1])


def _epoch_loops(source: Source) -> list[cst.For]:
    """Loops with a counter around other loops, or around all."""
    found = [loops[-1] for backward in backwards(source) if (loops := source.loops_of(backward))]
    for function in {source.function_of(backward) for backward in backwards(source)}:
        if isinstance(function, cst.FunctionDef):
            found += [loops[-1] for call in calls(source, function.name.value) if (loops := source.loops_of(call))]
    return [loop for loop in dict.fromkeys(found) if isinstance(loop, cst.For) and isinstance(loop.target, cst.Name)]


@patch_for("duplicate-worker-randomness", anywhere=True)
def seed_workers(source: Source, finding: Finding) -> Proposals:
    generator = str(finding.evidence.get("generator", "")).rpartition(".")[2]
    for made in assignments(source, f"self.{generator}"):
        edit = Edit(source).remove(made)
        uses = [each for each in source.walk(cst.Attribute) if source.code(each) == f"self.{generator}"]
        for use in uses:
            if source.statement_of(use) is not made:
                edit.replace(use, "random" if "random.Random" in source.code(made) else "np.random")
        yield "draw from the generator that torch seeds for each worker", edit
    for call in calls(source, "DataLoader"):
        if argument(call, "num_workers") is not None and argument(call, "worker_init_fn") is None:
            code = "worker_init_fn=lambda worker: np.random.seed(torch.initial_seed() % 2**32)"
            edit = Edit(source).replace(call, with_argument(source.code(call), code)).add_import("import numpy as np")
            yield "seed numpy in each worker", edit


@patch_for("dataset-changed-in-place", anywhere=True)
def leave_sample(source: Source, finding: Finding) -> Proposals:
    for function in source.walk(cst.FunctionDef):
        if function.name.value != "__getitem__":
            continue
        for statement in source.walk(cst.SimpleStatementLine, function):
            small = statement.body[0]
            if isinstance(small, cst.Assign) and isinstance(small.value, cst.Subscript):
                code = source.code(small.value)
                yield "change a copy of the sample", Edit(source).replace(small.value, f"{code}.clone()")
                yield "change a copy of the sample", Edit(source).replace(small.value, f"{code}.copy()")
            if isinstance(small, cst.AugAssign) and isinstance(small.target, cst.Name):
                operator = source.code(small.operator).rstrip("=")
                code = f"{small.target.value} = {small.target.value} {operator} {source.code(small.value)}"
                yield "make a new tensor, leave the sample", Edit(source).replace_statement(statement, code)
