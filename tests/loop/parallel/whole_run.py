"""A whole run in a process of its own, with many checkpoints, that may be killed or terminated on the way."""

import json
import os
import signal
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812

from surefoot.loop.checkpoint import CheckpointWarning
from tests.loop.checkpoint.killed import kill_at
from tests.loop.parallel.cases import make_loop, rank, values

CALLS = [(torch.distributed, "all_reduce"), (os, "fsync"), (os, "replace")]


def run_to_end(
    folder: str, parallel: str, variables: dict[str, str], killed_at: int | None, terminated_at: int | None
) -> None:
    """Its end is written beside the folder. `killed_at` counts moments before and after `CALLS`, the other batches."""
    torch.set_num_threads(1)
    os.environ.update(variables)
    warnings.simplefilter("ignore", CheckpointWarning)  # of files whose other rank was killed
    with kill_at(CALLS, -1 if killed_at is None else killed_at):
        model, loop, loader = make_loop(folder, parallel, keep=3, watch=False)
        loop.resume()
        for num, (x, y) in enumerate(loop.batches(loader, epochs=3)):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
            if num % 2 and terminated_at is None:
                loop.save()
            if num == terminated_at:
                os.kill(os.getpid(), signal.SIGTERM)
        ended = {"weights": values(model), "losses": loop.history["loss"], "updates": loop.num_updates}
    Path(f"{folder}.{rank()}").write_text(json.dumps(ended))
    loop.close()
