"""Patches are proven by runs, one after the other, and nothing of the user's changes."""

from pathlib import Path

import pytest

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.fixer import Fixer
from surefoot.fix.patcher import Patcher, Proposals
from surefoot.judge import Finding
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import lesson_of
from tests.fix.conftest import Fix
from tests.fix.programs import IDENTICAL_UNITS, NET, NEVER_STEPPED, TWO_BUGS

MENDED = (  # one of each kind of patch; `make bench-fix` runs them all
    "accumulation-not-averaged", "best-weights-aliased", "clip-before-unscale", "evaluating-in-train-mode",
    "unregistered-module",
)  # fmt: skip


def test_two_bugs_in_two_files(fix: Fix) -> None:
    (fix.folder / "net.py").write_text(NET)
    fixed = fix(TWO_BUGS)
    assert {patch.finding.rule: patch.file.name for patch in fixed.patches} == {
        "stale-gradients": "train.py",
        "softmax-before-cross-entropy": "net.py",
    }
    assert fixed.unpatched == ()
    texts = {file.name: text for file, text in fixed.texts.items()}
    assert texts == {
        "train.py": TWO_BUGS.replace("    loss.back", "    optimizer.zero_grad()\n    loss.back"),
        "net.py": NET.replace("nn.functional.softmax(self.layer(x), dim=1)", "self.layer(x)"),
    }
    last = fixed.patches[-1]
    assert (last.loss_before, last.loss_after) != (None, None)
    assert last.loss_after == fixed.after.final_loss
    assert {file.name for file in fix.folder.iterdir()} == {"net.py", "train.py"}  # no checkpoint, no cache
    assert (fix.folder / "train.py").read_text() == TWO_BUGS


def test_two_meanings_are_both_shown_and_the_user_chooses(fix: Fix) -> None:
    patch = fix(NEVER_STEPPED).patches[0]
    assert "after each epoch" in patch.meaning
    assert patch.alternative is not None
    assert "after each step" in patch.alternative.meaning
    other = fix(NEVER_STEPPED, second_choice=("schedule-never-stepped",)).patches[0]
    assert (other.diff, other.loss_after) == (patch.alternative.diff, patch.alternative.loss_after)


def test_without_a_patch_it_is_said_why(fix: Fix) -> None:
    fixed = fix(IDENTICAL_UNITS)
    assert fixed.patches == ()
    assert [(each.finding.rule, each.why) for each in fixed.unpatched] == [
        ("identical-units", "no patch is known for this rule")
    ]


@pytest.mark.parametrize("rule", MENDED)
def test_bad_twin_is_mended(rule: str, fix: Fix) -> None:
    fixed = fix(lesson_of(catalogue()[rule]).programs["Bad"])
    assert [patch.finding.rule for patch in fixed.patches] == [rule]
    assert rule not in {finding.rule for finding in fixed.after.findings}
    assert fixed.unpatched == ()


def test_patcher_that_fails_is_told_of_and_does_not_end_the_search(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    heard: list[str] = []

    def fail(source: Source, finding: Finding) -> Proposals:
        yield "nothing", Edit(source)
        raise IndexError("odd code")

    fixer = Fixer(None, None, heard.append)  # type: ignore[arg-type]
    source = Source(tmp_path / "train.py", "x = 1\n")
    finding = Finding("stale-gradients", "error", "", "", "", None, None, 1)
    found = list(fixer._proposed(Patcher(("stale-gradients",), fail), source, finding))
    assert [candidate.meaning for candidate in found] == ["nothing"]
    assert heard == [f"a patch for stale-gradients can't be made of {source.file}: IndexError('odd code')"]
