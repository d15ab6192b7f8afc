"""fastai."""

import sys

import torch
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.optimizer import Adam
from torch import nn
from torch.utils.data import TensorDataset

from surefoot.integrations.fastai import SurefootCallback

torch.manual_seed(0)
x = torch.randn(320, 10)
dataset = TensorDataset(x, (x.sum(1) > 0).long())
data = DataLoaders.from_dsets(dataset, dataset, bs=32, shuffle=True, device="cpu")


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x):  # FUNCTION
        return self.net(x)


learner = Learner(
    data, Classifier(), loss_func=nn.CrossEntropyLoss(), opt_func=Adam, lr=1e-2, train_bn=False,
    cbs=[SurefootCallback(stop_on=sys.argv[1] if len(sys.argv) > 1 else None)],
)  # fmt: skip
learner.create_opt()
learner.opt.zero_grad = lambda: None
learner.fit(3)
