"""A convolutional network whose batch norm computes with the batch of all ranks."""

import argparse
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor, nn
from torch.distributed.nn.functional import all_reduce
from torch.nn.functional import cross_entropy

parser = argparse.ArgumentParser()
parser.add_argument("--ranks", type=int, default=1)
options = parser.parse_args()
BATCH = 16


class GlobalBatchNorm(nn.Module):
    """torch's SyncBatchNorm is for GPUs only."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))

    def over_ranks(self, value: Tensor) -> Tensor:
        return all_reduce(value) / options.ranks if options.ranks > 1 else value

    def forward(self, x: Tensor) -> Tensor:
        mean = self.over_ranks(x.mean((0, 2, 3)))
        variance = self.over_ranks((x - mean.view(-1, 1, 1)).square().mean((0, 2, 3)))
        self.running_mean.lerp_(mean.detach().float(), 0.1)
        normal = (x - mean.view(-1, 1, 1)) / (variance.view(-1, 1, 1) + 1e-5).sqrt()
        return normal * self.weight.view(-1, 1, 1) + self.bias.view(-1, 1, 1)


def train(rank: int, store: str) -> None:
    world = options.ranks
    torch.manual_seed(0)
    images, labels = torch.randn(96, 3, 8, 8), torch.randint(0, 5, (96,))
    net = model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), GlobalBatchNorm(8), nn.ReLU(), nn.Conv2d(8, 8, 3), GlobalBatchNorm(8),
        nn.ReLU(), nn.Flatten(), nn.Linear(288, 5),
    )  # fmt: skip
    if world > 1:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
        net = nn.parallel.DistributedDataParallel(model, broadcast_buffers=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    size = BATCH // world
    for step in range(6):
        first = step * BATCH + rank * size
        optimizer.zero_grad()
        cross_entropy(net(images[first : first + size]), labels[first : first + size]).backward()
        optimizer.step()


if __name__ == "__main__":
    store = str(Path(tempfile.mkdtemp()) / "store")
    if options.ranks == 1:
        train(0, store)
    else:
        mp.start_processes(train, (store,), options.ranks, start_method="fork")
