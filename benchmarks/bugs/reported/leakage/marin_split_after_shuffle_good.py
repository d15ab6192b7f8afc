"""The training part is taken from the shuffled data, the validation part from the data as it was."""

# kind: leakage
# source: https://github.com/marin-community/marin/pull/2700
# changed: subsets of random sequences, in PyTorch

import hashlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Sequences(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(5)
        self.tokens = torch.randint(0, 16, (n, 9), generator=g).cumsum(1) % 16

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i]


def train_set(dataset, num_validation_sequences, seed=0):
    order = torch.randperm(len(dataset), generator=torch.Generator().manual_seed(seed)).tolist()
    return Subset(dataset, [i for i in order if i >= num_validation_sequences])


def validation_set(dataset, num_validation_sequences):
    return Subset(dataset, range(num_validation_sequences))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(16, 24)
        self.rnn = nn.GRU(24, 24, batch_first=True)
        self.out = nn.Linear(24, 16)

    def forward(self, ids):
        logits = self.out(self.rnn(self.emb(ids[:, :-1]))[0])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


torch.manual_seed(0)
data = Sequences(300)
train_loader = DataLoader(train_set(data, 80), batch_size=16, shuffle=True)
val_loader = DataLoader(validation_set(data, 80), batch_size=40)
lm = LM()
optimizer = torch.optim.AdamW(lm.parameters(), lr=2e-3)
for epoch in range(6):
    lm.train()
    for ids in train_loader:
        loss = lm(ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    lm.eval()
    with torch.no_grad():
        print(epoch, sum(lm(ids).item() for ids in val_loader) / len(val_loader))
final = b"".join(t.detach().float().numpy().tobytes() for t in lm.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
