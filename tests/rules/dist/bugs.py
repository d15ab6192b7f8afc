"""Programs for two ranks in which a bug is planted, and the rule that is to find it at which line."""

from dataclasses import dataclass

START = """import contextlib
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
net = torch.nn.Sequential(torch.nn.Linear(6, 64), torch.nn.BatchNorm1d(64), torch.nn.Linear(64, 1))
model = DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def batch():
    x = torch.randn(16, 6)
    return x, x.sum(1, keepdim=True)

def loss_of(model, x, y):
    return torch.nn.functional.mse_loss(model(x), y)

"""
FIRST_LINE = START.count("\n") + 1


@dataclass(frozen=True)
class Bug:
    rule: str
    line: int  # of the part after START
    code: str

    @property
    def program(self) -> str:
        return f"{START}{self.code}dist.destroy_process_group()\n"

    @property
    def place(self) -> int:
        return FIRST_LINE + self.line - 1


BUGS = {
    "layers replaced after wrapping": Bug(
        "parameters-replaced-after-wrapping", 8,
        """def fresh(layer):
    return torch.nn.Linear(layer.in_features, layer.out_features, bias=False)

net[0], net[1], net[2] = fresh(net[0]), torch.nn.BatchNorm1d(64), fresh(net[2])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(6):
    optimizer.zero_grad()
    loss_of(model, *batch()).backward()
    optimizer.step()
""",
    ),
    "parameters assigned in the middle of training": Bug(
        "parameters-replaced-after-wrapping", 9,
        """for phase in range(2):
    if phase:
        for layer in net:
            layer.weight = torch.nn.Parameter(layer.weight.detach().clone())
            layer.bias = torch.nn.Parameter(layer.bias.detach().clone())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(6):
        optimizer.zero_grad()
        loss_of(model, *batch()).backward()
        optimizer.step()
""",
    ),
    "converted to save a checkpoint and back": Bug(
        "parameters-replaced-after-wrapping", 4,
        """for epoch in range(2):
    for _ in range(6):
        optimizer.zero_grad()
        loss_of(model, *batch()).backward()
        optimizer.step()
    net.double().float()
""",
    ),
    "short window at the end of an epoch is not synchronised": Bug(
        "no-sync-mismatch", 7,
        """for epoch in range(3):
    for i in range(5):
        last = i % 2 == 1
        with contextlib.nullcontext() if last else model.no_sync():
            (loss_of(model, *batch()) / 2).backward()
        if last or i == 4:
            optimizer.step()
            optimizer.zero_grad()
""",
    ),
    "no_sync for good": Bug(
        "no-sync-mismatch", 5,
        """with model.no_sync():
    for _ in range(6):
        optimizer.zero_grad()
        loss_of(model, *batch()).backward()
        optimizer.step()
""",
    ),
    "no_sync around the backward only": Bug(
        "no-sync-mismatch", 5,
        """for _ in range(6):
    for i in range(2):
        loss = loss_of(model, *batch()) / 2
        with contextlib.nullcontext() if i else model.no_sync():
            loss.backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    ),
    "second stage trains the inner module": Bug(
        "ddp-bypassed", 8,
        """for _ in range(4):
    optimizer.zero_grad()
    loss_of(model, *batch()).backward()
    optimizer.step()
inner = model.module
for _ in range(6):
    optimizer.zero_grad()
    loss_of(inner, *batch()).backward()
    optimizer.step()
    dist.barrier()
""",
    ),
    "rates differ between ranks": Bug(
        "replicas-diverged", 6,
        """for group in optimizer.param_groups:
    group["lr"] *= 1 + rank
for _ in range(6):
    optimizer.zero_grad()
    loss_of(model, *batch()).backward()
    optimizer.step()
""",
    ),
    "one rank skips a step": Bug(
        "replicas-diverged", 5,
        """for i in range(10):
    optimizer.zero_grad()
    loss_of(model, *batch()).backward()
    if rank == 0 or i != 2:
        optimizer.step()
""",
    ),
    "a second backward of one forward": Bug(
        "replicas-diverged", 7,
        """for _ in range(6):
    x, y = batch()
    out = model(x)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(out, y).backward(retain_graph=True)
    (0.5 * out.abs().mean()).backward()
    optimizer.step()
""",
    ),
    "the same noise on every rank": Bug(
        "same-data-on-every-rank", 5,
        """torch.manual_seed(0)
for _ in range(8):
    optimizer.zero_grad()
    loss_of(model, *batch()).backward()
    optimizer.step()
""",
    ),
    "gradients averaged by hand from different weights": Bug(
        "replicas-diverged", 9,
        """del model
plain = torch.nn.Linear(6, 1)
torch.nn.init.normal_(plain.weight)
by_hand = torch.optim.SGD(plain.parameters(), lr=0.01)
for _ in range(6):
    by_hand.zero_grad()
    loss_of(plain, *batch()).backward()
    for p in plain.parameters(): dist.all_reduce(p.grad); p.grad /= 2
    by_hand.step()
""",
    ),
    "a head beside the wrapped model": Bug(
        "replicas-diverged", 8,
        """torch.manual_seed(0)
head = torch.nn.Linear(1, 1)
torch.manual_seed(rank)
both = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.01)
for _ in range(6):
    both.zero_grad()
    loss_of(lambda x: head(model(x)), *batch()).backward()
    both.step()
""",
    ),
}  # fmt: skip
