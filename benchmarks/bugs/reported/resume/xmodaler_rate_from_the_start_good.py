"""Resumed training begins with the first learning rate, because the schedule was not in the checkpoint."""

# kind: resume
# source: https://github.com/YehLi/xmodaler/issues/15
# changed: a step schedule on made-up captions; resuming sets the configured rate, as a fresh schedule of that project does

import hashlib
import os
import tempfile
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Solver:
    base_lr: float = 0.05
    step_size: int = 30
    gamma: float = 0.3
    max_iter: int = 150


class Runner:
    def __init__(self, cfg, output_dir):
        self.cfg, self.output_dir, self.iter = cfg, output_dir, 0
        self.model = nn.Sequential(nn.Embedding(20, 24), nn.Flatten(), nn.Linear(4 * 24, 20))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=cfg.base_lr, momentum=0.9)
        self.lr_scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, cfg.step_size, cfg.gamma)

    def save(self):
        data = {"iteration": self.iter, "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        data["lr_scheduler"] = self.lr_scheduler.state_dict()
        torch.save(data, os.path.join(self.output_dir, "model.pth"))

    def resume_or_load(self):
        data = torch.load(os.path.join(self.output_dir, "model.pth"))
        self.model.load_state_dict(data["model"])
        self.optimizer.load_state_dict(data["optimizer"])
        self.lr_scheduler.load_state_dict(data["lr_scheduler"])
        self.iter = data["iteration"]

    def train(self, until):
        while self.iter < until:
            tokens = torch.randint(0, 20, (32, 4))
            loss = nn.functional.cross_entropy(self.model(tokens), tokens[:, 1])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.lr_scheduler.step()
            self.iter += 1
        print(self.iter, loss.item(), self.optimizer.param_groups[0]["lr"])


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as output_dir:
    cfg = Solver()
    first = Runner(cfg, output_dir)
    first.train(until=90)
    first.save()
    runner = Runner(cfg, output_dir)
    runner.resume_or_load()
    runner.train(until=cfg.max_iter)
final = b"".join(t.detach().float().numpy().tobytes() for t in runner.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
