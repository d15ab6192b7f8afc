"""A training that SIGKILLs one of its ranks after some update of its first attempt. Each rank prints how it ended."""

import argparse
import hashlib
import os
import signal
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import surefoot as sf


def whole(p: Any) -> torch.Tensor:
    return (p.full_tensor() if hasattr(p, "full_tensor") else p).detach()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way")
    parser.add_argument("folder")
    parser.add_argument("--kill", default="", help="RANK:BATCH")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    attempt = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    torch.manual_seed(0)
    made = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(96, 6, generator=made), torch.randint(3, (96,), generator=made))
    loader = DataLoader(data, 4, sampler=DistributedSampler(data, size, rank))
    model = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    batch = 0
    with sf.Loop(
        model, optimizer, accumulate=2, clip_norm=1.0, parallel=options.way, checkpoint=options.folder,
        checkpoint_every=3, progress=False, log=None, stop=sf.stop.after(updates=24),
    ) as loop:  # fmt: skip
        resumed = loop.resume()
        begun = loop.num_updates
        for x, y in loop.batches(loader, epochs=10):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
            batch += 1
            if attempt == 0 and options.kill == f"{rank}:{batch}":
                os.kill(os.getpid(), signal.SIGKILL)
        summed = hashlib.sha256(b"".join(whole(p).numpy().tobytes() for p in model.parameters()))
        said = f"end rank={rank} attempt={attempt} resumed={resumed}@{begun} updates={loop.num_updates}"
        os.write(1, f"{said} weights={summed.hexdigest()[:16]}\n".encode())  # at once: the other rank prints, too


if __name__ == "__main__":
    main()
