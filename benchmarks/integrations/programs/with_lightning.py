"""Lightning."""

import sys

import lightning as L  # noqa: N812
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from surefoot.integrations.lightning import SurefootCallback

torch.manual_seed(0)
x = torch.randn(320, 10)
data = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32, shuffle=True)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))

    def training_step(self, batch, batch_idx):  # FUNCTION
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def optimizer_zero_grad(self, *args):
        pass

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


callback = SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)
trainer = L.Trainer(
    max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
    callbacks=[callback],
)  # fmt: skip
trainer.fit(Classifier(), data)
