"""Parameters that are replaced or converted before the wrapping, or with a new one, to what they are, or by hand."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())


def train(model, by_hand=False):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(4):
        x = torch.randn(16, 6)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        for param in model.parameters() if by_hand else ():
            dist.all_reduce(param.grad)
            param.grad /= 2
        optimizer.step()


def build():
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))


def replace(net):
    for layer in net[::2]:
        layer.weight = torch.nn.Parameter(layer.weight.detach().clone())
        layer.bias = torch.nn.Parameter(layer.bias.detach().clone())


net = build().double().float()
replace(net)
model = DistributedDataParallel(net)
train(model)
model.float().cpu()  # nothing changes
train(model)
model = DistributedDataParallel(net)
model.double().float()
model = DistributedDataParallel(net)  # after the conversion
train(model)
model.double().float()
train(model, by_hand=True)
model = DistributedDataParallel(net)
train(model)
for param in net[0].parameters():  # no new one
    param.data = param.data.clone()
train(model)

replace(net)
model = DistributedDataParallel(net)
train(model)

replace(net)
for param in net.parameters():
    dist.broadcast(param.data, 0)
train(model, by_hand=True)
dist.destroy_process_group()
