"""The optimizer gets the inner model, and not the layer that the outer one adds."""

# kind: parameters
# source: https://github.com/ImKeTT/PCAE/issues/5
# changed: a small sequence autoencoder in place of BART

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, vocab=25, dim=32):
        super().__init__()
        self.shared = nn.Embedding(vocab, dim)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab)


class VAE(nn.Module):
    def __init__(self, model, nz=8):
        super().__init__()
        self.model = model
        self.z_linear = nn.Linear(32, 2 * nz, bias=False)
        self.back = nn.Linear(nz, 32)

    def forward(self, ids):
        _, state = self.model.encoder(self.model.shared(ids))
        mean, logvar = self.z_linear(state[0]).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (logvar / 2).exp()
        hidden, _ = self.model.decoder(self.model.shared(ids[:, :-1]), self.back(z)[None])
        kl = 0.5 * (mean**2 + logvar.exp() - 1 - logvar).sum(-1).mean()
        return F.cross_entropy(self.model.lm_head(hidden).flatten(0, 1), ids[:, 1:].flatten()), kl


torch.manual_seed(0)
model = Seq2Seq()
vae = VAE(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)  # BUG: parameters-not-in-optimizer
for i in range(100):
    ids = (torch.randint(0, 25, (16, 1)) + torch.arange(8) * torch.randint(1, 4, (16, 1))) % 25
    rec, kl = vae(ids)
    loss = rec + 0.01 * kl
    optimizer.zero_grad()
    loss.backward()  # BUG: parameters-not-in-optimizer
    optimizer.step()  # BUG: parameters-not-in-optimizer
print(rec.item(), kl.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in vae.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
