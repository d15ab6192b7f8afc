"""Ignite."""

import sys

import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, Average
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from surefoot.integrations.ignite import SurefootHandler

torch.manual_seed(0)
x = torch.randn(320, 10)
data = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def update(engine, batch):
    inputs, targets = batch
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()  # FUNCTION
    return loss.item()


def evaluate(engine, batch):
    with torch.no_grad():
        return model(batch[0]), batch[1]


trainer, evaluator = Engine(update), Engine(evaluate)
Average().attach(trainer, "train_loss")
Accuracy().attach(evaluator, "accuracy")
SurefootHandler(stop_on=sys.argv[1] if len(sys.argv) > 1 else None).attach(trainer, val=evaluator)
trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda engine: evaluator.run(data))
trainer.run(data, max_epochs=3)
