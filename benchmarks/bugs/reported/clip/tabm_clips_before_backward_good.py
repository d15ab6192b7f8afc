"""The example clips between backward and step."""

# kind: clip
# source: https://github.com/yandex-research/tabm/issues/20
# changed: a small ensemble of regressors, without mixed precision

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
k = 4
x = torch.randn(640, 8)
y = x[:, 0] * x[:, 1] + x[:, 2]
model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, k))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=3e-4)
gradient_clipping_norm = 1.0
for epoch in range(6):
    for batch_idx in torch.randperm(640).split(32):
        model.train()
        optimizer.zero_grad()
        y_pred = model(x[batch_idx])
        loss = nn.functional.mse_loss(y_pred.flatten(), y[batch_idx].repeat_interleave(k))
        loss.backward()
        if gradient_clipping_norm is not None:
            torch.nn.utils.clip_grad.clip_grad_norm_(model.parameters(), gradient_clipping_norm)
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
