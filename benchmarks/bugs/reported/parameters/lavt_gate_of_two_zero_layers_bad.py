"""Both layers of a gate start at zero, so that neither ever gets a gradient."""

# kind: parameters
# source: https://github.com/yz93/LAVT-RIS/issues/25
# changed: tokens of made-up images and sentences; one stage

import hashlib

import torch
from torch import nn


class GatedFusion(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.vision = nn.Linear(dim, dim)
        self.language = nn.Linear(dim, dim)
        self.res_gate = nn.Sequential(
            nn.Linear(dim, dim, bias=False), nn.ReLU(), nn.Linear(dim, dim, bias=False), nn.Tanh()
        )
        nn.init.zeros_(self.res_gate[0].weight)  # BUG: all-gradients-zero  ALSO: dead-units
        nn.init.zeros_(self.res_gate[2].weight)  # BUG: all-gradients-zero  ALSO: dead-units

    def forward(self, x, sentence):
        both = torch.relu(self.vision(x)) * torch.tanh(self.language(sentence)).unsqueeze(1)
        return x + self.res_gate(both) * both  # BUG: all-gradients-zero  ALSO: dead-units


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Linear(12, 16)
        self.words = nn.Embedding(20, 16)
        self.fusion = GatedFusion()
        self.head = nn.Linear(16, 2)

    def forward(self, patches, words):
        return self.head(self.fusion(self.patch(patches), self.words(words).mean(1)))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(200):
    patches, words = torch.randn(16, 9, 12), torch.randint(0, 20, (16, 4))
    mask = (patches[:, :, 0] * (words[:, :1] - 10) > 0).long()
    loss = nn.functional.cross_entropy(model(patches, words).transpose(1, 2), mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
