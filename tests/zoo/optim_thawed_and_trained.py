"""Parts that are thawed in the middle of training, each of which somebody trains or has trained."""

import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 8), nn.ReLU())
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


def epoch(model: nn.Module, optimizer: torch.optim.Optimizer, after_step=lambda: None) -> None:
    for _ in range(6):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after_step()


def given_from_the_start(net: Net) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    epoch(net, optimizer)
    net.body.requires_grad_(True)
    epoch(net, optimizer)


def given_later(net: Net) -> None:
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.01)
    epoch(net, optimizer)
    net.body.requires_grad_(True)
    optimizer.add_param_group({"params": net.body.parameters(), "lr": 0.001})
    epoch(net, optimizer)


def in_turns(net: Net) -> None:
    """The body keeps its gradients on while the head has its second turn."""
    head, body = (torch.optim.SGD(part.parameters(), lr=0.01) for part in (net.head, net.body))
    epoch(net, head)
    net.body.requires_grad_(True)
    epoch(net, body)
    epoch(net, head, after_step=net.body.zero_grad)


def moved_by_hand(net: Net) -> None:
    def move() -> None:
        with torch.no_grad():
            for param in net.body.parameters():
                param -= 0.01 * param.grad
                param.grad = None

    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.01)
    epoch(net, optimizer)
    net.body.requires_grad_(True)
    epoch(net, optimizer, after_step=move)


for train in (given_from_the_start, given_later, in_turns, moved_by_hand):
    model = Net()
    model.body.requires_grad_(False)
    train(model)
