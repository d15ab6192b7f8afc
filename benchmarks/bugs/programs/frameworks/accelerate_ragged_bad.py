"""Accelerate: token counts differ between the micro-batches of a window."""

import hashlib

# needs: accelerate
import torch
from accelerate import Accelerator
from torch import nn

torch.manual_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
vocab = 12
model = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, vocab))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
model, optimizer = accelerator.prepare(model, optimizer)
for step in range(48):
    ids = torch.randint(0, vocab, (6, 10))
    labels = (ids + 1) % vocab
    lengths = torch.randint(1, 11, (6, 1))
    labels[torch.arange(10) >= lengths] = -100
    with accelerator.accumulate(model):
        logits = model(ids)
        loss = nn.functional.cross_entropy(logits.view(-1, vocab), labels.view(-1))  # BUG: unequal-micro-batches
        accelerator.backward(loss)  # BUG: unequal-micro-batches
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
