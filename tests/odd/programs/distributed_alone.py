"""A process group of one, with DistributedDataParallel."""

import warnings

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from training import digest, make_net, train

warnings.simplefilter("ignore")
torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = make_net()
wrapped = DistributedDataParallel(model)
train(wrapped, torch.optim.SGD(wrapped.parameters(), lr=0.1), 20)
dist.destroy_process_group()
print(digest(model))
