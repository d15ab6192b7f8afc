"""A resumed run makes a new MultiStepLR that counts from 0, while the optimizer and the epoch go on."""

# kind: resume
# source: https://github.com/chnsh/DCRNN_PyTorch/issues/5
# changed: a random walk in place of traffic; both runs in one script
# gap: the checkpoint holds no schedule that could be missed, and a new one may be meant

import hashlib
import os
import tempfile
import torch
from torch import nn


class Supervisor:
    def __init__(self, path, epoch=0):
        torch.manual_seed(2)
        self.model = nn.GRU(2, 16, batch_first=True)
        self.out = nn.Linear(16, 2)
        self.path, self.epoch = path, epoch
        self.params = [*self.model.parameters(), *self.out.parameters()]
        self.optimizer = torch.optim.Adam(self.params, lr=0.01)
        if epoch:
            saved = torch.load(os.path.join(path, f"epo{epoch}.tar"))
            self.model.load_state_dict(saved["model"])
            self.out.load_state_dict(saved["out"])
            self.optimizer.load_state_dict(saved["optimizer"])
        self.scheduler = torch.optim.lr_scheduler.MultiStepLR(self.optimizer, [4, 8], 0.1)  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume

    def save(self):
        state = {"model": self.model.state_dict(), "out": self.out.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save(state, os.path.join(self.path, f"epo{self.epoch}.tar"))

    def train(self, until):
        while self.epoch < until:
            for _ in range(8):
                series = torch.randn(16, 9, 2).cumsum(1) * 0.2
                pred = self.out(self.model(series[:, :-1])[0])
                loss = (pred - series[:, 1:]).abs().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.scheduler.step()
            self.epoch += 1
            print(self.epoch, loss.item(), self.optimizer.param_groups[0]["lr"])
        self.save()


with tempfile.TemporaryDirectory() as folder:
    Supervisor(folder).train(6)
    second = Supervisor(folder, epoch=6)
    second.train(10)
model = second.model

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
