"""Every rank loads the whole batch and takes its part; two forwards of the inner parts join in one loss."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(6, 24)
        self.head = nn.Linear(24, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).relu())


dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(Net())
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(256, 6)), batch_size=32, shuffle=True)
for (batch,) in loader:
    x = batch[dist.get_rank() :: 2]
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    smooth = model.module.head(torch.ones(1, 24)).square().mean()
    optimizer.zero_grad()
    (loss + 0.01 * smooth).backward()
    optimizer.step()
dist.destroy_process_group()
