"""A scripted model is trained, saved and loaded."""

import io

import torch
from torch import nn
from training import digest, make_batch, train


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 3)

    def forward(self, x):
        if x.sum() > 0:
            return self.inner(x)
        return self.inner(x) * 2


torch.manual_seed(0)
model = torch.jit.script(Net())
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
file = io.BytesIO()
torch.jit.save(model, file)
file.seek(0)
again = torch.jit.load(file)
print(torch.equal(again(make_batch()[0]), again(make_batch()[0])), digest(model), digest(again))
