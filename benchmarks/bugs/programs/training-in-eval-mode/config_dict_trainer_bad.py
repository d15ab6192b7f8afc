"""A trainer that is told everything by a dictionary, and keeps the best validation accuracy."""

import hashlib

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

CONFIG = {
    "seed": 1234,
    "model": {"channels": [1, 4, 8], "dropout": 0.2, "num_classes": 3},
    "optimizer": {"name": "AdamW", "lr": 2e-3, "weight_decay": 1e-2},
    "train": {"epochs": 3, "batch_size": 24, "eval_every": 1},
}


class ConvNet(nn.Module):
    def __init__(self, channels, dropout, num_classes):
        super().__init__()
        blocks = []
        for c_in, c_out in zip(channels[:-1], channels[1:]):
            blocks += [nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU(), nn.MaxPool2d(2)]
        self.features = nn.Sequential(*blocks)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(channels[-1], num_classes)

    def forward(self, x):
        x = self.features(x).mean(dim=(2, 3))
        return self.classifier(self.dropout(x))


class Trainer:
    def __init__(self, config, train_set, val_set):
        self.cfg = config["train"]
        self.model = ConvNet(**config["model"])
        opt_cfg = dict(config["optimizer"])
        self.optimizer = getattr(optim, opt_cfg.pop("name"))(self.model.parameters(), **opt_cfg)
        self.criterion = nn.CrossEntropyLoss()
        self.train_loader = DataLoader(train_set, self.cfg["batch_size"], shuffle=True)
        self.val_loader = DataLoader(val_set, self.cfg["batch_size"])
        self.best = 0.0

    def train_one_epoch(self):
        total = 0.0
        for images, labels in self.train_loader:
            self.optimizer.zero_grad()
            logits = self.model(images)  # BUG: training-in-eval-mode
            loss = self.criterion(logits, labels)
            loss.backward()  # BUG: training-in-eval-mode
            self.optimizer.step()  # BUG: training-in-eval-mode
            total += loss.item() * len(labels)
        return total / len(self.train_loader.dataset)

    @torch.no_grad()
    def validate(self):
        self.model.eval()  # BUG: training-in-eval-mode
        correct = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.val_loader)
        return correct / len(self.val_loader.dataset)

    def run(self):
        self.model.train()
        for epoch in range(self.cfg["epochs"]):
            loss = self.train_one_epoch()
            if epoch % self.cfg["eval_every"] == 0:
                accuracy = self.validate()
                self.best = max(self.best, accuracy)
                print(f"[{epoch}] loss={loss:.3f} val_acc={accuracy:.3f} best={self.best:.3f}")


torch.manual_seed(CONFIG["seed"])
labels = torch.randint(0, 3, (240,))
images = torch.randn(240, 1, 8, 8) + labels.view(-1, 1, 1, 1).float() * 0.5
train_set, val_set = random_split(TensorDataset(images, labels), [192, 48])
trainer = Trainer(CONFIG, train_set, val_set)
trainer.run()
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
