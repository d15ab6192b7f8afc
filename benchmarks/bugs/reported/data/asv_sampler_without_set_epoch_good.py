"""The distributed sampler is told the epoch."""

# kind: data
# source: https://github.com/Snowdar/asv-subtools/issues/8
# changed: one rank; utterances are random vectors of four speakers

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler

class Utterances(Dataset):
    def __init__(self, n=480):
        generator = torch.Generator().manual_seed(0)
        self.speaker = torch.randint(0, 4, (n,), generator=generator)
        centres = torch.randn(4, 20, generator=generator)
        self.egs = centres[self.speaker, None] + torch.randn(n, 15, 20, generator=generator)

    def __len__(self):
        return len(self.speaker)

    def __getitem__(self, index):
        return {"egs": self.egs[index], "speaker": self.speaker[index]}


class XVector(nn.Module):
    def __init__(self):
        super().__init__()
        self.tdnn = nn.Sequential(nn.Conv1d(20, 32, 3), nn.ReLU(), nn.BatchNorm1d(32))
        self.out = nn.Linear(64, 4)

    def forward(self, egs):
        h = self.tdnn(egs.transpose(1, 2))
        return self.out(torch.cat([h.mean(-1), h.std(-1)], -1))


class SimpleTrainer:
    def __init__(self, data, model, epochs):
        self.sampler = DistributedSampler(data, num_replicas=1, rank=0, shuffle=True)
        self.loader = DataLoader(data, batch_size=24, sampler=self.sampler)
        self.model, self.epochs = model, epochs
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def run(self):
        for this_epoch in range(self.epochs):
            self.sampler.set_epoch(this_epoch)
            for batch in self.loader:
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(batch["egs"]), batch["speaker"])
                loss.backward()
                self.optimizer.step()
            print(this_epoch, loss.item())


torch.manual_seed(7)
model = XVector()
SimpleTrainer(Utterances(), model, 5).run()
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
