"""Who listens to a run hears what is logged, also when it can't be written."""

import struct
from pathlib import Path

from surefoot.runlog.write.run import Run

Heard = list[tuple[tuple[str, ...], int, tuple[float, ...]]]


def make_run(folder: Path) -> tuple[Run, Heard]:
    run = Run(folder, "train.py", lambda text: None)
    heard: Heard = []

    def hear(names: tuple[str, ...], step: int, time: float, packed: bytes) -> None:
        heard.append((names, step, struct.unpack(f"<{len(names)}d", packed)))

    run.listen(hear)
    return run, heard


def test_scalars_are_heard(tmp_path: Path) -> None:
    run, heard = make_run(tmp_path / "mine")
    run.scalars(1, {"loss": 0.5, "acc": 1})
    run.others(1, (("param", "bias", "0"),), [3.0])  # not a scalar
    late: Heard = []
    run.listen(lambda names, step, time, packed: late.append((names, step, ())))
    run.log({"loss": 0.25}, step=2)
    run.close()
    run.log({"loss": 0.25}, step=3)
    assert heard == [(("loss", "acc"), 1, (0.5, 1.0)), (("loss",), 2, (0.25,))]
    assert late == [(("loss",), 2, ())]


def test_it_is_heard_though_it_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("in the way")
    run, heard = make_run(tmp_path / "mine")
    for step in range(3):
        run.log({"loss": 0.5}, step)
        run.flush()
    run.close()
    assert len(heard) == 3


def test_the_last_moment_to_write(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path / "mine")
    calls = []

    def last() -> None:
        calls.append(run.is_closed)
        run.event("alert", "sent")

    run.before_closing(last)
    run.close()
    run.close()
    assert calls == [False]
    assert (tmp_path / "mine" / "rank-0.db").exists()


def test_who_is_let_go_hears_no_more(tmp_path: Path) -> None:
    run = Run(tmp_path / "mine", "train.py", lambda text: None)
    heard: list[int] = []

    def hear(names: tuple[str, ...], step: int, time: float, packed: bytes) -> None:
        heard.append(step)

    run.listen(hear)
    run.log({"loss": 1.0}, 1)
    run.unlisten(hear)
    run.unlisten(hear)
    run.log({"loss": 1.0}, 2)
    run.close()
    assert heard == [1]
