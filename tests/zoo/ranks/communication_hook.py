"""Torch's own local SGD: a hook averages gradients in groups of one rank, weights are averaged every four steps."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(nn.Linear(32, 1))
alone, _ = dist.new_subgroups(group_size=1)
model.register_comm_hook(
    PostLocalSGDState(process_group=None, subgroup=alone, start_localSGD_iter=2), post_localSGD_hook
)
averager = PeriodicModelAverager(period=4, warmup_steps=2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(18):
    x = torch.randn(16, 32)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    averager.average_parameters(model.parameters())
dist.destroy_process_group()
