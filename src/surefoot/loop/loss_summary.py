"""How a loop's loss ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.runlog.write.current import is_decided

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.report.convergence import Curve, Noise

LOSS, HELD_OUT, RATE = "loss", "val/loss", "lr"


def report_loss_summary(loop: Loop, reason: str = "finished") -> None:
    """Once for the updates that there are; `surefoot run` tells it itself."""
    progress = loop._progress
    if reason != "finished" or not progress.is_on or is_decided() or progress.num_told == loop.num_updates:
        return
    progress.num_told = loop.num_updates
    try:
        lines = _lines(loop)
    except Exception as error:  # training is done, and must not fail for this
        lines = [f"can't tell how the loss ended: {error!r}"]
    for line in lines:
        progress.say(line)


def _lines(loop: Loop) -> list[str]:
    from surefoot.report.convergence import loss_summary

    loss, held_out = _curve(loop, LOSS), _curve(loop, HELD_OUT)
    return loss_summary(
        loss, held_out, lr=_curve(loop, RATE), num_skipped=loop.num_skipped, noise=_noise(loop, loss.last_step),
        findings=loop.findings,
    )  # fmt: skip


def _noise(loop: Loop, last_step: int) -> Noise | None:
    """It is measured by the sanitizer, which hands it to the run log."""
    run = loop._log.run
    if run is None or not loop._log.is_own or len(loop.optimizers) > 1:
        return None
    from surefoot.report.convergence import stored_noise
    from surefoot.runlog.read.run import load_run

    run.flush()
    return stored_noise(load_run(run.folder).first, last_step)


def _curve(loop: Loop, name: str) -> Curve:
    from surefoot.report.convergence import Curve

    rows = [(row["update"], row[name]) for row in loop.history if isinstance(row.get(name), float | int)]
    return Curve.of(name, [step for step, _ in rows], [value for _, value in rows])
