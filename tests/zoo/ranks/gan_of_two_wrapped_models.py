"""Two wrapped models: the discriminator's backward does not reach the generator, whose forward was wrapped, too."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
generator = DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)))
discriminator = DistributedDataParallel(nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
one, zero = torch.ones(16, 1), torch.zeros(16, 1)
loss_fn = nn.BCEWithLogitsLoss()
for _ in range(12):
    fake = generator(torch.randn(16, 8))
    optimizer_d.zero_grad()
    both = discriminator(torch.cat([torch.randn(16, 4) + 2, fake.detach()]))
    loss_fn(both, torch.cat([one, zero])).backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    loss_fn(discriminator(fake), one).backward()
    optimizer_g.step()
dist.destroy_process_group()
