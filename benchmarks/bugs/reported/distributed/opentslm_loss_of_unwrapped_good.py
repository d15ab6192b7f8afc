"""The model is wrapped for several ranks, and its loss is computed by the module inside."""

# kind: distributed
# source: https://github.com/OpenTSLM/OpenTSLM/pull/49
# changed: a small forecaster on two ranks of one machine; the fix calls the wrapper

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(1, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, series, target):
        _, last = self.encoder(series.unsqueeze(-1))
        return nn.functional.mse_loss(self.head(last[0]).squeeze(-1), target)

    def compute_loss(self, batch):
        return self(*batch)


class Trainer:
    def __init__(self, rank):
        self.rank = rank
        self.model = DDP(Forecaster())
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)
        generator = torch.Generator().manual_seed(0)
        series = torch.randn(256, 13, generator=generator).cumsum(1) / 3
        data = TensorDataset(series[:, :12], series[:, 12])
        self.sampler = DistributedSampler(data, num_replicas=2, rank=rank)
        self.loader = DataLoader(data, batch_size=16, sampler=self.sampler)

    def _get_model(self):
        return self.model.module if hasattr(self.model, "module") else self.model

    def train(self):
        for epoch in range(5):
            self.sampler.set_epoch(epoch)
            for batch in self.loader:
                self.optimizer.zero_grad()
                loss = self.model(*batch)
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
            if self.rank == 0:
                print(epoch, loss.item())


def main(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    trainer = Trainer(rank)
    trainer.train()
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in trainer.model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(folder,), nprocs=2)
