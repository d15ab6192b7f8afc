"""The weights are initialised once more after building, also the padding row of the embedding."""

# kind: padding
# source: https://github.com/microsoft/Graphormer/issues/41
# changed: atoms of made-up molecules are summed up in place of attention over them

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F


def init_params(module):
    if isinstance(module, nn.Linear):
        module.weight.data.normal_(mean=0.0, std=0.02)
        module.bias.data.zero_()
    if isinstance(module, nn.Embedding):
        module.weight.data.normal_(mean=0.0, std=0.02)  # BUG: padding-row-overwritten


class GraphEncoder(nn.Module):
    def __init__(self, num_atoms=30, hidden=32):
        super().__init__()
        self.atom_encoder = nn.Embedding(num_atoms + 1, hidden, padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(hidden, 64), nn.GELU(), nn.Linear(64, 1))
        self.apply(init_params)  # BUG: padding-row-overwritten

    def forward(self, atoms):
        nodes = self.atom_encoder(atoms)  # BUG: padding-row-overwritten
        return self.mlp(nodes.sum(dim=1)).squeeze(-1)


def molecules(n, generator):
    atoms = torch.zeros(n, 12, dtype=torch.long)
    for row in atoms:
        size = int(torch.randint(3, 12, (1,), generator=generator))
        row[:size] = torch.randint(1, 31, (size,), generator=generator)
    energy = ((atoms % 5) * (atoms > 0)).sum(dim=1).float() / 10
    return atoms, energy


torch.manual_seed(0)
model = GraphEncoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
gen = torch.Generator().manual_seed(0)
for step in range(150):
    atoms, energy = molecules(32, gen)
    loss = F.l1_loss(model(atoms), energy)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
