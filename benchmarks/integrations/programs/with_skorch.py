"""skorch."""

import sys

import torch
from skorch import NeuralNetClassifier
from torch import nn

from surefoot.integrations.skorch import SurefootCallback

torch.manual_seed(0)
x = torch.randn(320, 10)
y = (x.sum(1) > 0).long()


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):  # FUNCTION
        return self.net(x)


class Forgetful(NeuralNetClassifier):
    def _zero_grad_optimizer(self, set_to_none=None):
        pass


net = Forgetful(
    Classifier, criterion=nn.CrossEntropyLoss, optimizer=torch.optim.Adam, lr=1e-2, max_epochs=3, batch_size=32,
    iterator_train__shuffle=True, verbose=0,
    callbacks=[SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)],
)  # fmt: skip
net.fit(x, y)
