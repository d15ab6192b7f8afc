"""The best model is another name of the model that goes on training."""

# kind: best-weights
# source: https://github.com/zhangj111/astnn/issues/8
# changed: a small text classifier in place of a code classifier
# gap: a second name of a module leaves no trace that could be told from an ordinary variable

import hashlib
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
tokens = torch.randint(0, 40, (600, 10))
labels = (tokens % 7 == 3).any(1).long()


class BatchProgramClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.bigru = nn.GRU(24, 24, bidirectional=True, batch_first=True)
        self.hidden2label = nn.Linear(48, 2)

    def forward(self, x):
        return self.hidden2label(self.bigru(self.embedding(x))[0].max(1).values)


model = BatchProgramClassifier()
optimizer = torch.optim.Adamax(model.parameters(), lr=4e-3)
loss_function = nn.CrossEntropyLoss()
best_acc, best_model = 0.0, model
for epoch in range(6):
    model.train()
    for idx in torch.randperm(480).split(32):
        optimizer.zero_grad()
        loss = loss_function(model(tokens[idx]), labels[idx])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        acc = (model(tokens[480:]).argmax(1) == labels[480:]).float().mean().item()
    if acc > best_acc:
        best_acc = acc
        best_model = model  # BUG: best-weights-aliased
    print(epoch, loss.item(), acc)

best_model.eval()
with torch.no_grad():
    print("test", (best_model(tokens[480:]).argmax(1) == labels[480:]).float().mean().item())
final = b"".join(t.detach().float().numpy().tobytes() for t in best_model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
