"""Two optimizers are cleared in every micro-batch and step every fourth."""

# kind: accumulation
# source: https://github.com/tientrandinh/Revisiting-Reverse-Distillation/issues/12
# changed: small layers on random vectors

import hashlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(2)
teacher = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 8)).requires_grad_(False)
proj, student = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8))
optimizer_proj = torch.optim.Adam(proj.parameters(), lr=1e-3, betas=(0.5, 0.999))
optimizer_distill = torch.optim.Adam(student.parameters(), lr=5e-3, betas=(0.5, 0.999))
accumulation_steps = 4
for epoch in range(3):
    for i in range(40):
        img = torch.randn(8, 12)
        feature = proj(teacher(img))
        loss = (1 - F.cosine_similarity(student(feature), teacher(img))).mean() / accumulation_steps
        optimizer_proj.zero_grad()  # BUG: micro-batches-discarded
        optimizer_distill.zero_grad()  # BUG: micro-batches-discarded
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer_proj.step()  # BUG: micro-batches-discarded
            optimizer_distill.step()  # BUG: micro-batches-discarded
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in student.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
