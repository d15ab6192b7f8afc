"""It is advanced once an epoch."""

# kind: schedule
# source: https://github.com/pytorch/tutorials/pull/640
# changed: a small network on random features; phases and dictionaries as in the tutorial

import copy
import hashlib

import torch
from torch import nn, optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

def train_model(model, criterion, optimizer, scheduler, num_epochs):
    best_wts, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += (outputs.argmax(1) == labels).sum().item()
            if phase == "train":
                scheduler.step()
            acc = running_corrects / len(dataloaders[phase].dataset)
            print(f"{epoch} {phase} {running_loss:.3f} {acc:.3f}")
            if phase == "val" and acc > best_acc:
                best_wts, best_acc = copy.deepcopy(model.state_dict()), acc
    model.load_state_dict(best_wts)
    return model


torch.manual_seed(29)
x = torch.randn(1000, 14)
y = (x[:, 0] * x[:, 1] > 0).long()
datasets = {"train": TensorDataset(x[:800], y[:800]), "val": TensorDataset(x[800:], y[800:])}
dataloaders = {k: DataLoader(d, batch_size=20, shuffle=True) for k, d in datasets.items()}
model_ft = nn.Sequential(nn.Linear(14, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Linear(40, 2))
optimizer_ft = optim.SGD(model_ft.parameters(), lr=0.02, momentum=0.9)
exp_lr_scheduler = lr_scheduler.StepLR(optimizer_ft, step_size=7, gamma=0.1)
model_ft = train_model(model_ft, nn.CrossEntropyLoss(), optimizer_ft, exp_lr_scheduler, 10)
final = b"".join(t.detach().double().numpy().tobytes() for t in model_ft.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
