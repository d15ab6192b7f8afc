"""Every patcher has something to propose for the programs of the bug corpus, and all of it compiles."""

import difflib

import pytest
from benchmarks.bugs.program import Program, corpus

from surefoot.fix.code.source import Source
from surefoot.fix.fixer import _text
from surefoot.fix.patcher import patchers
from surefoot.judge import Finding
from surefoot.rules.catalogue import catalogue

LARGEST = 24  # changed lines; a patch is no rewrite
EVIDENCE = {"container": "Net.layers", "generator": "dataset.rng", "shape": [4, 4], "micro_batches": 4}
MESSAGE = (
    "2 parameters (pos.weight; 8 elements): 'a.weight' and 'module.a.weight'; the target of padded positions is 0; "
    "a tensor of shape (2, 4) is viewed as (4, 2)"
)
NOT_PATCHED = {  # ways of writing a bug that no patch fits
    "averaged-model-stale-buffers/mean_teacher_bad", "exploding-gradients/peak_too_high_bad",
    "loads-its-own-weights/target_network_synchronised_with_itself_bad", "optimizer-recreated/in_the_loop_bad",
    "relu-before-loss/last_layer_bad", "scaler-keeps-skipping/inf_every_batch_bad",
    "untrained-optimizer-saved/optimizer_made_twice_bad",
}  # fmt: skip
BUGGY = [program for program in corpus() if program.is_buggy and program.rule in patchers() and not program.needs]


def _proposals(program: Program) -> list[str]:
    source = Source(program.path, program.path.read_text())
    attribute = "requires_grad" if "child.requires_grad" in source.text else "require_grad"
    found = []
    for line in sorted(program.lines)[:3]:
        finding = Finding(
            program.rule, "error", MESSAGE, "", "", str(program.path), line, 1,
            evidence={**EVIDENCE, "attribute": attribute},
        )  # fmt: skip
        for patcher in patchers()[program.rule]:
            texts = [_text(edit.text, program.path) for _, edit in patcher.propose(source, finding)]
            found += [text for text in texts if text is not None and text != source.text]
    return found


@pytest.mark.parametrize("program", BUGGY, ids=lambda program: program.name)
def test_proposals(program: Program) -> None:
    proposals = _proposals(program)
    assert bool(proposals) == (program.name not in NOT_PATCHED)
    old = program.path.read_text().splitlines()
    for text in proposals:
        changed = [line for line in difflib.unified_diff(old, text.splitlines(), n=0) if line[0] in "+-"]
        assert 2 < len(changed) <= LARGEST  # two lines are its head


def test_patches_are_for_rules_that_exist_and_for_many() -> None:
    assert set(patchers()) <= set(catalogue())
    assert len(patchers()) >= 60
    assert all(len(set(several)) == len(several) for several in patchers().values())
