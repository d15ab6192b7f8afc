"""F.softmax at the end of forward, F.cross_entropy in the training function."""

import hashlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self, vocab=30, classes=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab, 16)
        self.conv = nn.Conv1d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24, classes)

    def forward(self, ids):
        h = self.embedding(ids).transpose(1, 2)
        h = F.relu(self.conv(h)).max(dim=2).values
        return F.softmax(self.fc(h), dim=-1)


def train_step(model, optimizer, ids, labels):
    model.train()
    optimizer.zero_grad()
    probs = model(ids)
    loss = F.cross_entropy(probs, labels)  # BUG: softmax-before-cross-entropy
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(2)
model = TextCNN()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(30):
    ids = torch.randint(0, 30, (32, 10))
    labels = (ids == 7).any(1).long() + (ids == 3).any(1).long()
    value = train_step(model, optimizer, ids, labels)
    if step % 10 == 0:
        print(step, value)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
