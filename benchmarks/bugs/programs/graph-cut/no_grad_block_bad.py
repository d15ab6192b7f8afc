"""The feature extractor is meant to be fine-tuned but runs under no_grad."""

import hashlib

import torch
from torch import nn

torch.manual_seed(4)
features = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten())
classifier = nn.Linear(6 * 16, 2)
optimizer = torch.optim.Adam([*features.parameters(), *classifier.parameters()], lr=2e-3)
for step in range(30):
    images = torch.randn(24, 1, 6, 6)
    labels = (images[:, 0, 0].mean(dim=1) > 0).long()
    optimizer.zero_grad()
    with torch.no_grad():  # BUG: graph-cut
        h = features(images)  # BUG: graph-cut
    loss = nn.functional.cross_entropy(classifier(h), labels)  # BUG: graph-cut
    loss.backward()  # BUG: graph-cut
    optimizer.step()  # BUG: graph-cut
print(loss.item())
models = (features, classifier)
final = b"".join(t.detach().float().numpy().tobytes() for m in models for t in m.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
