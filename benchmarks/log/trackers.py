"""How each tracker is driven for the same work, as its documentation says: open, log some scalars of a step, close."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

Log = Callable[[int, Mapping[str, float]], object]
Opened = tuple[Log, Callable[[], object]]


def surefoot(folder: Path) -> Opened:
    import surefoot as sf

    run = sf.start_run(folder)
    return lambda step, values: sf.log(values, step), run.close


def tensorboard(folder: Path) -> Opened:
    from torch.utils.tensorboard import SummaryWriter  # type: ignore[attr-defined, unused-ignore]

    writer = SummaryWriter(str(folder))

    def log(step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            writer.add_scalar(name, value, step)

    return log, writer.close


def wandb(folder: Path) -> Opened:
    for name in ("WANDB_DIR", "WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_ARTIFACT_DIR"):
        os.environ[name] = str(folder)
    os.environ["WANDB_SILENT"] = "true"
    import wandb

    run = wandb.init(
        project="bench", mode="offline", dir=str(folder), settings=wandb.Settings(x_disable_stats=True, console="off")
    )
    return lambda step, values: run.log(dict(values), step=step), run.finish


def trackio(folder: Path) -> Opened:
    os.environ["TRACKIO_DIR"] = str(folder)
    os.environ["HF_HUB_OFFLINE"] = "1"
    import trackio

    trackio.init(project="bench", embed=False)
    return lambda step, values: trackio.log(dict(values), step=step), trackio.finish


def mlflow(folder: Path) -> Opened:
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment("bench")
    mlflow.start_run()
    return lambda step, values: mlflow.log_metrics(dict(values), step=step), mlflow.end_run


def aim(folder: Path) -> Opened:
    os.environ["AIM_TELEMETRY"] = "0"
    import aim

    run = aim.Run(repo=str(folder), system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)

    def log(step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            run.track(value, name=name, step=step)

    return log, run.close


TRACKERS: dict[str, Callable[[Path], Opened]] = {
    "surefoot": surefoot, "TensorBoard": tensorboard, "wandb offline": wandb, "trackio": trackio, "MLflow": mlflow,
    "Aim": aim,
}  # fmt: skip
PACKAGES = {
    "TensorBoard": "tensorboard", "wandb offline": "wandb", "trackio": "trackio", "MLflow": "mlflow", "Aim": "aim",
}  # fmt: skip
