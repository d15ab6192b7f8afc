"""By what each loss of a window is divided: a wrong number would silence the rule, too."""

from pathlib import Path

from surefoot.fix.code.source import Source
from surefoot.fix.patches.accumulation import divide_loss
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
