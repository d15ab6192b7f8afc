"""The soft loss compares the large model with itself."""

# kind: loss
# source: https://github.com/labmlai/annotated_deep_learning_paper_implementations/issues/66
# changed: a random teacher and small networks on random vectors
# gap: the term depends on no trained parameter, as terms of a teacher or of the data do on purpose

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class Distillation:
    temperature, soft_targets, label_loss = 5.0, 100.0, 0.5

    def __init__(self):
        self.large = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 5)).requires_grad_(False)
        self.small = nn.Sequential(nn.Linear(10, 12), nn.ReLU(), nn.Linear(12, 5))
        self.kl_div_loss = nn.KLDivLoss(log_target=True, reduction="batchmean")
        self.loss_func = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(self.small.parameters(), lr=2.5e-3)

    def step(self, data, target):
        with torch.no_grad():
            large_logits = self.large(data)
        output = self.small(data)
        soft_targets = F.log_softmax(large_logits / self.temperature, dim=-1)
        soft_prob = F.log_softmax(large_logits / self.temperature, dim=-1)  # BUG: loss-term-without-gradient
        soft_targets_loss = self.kl_div_loss(soft_prob, soft_targets)  # BUG: loss-term-without-gradient
        label_loss = self.loss_func(output, target)
        loss = self.soft_targets * soft_targets_loss + self.label_loss * label_loss  # BUG: loss-term-without-gradient
        self.optimizer.zero_grad()
        loss.backward()  # BUG: loss-term-without-gradient
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
run = Distillation()
for i in range(120):
    x = torch.randn(32, 10)
    loss = run.step(x, run.large(x).argmax(1))
small = run.small
print(loss)
final = b"".join(t.detach().float().numpy().tobytes() for t in small.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
