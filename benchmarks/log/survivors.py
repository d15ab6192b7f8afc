"""Which steps a tracker's files hold after a kill, read by what the tracker itself offers.

python -m benchmarks.log.survivors TRACKER FOLDER     # tells their number
"""

import sqlite3
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

BLOCK = 32768


def surefoot(folder: Path) -> set[int]:
    import surefoot as sf

    rows = sf.open(folder).sql("SELECT DISTINCT step FROM scalars").rows()
    return {step for (step,) in rows}


def tensorboard(folder: Path) -> set[int]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    return {event.step for tag in events.Tags()["scalars"] for event in events.Scalars(tag)}


def wandb(folder: Path) -> set[int]:
    from wandb.proto import wandb_internal_pb2

    steps = set()
    for file in folder.rglob("*.wandb"):
        for data in _wandb_records(file.read_bytes()):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            if record.WhichOneof("record_type") == "history":
                steps.add(record.history.step.num)
    return steps


def _wandb_records(data: bytes) -> Iterator[bytes]:
    """Its file is a log of blocks as LevelDB has them, after seven bytes; it has no public reader any more."""
    at, parts = 7, b""
    while at + 7 <= len(data):
        if BLOCK - at % BLOCK < 7:  # no room for a head: the block's rest is empty
            at += BLOCK - at % BLOCK
            continue
        length, kind = struct.unpack_from("<HB", data, at + 4)
        part = data[at + 7 : at + 7 + length]
        if kind not in (1, 2, 3, 4) or len(part) < length:  # the end that the kill cut off
            return
        parts = part if kind in (1, 2) else parts + part
        if kind in (1, 4):
            yield parts
        at += 7 + length


def trackio(folder: Path) -> set[int]:
    return {step for file in folder.glob("*.db") for step in _ask(file, "SELECT step FROM metrics")}


def mlflow(folder: Path) -> set[int]:
    return set(_ask(folder / "mlflow.db", "SELECT step FROM metrics"))


def aim(folder: Path) -> set[int]:
    """By taking the run up again: read-only, version 3.29 finds no metrics, also in runs that were closed."""
    import aim

    steps: set[int] = set()
    for name in aim.Repo(str(folder)).list_all_runs():
        run = aim.Run(
            name, repo=str(folder), force_resume=True, system_tracking_interval=None, log_system_params=False,
            capture_terminal_logs=False,
        )  # fmt: skip
        for metric, context, _ in run.iter_metrics_info():
            steps |= {int(step) for step in run.get_metric(metric, context).values.sparse_list()[0]}
    return steps


def _ask(file: Path, query: str) -> list[int]:
    with closing(sqlite3.connect(file)) as connection:
        return [step for (step,) in connection.execute(query)]


SURVIVORS: dict[str, Callable[[Path], set[int]]] = {
    "surefoot": surefoot, "TensorBoard": tensorboard, "wandb offline": wandb, "trackio": trackio, "MLflow": mlflow,
    "Aim": aim,
}  # fmt: skip

if __name__ == "__main__":
    print("\n" + str(len(SURVIVORS[sys.argv[1]](Path(sys.argv[2])))))
