"""Encoder and classifier with their own optimizers and an auxiliary reconstruction task."""

import hashlib

import torch
from torch import nn

torch.manual_seed(37)
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
decoder = nn.Linear(16, 8)
classifier = nn.Linear(16, 2)
opt_ae = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.05)
opt_cls = torch.optim.SGD(classifier.parameters(), lr=0.05)

for step in range(30):
    x = torch.randn(40, 8)
    label = (x[:, 0] + x[:, 1] > 0).long()

    recon_loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    recon_loss.backward()
    opt_ae.step()  # BUG: gradient-leak-between-optimizers
    opt_ae.zero_grad()

    # only the classifier should learn from this
    loss = nn.functional.cross_entropy(classifier(encoder(x)), label)
    loss.backward()
    opt_cls.step()
    opt_cls.zero_grad()
    if step % 10 == 0:
        print(step, recon_loss.item(), loss.item())

models = (encoder, decoder, classifier)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
