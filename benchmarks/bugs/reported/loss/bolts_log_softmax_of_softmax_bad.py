"""The loss takes the log-softmax of probabilities."""

# kind: loss
# source: https://github.com/Lightning-Universe/lightning-bolts/issues/654
# changed: random features

import hashlib
import torch
from torch import nn
import torch.nn.functional as F


class LogisticRegression(nn.Module):
    def __init__(self, input_dim, num_classes):
        super().__init__()
        self.linear = nn.Linear(input_dim, num_classes)

    def forward(self, x):
        return F.softmax(self.linear(x), dim=-1)  # BUG: softmax-before-cross-entropy

    def training_step(self, batch):
        x, y = batch
        y_hat = self(x.view(x.size(0), -1))
        return F.nll_loss(F.log_softmax(y_hat, dim=-1), y)  # BUG: softmax-before-cross-entropy


torch.manual_seed(0)
x = torch.randn(480, 3, 4)
y = x.flatten(1)[:, :5].argmax(1)
model = LogisticRegression(12, 5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for index in torch.randperm(480).split(32):
        loss = model.training_step((x[index], y[index]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
