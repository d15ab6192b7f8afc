"""A GAN with two optimizers: a backward for one reaches only its own parameters, so nothing has to be cleared by hand.

It learns a ring of eight spots.
"""

import argparse

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

import surefoot as sf


def ring(num: int) -> Tensor:
    angle = torch.randint(8, (num,)) * (torch.pi / 4)
    return torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(num, 2)


def layers(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, outputs)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1500)
    options = parser.parse_args()
    torch.manual_seed(0)
    models = {"g": layers(8, 2), "d": layers(2, 1)}
    optimizers = {name: torch.optim.Adam(model.parameters(), 1e-3, (0.5, 0.99)) for name, model in models.items()}
    with sf.Loop(models, optimizers, clip_norm={"d": 5.0}) as loop:
        for real in loop.batches(lambda: (ring(64) for _ in range(options.rounds))):
            with loop.step("d") as step:
                fake = models["g"](torch.randn(64, 8)).detach()
                step.backward(softplus(-models["d"](real)).mean() + softplus(models["d"](fake)).mean())
            with loop.step("g") as step:
                step.backward(softplus(-models["d"](models["g"](torch.randn(64, 8)))).mean())
        with torch.no_grad():
            radius = models["g"](torch.randn(1000, 8)).norm(dim=1)
        spread = f"{radius.mean():.2f} ± {radius.std():.2f}"
        print(f"{loop.num_updates} updates; points at radius {spread}, real ones at 1.00")


if __name__ == "__main__":
    main()
