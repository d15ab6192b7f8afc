"""Functions are imported by name before anything else, and handed around."""

from functools import partial

import torch
from torch.autograd import backward, grad
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_of, clip = partial(cross_entropy, label_smoothing=0.1), partial(clip_grad_norm_, max_norm=1.0)
for _ in range(20):
    x, y = make_batch()
    optimizer.zero_grad()
    backward(loss_of(model(x), y))
    clip(model.parameters())
    optimizer.step()
print(grad(model(x).sum(), model[2].bias)[0].tolist(), digest(model))
