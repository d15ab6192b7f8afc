"""The example clips before the step."""

# kind: clip
# source: https://github.com/huggingface/transformers/issues/1563
# changed: a classifier of bags of made-up words in place of BERT

import hashlib
import torch
from torch import nn

gradient_accumulation_steps, max_grad_norm = 4, 0.3
torch.manual_seed(7)
words = torch.randint(0, 100, (512, 9))
labels = (words.float().mean(1) > 50).long()
model = nn.Sequential(nn.EmbeddingBag(100, 16), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 64))
model.zero_grad()
for epoch in range(4):
    for step, index in enumerate(torch.randperm(512).split(8)):
        model.train()
        loss = nn.functional.cross_entropy(model(words[index]), labels[index])
        loss = loss / gradient_accumulation_steps
        loss.backward()
        if (step + 1) % gradient_accumulation_steps == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
            optimizer.step()
            scheduler.step()
            model.zero_grad()
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
