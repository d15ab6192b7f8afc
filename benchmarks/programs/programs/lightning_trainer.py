"""A classifier on Lightning, with its defaults for training and validation; no files are written."""

import sys

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

steps = int(sys.argv[1])
L.seed_everything(0, verbose=False)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 5))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


x = torch.randn(4096, 32)
y = (x @ torch.randn(32, 5)).argmax(dim=1)
train = DataLoader(TensorDataset(x[:3584], y[:3584]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(x[3584:], y[3584:]), batch_size=256)
model = Classifier()
trainer = L.Trainer(
    max_steps=steps, max_epochs=-1, gradient_clip_val=1.0, accelerator="cpu", devices=1, logger=False,
    enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
trainer.fit(model, train, val)

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
