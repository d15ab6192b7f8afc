"""What a fragment of a training loop takes for granted, under names that people use: a small classifier, its data."""

import copy  # noqa: F401
import math  # noqa: F401
import os  # noqa: F401
import random  # noqa: F401
import time  # noqa: F401
from typing import Any

import numpy as np  # noqa: F401
import torch
import torch as th  # noqa: F401
import torch.nn.functional as F  # noqa: F401, N812
from torch import nn, optim
from torch.autograd import Variable  # noqa: F401
from torch.optim import SGD, Adam  # noqa: F401
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset, TensorDataset  # noqa: F401

torch.manual_seed(0)
FEATURES, CLASSES, SAMPLES, BATCH = 8, 4, 64, 16


def data() -> tuple[torch.Tensor, torch.Tensor]:
    features = torch.randn(SAMPLES, FEATURES)
    return features, features[:, :CLASSES].argmax(1)


def network() -> nn.Module:
    first, last = nn.Linear(FEATURES, 16), nn.Linear(16, CLASSES)
    return nn.Sequential(first, nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), last)


class Settings:
    """Every setting that is asked for."""

    cuda, lr, epochs, num_epochs, batch_size, log_interval, clip = False, 0.01, 1, 1, BATCH, 10, 1.0

    def __getattr__(self, name: str) -> Any:
        return False


device = DEVICE = dev = torch.device("cpu")
model = net = model1 = network()
criterion = loss_fn = loss_function = loss_func = loss_fun = ce_loss = nn.CrossEntropyLoss()
optimizer = opt = optimiser = optim.SGD(model.parameters(), lr=0.01)
train_set = trainset = dataset = train_dataset = train_data = dataset_train = TensorDataset(*data())
train_loader = trainloader = train_dataloader = DataLoader(train_set, BATCH, shuffle=True)
dataloader = data_loader = loader = batches = train_loader
test_loader = testloader = test_dataloader = DataLoader(TensorDataset(*data()), BATCH)
val_loader = valloader = valid_loader = validation_loader = test_loader
inputs = input = data_in = x = X = batch_X = x_train = X_train = images = img = data()[0][:BATCH]
labels = target = targets = y = batch_y = y_train = label = x[:, :CLASSES].argmax(1)
epochs = num_epochs = n_epochs = EPOCHS = N_EPOCHS = 1
batch_size = BATCH
lr = learning_rate = 0.01
epoch = i = step = batch_idx = running_loss = total_loss = train_loss = 0
args = opt_args = config = Settings()
losses: list[float] = []
loss_list: list[float] = []
training_loss: list[float] = []
validation_loss: list[float] = []
SCHEDULES = ("scheduler", "lr_scheduler", "sched")


def __getattr__(name: str) -> Any:
    """A schedule only for those who ask for one."""
    if name in SCHEDULES:
        return StepLR(optimizer, 1000)
    raise AttributeError(name)
