"""The checkpoint holds weights and optimizer; the schedule of the second run begins anew."""

# kind: resume
# source: https://github.com/PolymathicAI/the_well/issues/77
# changed: both runs in one script on a small solver; without a scaler

import hashlib
import os
import tempfile

import torch
from torch import nn

class Trainer:
    def __init__(self, folder, max_epochs=10):
        torch.manual_seed(8)
        self.model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-3)
        warm = torch.optim.lr_scheduler.LinearLR(self.optimizer, 0.1, 1.0, total_iters=2)
        decay = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, max_epochs - 2, eta_min=1e-4)
        self.lr_scheduler = torch.optim.lr_scheduler.SequentialLR(self.optimizer, [warm, decay], [2])
        self.path = os.path.join(folder, "recent.pt")
        self.starting_epoch = 0
        self.max_epochs = max_epochs

    def save_model(self, epoch):
        state = {"epoch": epoch, "model_state_dict": self.model.state_dict(), "optimizer_state_dict": self.optimizer.state_dict()}
        torch.save(state, self.path)

    def load_checkpoint(self):
        checkpoint = torch.load(self.path)
        self.model.load_state_dict(checkpoint["model_state_dict"])
        self.optimizer.load_state_dict(checkpoint["optimizer_state_dict"])  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume  ALSO: schedule-never-finishes
        self.starting_epoch = checkpoint["epoch"] + 1

    def train(self, stop):
        for epoch in range(self.starting_epoch, stop):
            for _ in range(20):
                state = torch.randn(32, 16)
                loss = nn.functional.mse_loss(self.model(state), state.roll(1, 1) * 0.9)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.lr_scheduler.step()  # BUG: schedule-restarted-after-resume, learning-rate-jumped-after-resume  ALSO: schedule-never-finishes
            self.save_model(epoch)
            print(epoch, loss.item(), self.optimizer.param_groups[0]["lr"])


with tempfile.TemporaryDirectory() as folder:
    Trainer(folder).train(6)
    trainer = Trainer(folder)
    trainer.load_checkpoint()
    trainer.train(10)
final = b"".join(t.detach().double().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
