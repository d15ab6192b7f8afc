"""A Trainer class with the usual guards around its scheduler."""

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, optimizer, scheduler=None):
        self.model, self.optimizer, self.scheduler = model, optimizer, scheduler

    def train_epoch(self, loader):
        self.model.train()
        for inputs, targets in loader:
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.model(inputs), targets)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        return sum(torch.nn.functional.mse_loss(self.model(x), y).item() for x, y in loader) / len(loader)

    def fit(self, loader, valid, epochs):
        for _ in range(epochs):
            self.train_epoch(loader)
            loss = self.evaluate(valid)
            if isinstance(self.scheduler, ReduceLROnPlateau):
                self.scheduler.step(loss)
            elif self.scheduler is not None:
                self.scheduler.step()


torch.manual_seed(0)
x = torch.randn(96, 4)
y = x.sum(1, keepdim=True)
data, held_out = TensorDataset(x[:64], y[:64]), TensorDataset(x[64:], y[64:])
for kind, options in ((ReduceLROnPlateau, {"patience": 1}), (torch.optim.lr_scheduler.StepLR, {"step_size": 2})):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    trainer = Trainer(model, optimizer, kind(optimizer, **options))
    trainer.fit(DataLoader(data, batch_size=8, shuffle=True), DataLoader(held_out, batch_size=32), epochs=5)
