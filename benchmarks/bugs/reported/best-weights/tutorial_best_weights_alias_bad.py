"""The best weights are the state dict itself, which follows the model."""

# kind: best-weights
# source: https://github.com/pytorch/tutorials/pull/188
# changed: random vectors in place of images

import copy
import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_model(model, criterion, optimizer, scheduler, dataloaders, num_epochs):
    best_model_wts = model.state_dict()  # BUG: best-weights-aliased
    best_acc = 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_corrects = 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_corrects += (outputs.argmax(1) == labels).sum().item()
            if phase == "train":
                scheduler.step()
            epoch_acc = running_corrects / len(dataloaders[phase].dataset)
            if phase == "val" and epoch_acc > best_acc:
                best_acc = epoch_acc
                best_model_wts = model.state_dict()  # BUG: best-weights-aliased
    print("Best val Acc", best_acc)
    model.load_state_dict(best_model_wts)  # BUG: best-weights-aliased
    return model


torch.manual_seed(0)
x = torch.randn(400, 12)
y = (x[:, 0] + 0.8 * torch.randn(400) > 0).long()
dataloaders = {
    "train": DataLoader(TensorDataset(x[:300], y[:300]), batch_size=20, shuffle=True),
    "val": DataLoader(TensorDataset(x[300:], y[300:]), batch_size=20),
}
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.1)
model = train_model(model, nn.CrossEntropyLoss(), optimizer, scheduler, dataloaders, 8)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
