"""Fine-tuning: the head alone first, then the whole network at a lower rate."""

import hashlib

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.layer1 = nn.Sequential(nn.Conv2d(8, 12, 3, padding=1), nn.ReLU())
        self.fc = nn.Linear(12, 10)

    def forward(self, x):
        x = self.layer1(self.stem(x))
        return self.fc(x.mean(dim=(-2, -1)))


def build_model(num_classes):
    model = Backbone()  # here the pretrained weights would be loaded
    for param in model.parameters():
        param.requires_grad = False
    model.fc = nn.Linear(model.fc.in_features, num_classes)
    return model


def run_epoch(model, loader, criterion, optimizer):
    model.train()
    running_loss, running_corrects = 0.0, 0
    for inputs, labels in loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()  # BUG: parameters-not-in-optimizer
        optimizer.step()  # BUG: parameters-not-in-optimizer
        running_loss += loss.item() * inputs.size(0)
        running_corrects += torch.sum(outputs.argmax(1) == labels).item()
    return running_loss / len(loader.dataset), running_corrects / len(loader.dataset)


torch.manual_seed(21)
labels = torch.randint(0, 4, (128,))
images = torch.randn(128, 3, 8, 8) + 0.3 * labels.view(-1, 1, 1, 1)
loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)

model_ft = build_model(num_classes=4)
criterion = nn.CrossEntropyLoss()
optimizer_ft = torch.optim.SGD(  # BUG: parameters-not-in-optimizer
    filter(lambda p: p.requires_grad, model_ft.parameters()), lr=0.01, momentum=0.9
)

for epoch in range(4):
    if epoch == 2:
        print("unfreezing the backbone")
        for param in model_ft.parameters():
            param.requires_grad = True  # BUG: parameters-not-in-optimizer
        for group in optimizer_ft.param_groups:
            group["lr"] = 0.001
    print("epoch %d: loss %.4f acc %.4f" % (epoch, *run_epoch(model_ft, loader, criterion, optimizer_ft)))

final = b"".join(t.detach().float().numpy().tobytes() for t in model_ft.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
