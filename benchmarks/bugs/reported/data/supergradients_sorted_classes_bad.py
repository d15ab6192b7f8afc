"""Default loader settings do not shuffle, and the files are sorted by class."""

# kind: data
# source: https://github.com/Deci-AI/super-gradients/issues/416
# changed: random vectors sorted by class in place of ImageNet

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEFAULTS = {"batch_size": 20, "num_workers": 0, "drop_last": False}


def imagenet_train(dataloader_params=None):
    torch.manual_seed(0)
    labels = torch.arange(5).repeat_interleave(64)
    features = torch.randn(320, 12) + nn.functional.one_hot(labels, 12) * 2
    return DataLoader(TensorDataset(features, labels), **{**DEFAULTS, **(dataloader_params or {})})  # BUG: unshuffled-training-data  ALSO: loss-oscillating


class Trainer:
    def __init__(self, net, lr):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)

    def train(self, loader, max_epochs):
        for epoch in range(max_epochs):
            self.net.train()
            for inputs, targets in loader:  # BUG: unshuffled-training-data  ALSO: loss-oscillating
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.net(inputs), targets)
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


train_dataloader = imagenet_train()  # BUG: unshuffled-training-data  ALSO: loss-oscillating
trainer = Trainer(nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 5)), lr=0.01)
trainer.train(train_dataloader, max_epochs=6)
final = b"".join(t.detach().float().numpy().tobytes() for t in trainer.net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
