"""zero_grad stands in the inner loop, so that only the last micro-batch counts."""

# kind: accumulation
# source: https://github.com/bytetriper/RAE/issues/67
# changed: a small autoencoder on random images in place of a diffusion transformer

import hashlib
import torch
import torch.nn as nn

torch.manual_seed(0)
images = torch.rand(512, 1, 8, 8)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 24), nn.GELU(), nn.Linear(24, 64), nn.Unflatten(1, (1, 8, 8)))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
grad_accum_steps, micro_batch_size = 4, 16

for train_step in range(60):
    step_loss = 0.0
    for _ in range(grad_accum_steps):
        optimizer.zero_grad(set_to_none=True)  # BUG: micro-batches-discarded
        x = images[torch.randint(0, 512, (micro_batch_size,))]
        loss = nn.functional.mse_loss(model(x), x) / grad_accum_steps
        loss.backward()
        step_loss += loss.item()
    optimizer.step()  # BUG: micro-batches-discarded
    if train_step % 20 == 0:
        print(train_step, step_loss)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
