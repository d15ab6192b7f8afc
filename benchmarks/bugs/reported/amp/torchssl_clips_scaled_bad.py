"""A semi-supervised loop clips gradients that still carry the scale."""

# kind: amp
# source: https://github.com/TorchSSL/TorchSSL/pull/59
# changed: FixMatch on random vectors, on the CPU

import contextlib
import hashlib
import torch
from torch import nn

torch.manual_seed(0)
use_amp, clip, p_cutoff = True, 1.0, 0.8
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
scaler = torch.amp.GradScaler("cpu")
amp_cm = (lambda: torch.autocast("cpu", dtype=torch.float16)) if use_amp else contextlib.nullcontext
for it in range(80):
    x_lb, x_ulb = torch.randn(16, 10), torch.randn(48, 10)
    y_lb = x_lb[:, :4].argmax(1)
    with amp_cm():
        logits = model(torch.cat([x_lb, x_ulb + 0.1 * torch.randn_like(x_ulb), x_ulb + torch.randn_like(x_ulb)]))
        logits_lb, (weak, strong) = logits[:16].float(), logits[16:].float().chunk(2)
        sup_loss = nn.functional.cross_entropy(logits_lb, y_lb)
        best, pseudo = torch.softmax(weak.detach(), -1).max(-1)
        unsup_loss = (nn.functional.cross_entropy(strong, pseudo, reduction="none") * (best > p_cutoff)).mean()
        total_loss = sup_loss + unsup_loss
    scaler.scale(total_loss).backward()
    if clip > 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)  # BUG: clip-before-unscale
    scaler.step(optimizer)
    scaler.update()
    model.zero_grad()
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
