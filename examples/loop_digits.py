"""Handwritten digits with `loop.fit`: schedule, clipping, stopping, checkpoints, and going on after an interruption.

python examples/loop_digits.py                          # kill it and start it again: it goes on where it was
python examples/loop_digits.py --epochs 3 --fresh
"""

import argparse
import shutil
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import surefoot as sf


def load() -> tuple[DataLoader, DataLoader]:
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    data = TensorDataset(images, torch.tensor(digits.target))
    train, held_out = random_split(data, [0.8, 0.2], torch.Generator().manual_seed(0))
    return DataLoader(train, batch_size=32, shuffle=True), DataLoader(held_out, batch_size=256)


def accuracy(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs.argmax(1) == targets).float().mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--folder", type=Path, default=Path("runs/loop-digits"), help="for checkpoints")
    parser.add_argument("--fresh", action="store_true", help="remove older checkpoints first")
    options = parser.parse_args()
    if options.fresh:
        shutil.rmtree(options.folder, ignore_errors=True)
    torch.manual_seed(0)
    train, held_out = load()
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, 10)
    )
    updates = options.epochs * -(-len(train) // 2)  # an update for every two batches, the last one of an epoch included
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    with sf.Loop(
        model,
        optimizer,
        scheduler=sf.schedule.warmup_cosine(optimizer, warmup=updates // 10, updates=updates),
        accumulate=2,
        clip_norm=1.0,
        stop=sf.stop.above("val/accuracy", 0.99) | sf.stop.patience("val/loss", 5),
        checkpoint=options.folder,
        checkpoint_every=20,
    ) as loop:
        if loop.resume():
            print(f"going on after update {loop.num_updates}")
        loss_fn = nn.functional.cross_entropy
        history = loop.fit(train, loss_fn, options.epochs, validate=held_out, metrics={"accuracy": accuracy})
        print(sf.baseline(model, train, loss_fn))
        best = max(history["val/accuracy"])
        print(f"{loop.num_updates} updates, loss {history[-1]['loss']:.3f}, best held-out accuracy {best:.1%}")
        print(f"stopped: {loop.stopped or 'all epochs done'}")


if __name__ == "__main__":
    main()
