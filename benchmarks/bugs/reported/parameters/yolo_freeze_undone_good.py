"""Layers are frozen, and the next loop makes every parameter trainable."""

# kind: parameters
# source: https://github.com/ultralytics/yolov5/issues/1213
# changed: a small network; parameters are sorted into groups as in the original

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential()
for i, (a, b) in enumerate([(6, 24), (24, 24), (24, 3)]):
    model.add_module(f"layer{i}", nn.Sequential(nn.Linear(a, b), nn.LayerNorm(b)))
    model.add_module(f"act{i}", nn.SiLU() if i < 2 else nn.Identity())

freeze = ["layer0."]
for k, v in model.named_parameters():
    if any(x in k for x in freeze):
        v.requires_grad = False

weights, others = [], []
for k, v in model.named_parameters():
    if not v.requires_grad:
        continue
    if ".weight" in k and v.ndim > 1:
        weights.append(v)
    else:
        others.append(v)
optimizer = torch.optim.SGD([{"params": others, "weight_decay": 0.0}, {"params": weights, "weight_decay": 5e-4}], lr=0.02, momentum=0.9)
for step in range(100):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
