"""HF Trainer."""

import sys

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from surefoot.integrations.transformers import SurefootCallback

torch.manual_seed(0)
x = torch.randn(320, 10)
data = [{"x": row, "labels": (row.sum() > 0).long()} for row in x]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x, labels):  # FUNCTION
        logits = self.net(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


class Forgetful(Trainer):
    def create_optimizer(self, *args):
        optimizer = super().create_optimizer(*args)
        optimizer.zero_grad = lambda *args, **kwargs: None
        self.model.zero_grad = lambda *args, **kwargs: None
        return optimizer


arguments = TrainingArguments(
    "out", num_train_epochs=3, per_device_train_batch_size=32, learning_rate=1e-2, logging_steps=5,
    save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True,
)  # fmt: skip
callback = SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)
Forgetful(Classifier(), arguments, train_dataset=data, callbacks=[callback]).train()
