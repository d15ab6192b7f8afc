"""By what each loss of a window is divided, or weighted: a wrong number would silence the rule, too."""

from pathlib import Path

import pytest

from surefoot.fix.code.source import Source
from surefoot.fix.patches.accumulation import divide_loss
from surefoot.fix.patches.weighting import weight_loss
from surefoot.judge import Finding

LOOP = """\
accum = 4
log_every = 50
for i, (x, y) in enumerate(loader):
    if i % log_every == 0:
        print(i)
    loss = criterion(model(x), y)
    scaler.scale(loss).backward()
    if (i + 1) % accum == 0:
        scaler.step(optimizer)
"""


def _meanings(code: str) -> list[str]:
    finding = Finding(
        "accumulation-not-averaged", "warning", "", "", "", "train.py", 7, 4, evidence={"micro_batches": 4}
    )
    return [meaning for meaning, _ in divide_loss.propose(Source(Path("train.py"), code), finding)]


def test_number_that_the_step_waits_for_and_no_other() -> None:
    assert _meanings(LOOP) == [
        "divide each loss by the number of micro-batches, accum",
        "divide each loss by the number of micro-batches, 4",
    ]


def test_number_that_the_program_is_given_stands_for_itself() -> None:
    given = LOOP.replace("accum = 4\n", "accum = args.accum\n")
    assert _meanings(given)[0] == "divide each loss by the number of micro-batches, accum"


def test_loss_inside_the_scaler_is_divided() -> None:
    finding = Finding(
        "accumulation-not-averaged", "warning", "", "", "", "train.py", 7, 4, evidence={"micro_batches": 4}
    )
    _, edit = next(divide_loss.propose(Source(Path("train.py"), LOOP), finding))
    assert edit.text() == LOOP.replace("scaler.scale(loss)", "scaler.scale(loss / accum)")


SPLIT = """\
for i, (part, goals) in enumerate(zip(x.split(16), y.split(16))):
    loss = criterion(model(part), goals)
    loss /= 4
    loss.backward()
"""

TOTAL = """\
total = sum(mask.sum() for *_, mask in batches)
for words, tags, kept in batches:
    loss = criterion(model(words)[kept], tags[kept])
    (loss / len(batches)).backward()
"""


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (SPLIT, "loss /= 4", "loss = loss * len(part) / len(x)"),
        (TOTAL, "(loss / len(batches))", "(loss * kept.sum() / total)"),
    ],
)
def test_micro_batches_are_weighted_by_their_share(code: str, old: str, new: str) -> None:
    finding = Finding("unequal-micro-batches", "warning", "", "", "", "train.py", 4, 4)
    edits = [edit.text() for _, edit in weight_loss.propose(Source(Path("train.py"), code), finding)]
    assert edits == [code.replace(old, new)]


def test_of_micro_batches_of_unknown_sizes_nothing_is_proposed() -> None:
    finding = Finding("unequal-micro-batches", "warning", "", "", "", "train.py", 7, 4)
    assert not list(weight_loss.propose(Source(Path("train.py"), LOOP), finding))
