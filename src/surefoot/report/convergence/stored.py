"""The outlook of a run as it is stored."""

from __future__ import annotations

from surefoot.judge import Finding
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import stored_noise
from surefoot.report.convergence.rate import most_changing
from surefoot.report.convergence.summary import loss_summary
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.skipped import count_skipped
from surefoot.runlog.read.vitals import LOSSES

SECOND = "optimizer-2/loss"
RATE = "lr"  # of the first parameter group; those of others are "lr/1" and so on
HELD_OUT = (
    "val/loss", "val_loss", "loss/val", "valid/loss", "valid_loss", "validation/loss", "validation_loss", "eval/loss",
    "eval_loss",
)  # fmt: skip


def stored_loss_summary(
    process: StoredProcess, findings: list[Finding] | None = None, *, goes_on: bool = False
) -> list[str]:
    """Of one process; its stored findings, unless others are given."""
    names = {*LOSSES, *HELD_OUT, SECOND, RATE}
    found = process.columns(
        lambda series: series.kind == "scalar" and (series.name in names or series.name.startswith(f"{RATE}/"))
    )
    curves = {series.name: Curve.of(series.name, column.steps, column.values) for series, column in found.items()}
    loss = next((curves[name] for name in LOSSES if name in curves), None)
    if loss is None or SECOND in curves:  # several optimizers play with each other: their losses need not fall
        return []
    held_out = next((curves[name] for name in HELD_OUT if name in curves), None)
    lr = most_changing(curve for name, curve in curves.items() if name.partition("/")[0] == RATE)
    if findings is None:
        findings = [Finding(**{**finding, "evidence": {}}) for finding in process.findings()]
    noise = stored_noise(process, loss.last_step)
    return loss_summary(
        loss, held_out, lr=lr, num_skipped=count_skipped(process.file), noise=noise, findings=findings, goes_on=goes_on
    )
