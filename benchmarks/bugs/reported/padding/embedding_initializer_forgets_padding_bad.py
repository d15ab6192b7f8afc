"""An initializer makes the embedding of a sequence feature and forgets that index 0 is padding."""

# kind: padding
# source: https://github.com/datawhalechina/torch-rechub/pull/176
# changed: a small click model with a pooled history in place of the library's feature classes

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class XavierUniform:
    def __call__(self, vocab_size, embed_dim, padding_idx=None):
        embed = nn.Embedding(vocab_size, embed_dim, padding_idx=padding_idx)
        nn.init.xavier_uniform_(embed.weight)  # BUG: padding-row-overwritten
        return embed


class ClickModel(nn.Module):
    def __init__(self, items=80, dim=16):
        super().__init__()
        self.history = XavierUniform()(items, dim, padding_idx=0)
        self.candidate = nn.Embedding(items, dim)
        self.tower = nn.Sequential(nn.Linear(2 * dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, history, candidate):
        pooled = self.history(history).sum(1)  # BUG: padding-row-overwritten
        return self.tower(torch.cat([pooled, self.candidate(candidate)], 1)).squeeze(1)


torch.manual_seed(11)
history = torch.randint(1, 80, (1024, 10))
history[torch.arange(10)[None] >= torch.randint(2, 10, (1024, 1))] = 0
candidate = torch.randint(1, 80, (1024,))
clicked = ((history % 4 == (candidate % 4)[:, None]) & (history > 0)).any(1).float()
net = ClickModel()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(4):
    for h, c, y in DataLoader(TensorDataset(history, candidate, clicked), batch_size=32, shuffle=True):
        loss = criterion(net(h, c), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
