"""view() is used to exchange batch and query dimensions."""

# kind: batch-mixing
# source: https://github.com/Jingkang50/OpenPSG/issues/56
# changed: a small head over random queries, with a batch of more than one

import hashlib
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, dim=12, queries=5):
        super().__init__()
        self.project = nn.Linear(dim, 24)
        self.classify = nn.Linear(24, 4)

    def forward(self, features):
        b, q, d = features.shape
        x = torch.relu(self.project(features))
        x = x.view(q, b, -1)  # BUG: samples-mixed-in-batch, view-in-place-of-transpose
        # queries first, as the decoder wants them
        x = self.classify(x)  # BUG: samples-mixed-in-batch
        return x.transpose(0, 1)


torch.manual_seed(0)
head = Head()
optimizer = torch.optim.Adam(head.parameters(), lr=3e-3)
for step in range(120):
    features = torch.randn(16, 5, 12)
    target = features[..., :4].argmax(-1)
    logits = head(features)
    loss = nn.functional.cross_entropy(logits.reshape(-1, 4), target.reshape(-1))  # BUG: samples-mixed-in-batch
    optimizer.zero_grad()
    loss.backward()  # BUG: samples-mixed-in-batch
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in head.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
