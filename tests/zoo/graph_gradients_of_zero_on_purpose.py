"""Gradients of exactly zero that are right: a satisfied hinge, an idle expert, a term that waits, unused parameters."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# A margin that the model keeps from the start: the loss is 0, and so are the gradients.
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4)
    loss = F.relu(1 - (model(x) + 50)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


# A mixture whose gate never picks the last expert: it runs on no samples.
class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        picked = (x[:, 0] > 0).long()
        out = x.new_zeros(len(x), 2)
        for i, expert in enumerate(self.experts):
            out = out.index_add(0, (picked == i).nonzero().flatten(), expert(x[picked == i]))
        return out + 0 * sum(p.sum() for p in self.unused.parameters())  # so that every parameter has a gradient


mixture = Mixture()
optimizer = torch.optim.Adam(mixture.parameters(), lr=0.01)
for _ in range(24):
    x = torch.randn(16, 4)
    loss = F.cross_entropy(mixture(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# A discriminator that joins later: until then its loss is multiplied by 0.
generator, discriminator = nn.Linear(4, 4), nn.Linear(4, 1)
first = torch.optim.Adam(generator.parameters(), lr=0.01)
second = torch.optim.Adam(discriminator.parameters(), lr=0.01)
for step in range(30):
    x = torch.randn(16, 4)
    factor = float(step >= 25)
    made = generator(x)
    loss = F.mse_loss(made, x) - factor * discriminator(made).mean()
    first.zero_grad()
    loss.backward()
    first.step()
    second.zero_grad()
    (factor * (discriminator(made.detach()).mean() - discriminator(x).mean())).backward()
    second.step()


# Attention to the only token of a class: its softmax is over a single key. Gates that begin at 0 behind a layer that
# does not; heads that begin at 0 and of which one is used.
class Conditioned(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.score = nn.Linear(8, 1)
        self.classes = nn.Embedding(3, 8)
        self.gate = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))
        self.heads = nn.ModuleList(nn.Linear(8, 2) for _ in range(3))
        nn.init.zeros_(self.gate[2].weight)
        for head in self.heads:
            nn.init.zeros_(head.weight)

    def forward(self, x, label):
        context = self.classes(label).unsqueeze(1)
        pooled = (self.score(context).squeeze(-1).softmax(-1).unsqueeze(-1) * context).sum(1, keepdim=True)
        weights = torch.softmax(x @ context.transpose(1, 2) / 8**0.5, dim=-1)
        x = x + self.attention(x, context, context, need_weights=False)[0] + weights * context + pooled
        x = (x + self.gate(x)).mean(1)
        return torch.stack([head(x) for head in self.heads])[0]


conditioned = Conditioned()
optimizer = torch.optim.Adam(conditioned.parameters(), lr=0.01)
for _ in range(24):
    x, label = torch.randn(16, 5, 8), torch.randint(0, 3, (16,))
    loss = F.cross_entropy(conditioned(x, label), (x.mean((1, 2)) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
