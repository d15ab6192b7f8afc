"""Samples that were trained on are read again for good reasons, or by another model than the one that saw them."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(160, 8)
y = (x.sum(1) > 0).long()
data = TensorDataset(x, y)


def build():
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
    return model, torch.optim.Adam(model.parameters(), lr=1e-2)


def train(model, optimizer, loader):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    return sum(nn.functional.cross_entropy(model(xb), yb).item() for xb, yb in loader)


def cross_validate():
    parts = torch.arange(160).chunk(4)
    for k, part in enumerate(parts):
        model, optimizer = build()
        rest = torch.cat([other for j, other in enumerate(parts) if j != k]).tolist()
        train_loader = DataLoader(Subset(data, rest), batch_size=16, shuffle=True)
        val_loader = DataLoader(Subset(data, part.tolist()), batch_size=16)
        for _ in range(2):
            train(model, optimizer, train_loader)
            evaluate(model, val_loader)


def cross_fit():
    """Each model is tested on the half that the other one was trained on."""
    halves, models = [Subset(data, range(80)), Subset(data, range(80, 160))], []
    for half in halves:
        model, optimizer = build()
        train(model, optimizer, DataLoader(half, batch_size=16, shuffle=True))
        models.append(model)
    for model, half in zip(models, reversed(halves)):
        test_loader = DataLoader(half, batch_size=16)
        evaluate(model, test_loader)


def score_both_parts():
    model, optimizer = build()
    train_set, val_set = random_split(data, [128, 32])
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
    train_eval_loader, val_loader = DataLoader(train_set, batch_size=64), DataLoader(val_set, batch_size=32)
    for _ in range(3):
        train(model, optimizer, train_loader)
        for loader in (train_eval_loader, val_loader, train_loader):
            evaluate(model, loader)
    torch.optim.swa_utils.update_bn(DataLoader(train_set, batch_size=32), model)


class Switched(Dataset):
    """One object that holds both parts."""

    def __init__(self):
        self.part = "train"

    def __len__(self):
        return 64

    def __getitem__(self, index):
        index += 80 * (self.part == "val")
        return x[index], y[index]


class MadeUp(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        sample = torch.randn(8)
        return sample, (sample.sum() > 0).long()


def one_object_for_both(both):
    model, optimizer = build()
    train_loader, val_loader = DataLoader(both, batch_size=16, shuffle=True), DataLoader(both, batch_size=16)
    for _ in range(3):
        both.part = "train"
        train(model, optimizer, train_loader)
        both.part = "val"
        evaluate(model, val_loader)


def overfit_one_batch():
    model, optimizer = build()
    few = Subset(data, range(16))
    train_loader, val_loader = DataLoader(few, batch_size=16), DataLoader(few, batch_size=16)
    for _ in range(10):
        train(model, optimizer, train_loader)
        evaluate(model, val_loader)


def a_few_to_look_at():
    """Some of the samples that are drawn as pictures were trained on."""
    model, optimizer = build()
    train_loader = DataLoader(Subset(data, range(128)), batch_size=16, shuffle=True)
    val_loader = DataLoader(Subset(data, range(124, 160)), batch_size=18)
    for _ in range(3):
        train(model, optimizer, train_loader)
        evaluate(model, val_loader)


def all_there_is():
    model, optimizer = build()
    train_loader = DataLoader(Subset(data, range(128)), batch_size=16, shuffle=True)
    for _ in range(3):
        train(model, optimizer, train_loader)
    test_loader = DataLoader(data, batch_size=32)  # predictions for every sample are kept
    evaluate(model, test_loader)


cross_validate()
cross_fit()
a_few_to_look_at()
all_there_is()
score_both_parts()
one_object_for_both(Switched())
one_object_for_both(MadeUp())
overfit_one_batch()
