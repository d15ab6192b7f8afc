"""Each rank shuffles the whole data set with the same seed, so that all train on the same batches."""

# kind: distributed
# source: https://github.com/LambdaLabsML/distributed-training-guide/issues/40
# changed: a small classifier on two ranks; the sampler is left out altogether

import hashlib
import os
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

def main(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(23)
    x = torch.randn(320, 6)
    dataset = TensorDataset(x, x[:, :3].argmax(1))
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    dataloader = DataLoader(dataset, batch_size=16, shuffle=True, drop_last=True)  # BUG: same-data-on-every-rank
    for epoch in range(5):
        for features, target in dataloader:  # BUG: same-data-on-every-rank
            loss = nn.functional.cross_entropy(model(features), target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            print(epoch, loss.item())
    if rank == 0:
        weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
        print("weights", hashlib.sha256(weights).hexdigest()[:16])
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(main, args=(folder,), nprocs=2)
