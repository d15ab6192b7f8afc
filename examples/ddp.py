"""Handwritten digits on one process or on several: the same script, and in a window the same mean over all items.

python examples/ddp.py
torchrun --nproc-per-node 2 examples/ddp.py
torchrun --nproc-per-node 2 examples/ddp.py --parallel fsdp
"""

import argparse
import os

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset, random_split

import surefoot as sf

WINDOW = 128  # samples in an update, of all processes


def load(rank: int, num_ranks: int) -> tuple[DataLoader, DataLoader]:
    """Each process has its own part of the data. set_epoch is called by the loop."""
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).flatten(1) / 16
    data = TensorDataset(images, torch.tensor(digits.target))
    train, held_out = random_split(data, [0.8, 0.2], torch.Generator().manual_seed(0))
    sampler: DistributedSampler = DistributedSampler(train, num_ranks, rank)
    mine = torch.utils.data.Subset(held_out, range(rank, len(held_out), num_ranks))
    return DataLoader(train, WINDOW // 2 // num_ranks, sampler=sampler), DataLoader(mine, batch_size=256)


def accuracy(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs.argmax(1) == targets).float().mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--parallel", choices=["ddp", "fsdp"], default="ddp")
    options = parser.parse_args()
    rank, num_ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))  # torchrun sets them
    torch.manual_seed(0)
    train, held_out = load(rank, num_ranks)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with sf.Loop(model, optimizer, accumulate=2, clip_norm=1.0, parallel=options.parallel) as loop:
        history = loop.fit(
            train, nn.functional.cross_entropy, options.epochs, validate=held_out, metrics={"accuracy": accuracy}
        )
        if rank == 0:
            print(f"{num_ranks} processes, {loop.num_updates} updates, loss {history[-1]['loss']:.3f}", end=", ")
            print(f"held-out accuracy {history[-1]['val/accuracy']:.1%}")


if __name__ == "__main__":
    main()
