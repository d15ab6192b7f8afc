"""Fine-tuning: a frozen part, a pretrained part with a small rate, a new head with a large one and a limit of its own.

The pretrained network is trained here, on half of the digits; the new task is to tell the other half apart.
"""

import argparse

import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

import surefoot as sf


def split() -> tuple[list[tuple[Tensor, Tensor]], list[tuple[Tensor, Tensor]]]:
    """Digits 0 to 4 as the old task, 5 to 9 as the new one."""
    digits = load_digits()
    images, targets = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16, torch.tensor(digits.target)
    order = torch.randperm(len(targets))
    images, targets = images[order], targets[order]
    old, new = targets < 5, targets >= 5
    batches = [list(zip(images[one].split(32), (targets[one] % 5).split(32), strict=True)) for one in (old, new)]
    return batches[0], batches[1]


def accuracy(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs.argmax(1) == targets).float().mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    torch.manual_seed(0)
    old, new = split()
    early = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    late = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten())
    model = nn.Sequential(early, late, nn.Linear(512, 5))
    with sf.Loop(model, torch.optim.AdamW(model.parameters(), lr=3e-3)) as loop:
        loop.fit(old, nn.functional.cross_entropy, options.epochs)

    early.requires_grad_(False)
    model[2] = nn.Linear(512, 5)  # before the optimizer is made, or it would never hear of it
    groups = [
        {"params": late.parameters(), "lr": 3e-4},
        {"params": model[2].parameters(), "lr": 3e-3, "clip_norm": 0.5},
    ]
    with sf.Loop(model, torch.optim.AdamW(groups), clip_norm=1.0) as loop:
        loop.fit(new[5:], nn.functional.cross_entropy, options.epochs, validate=new[:5], metrics={"accuracy": accuracy})
        print(f"{loop.num_updates} updates, held-out accuracy {loop.history['val/accuracy'][-1]:.1%}")


if __name__ == "__main__":
    main()
