"""Resumed runs whose average is filled by hand, begins anew from the model, or was never meant to be taken up."""

import copy
import io

import torch
from torch import nn


class Run:
    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        self.ema = copy.deepcopy(self.model).requires_grad_(False)
        self.critic = nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam([*self.model.parameters(), *self.critic.parameters()], lr=0.01)

    def train(self) -> None:
        for _ in range(6):
            x = torch.randn(16, 4)
            self.optimizer.zero_grad()
            (nn.functional.mse_loss(self.model(x), x[:, :2]) + self.critic(x).square().mean()).backward()
            self.optimizer.step()
            with torch.no_grad():
                for e, p in zip(self.ema.parameters(), self.model.parameters(), strict=True):
                    e.lerp_(p, 0.1)

    def save(self) -> io.BytesIO:
        parts = {"model": self.model, "ema": self.ema, "critic": self.critic, "optimizer": self.optimizer}
        file = io.BytesIO()
        torch.save({name: part.state_dict() for name, part in parts.items()}, file)
        file.seek(0)
        return file


first = Run(0)
first.train()
file = first.save()

for seed in (1, 2, 3):
    run = Run(seed)
    file.seek(0)
    checkpoint = torch.load(file)
    run.model.load_state_dict(checkpoint["model"])
    if seed == 1:  # by hand
        run.critic.load_state_dict(checkpoint["critic"])
        run.optimizer.load_state_dict(checkpoint["optimizer"])
        with torch.no_grad():
            for name, value in run.ema.named_parameters():
                value.copy_(checkpoint["ema"][name])
    elif seed == 2:  # the average begins anew where the model stands; so does the critic, which is trained
        run.optimizer.load_state_dict(checkpoint["optimizer"])
        run.ema.load_state_dict(run.model.state_dict())
    run.train()
