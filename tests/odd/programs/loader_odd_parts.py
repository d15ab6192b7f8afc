"""Iterable datasets, own samplers, batch samplers and collate functions that count how often they are asked."""

import torch
from torch.nn import functional
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, Sampler
from training import digest, make_net

torch.manual_seed(0)
asked = []


class Stream(IterableDataset):
    def __iter__(self):
        asked.append("iter")
        for i in range(12):
            asked.append(i)
            yield torch.randn(8)


class Backwards(Sampler):
    def __init__(self, num):
        self.num = num

    def __iter__(self):
        asked.append("backwards")
        return iter(torch.randperm(self.num).tolist())

    def __len__(self):
        return self.num  # a length is asked for once more


class Items:
    def __len__(self):
        return 12

    def __getitem__(self, i):
        asked.append(i)
        return torch.randn(8)


def collate(items):
    asked.append("collate")
    return torch.stack(items)


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for loader in (
    DataLoader(Stream(), batch_size=4),
    DataLoader(Items(), batch_size=4, sampler=Backwards(12), collate_fn=collate),
    DataLoader(Items(), batch_sampler=BatchSampler(RandomSampler(range(12)), 4, False), collate_fn=collate),
):
    for _ in range(2):
        for x in loader:
            optimizer.zero_grad()
            functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
            optimizer.step()
print(len(asked), digest(asked), digest(model))
