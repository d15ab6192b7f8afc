"""Attention weights are a softmax over a dimension of size one, so that each is one."""

# kind: attention
# source: https://github.com/DEEP-PolyU/KEQA_WSDM19/issues/2
# changed: made-up questions; one at a time as in the original

import hashlib
import torch
from torch import nn


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(60, 16)
        self.gru = nn.GRU(16, 12, bidirectional=True)
        self.attn = nn.Sequential(nn.Linear(40, 20), nn.Tanh(), nn.Linear(20, 1))
        self.out = nn.Linear(40, 8)

    def forward(self, text):
        x = self.table(text)
        outputs, _ = self.gru(x.unsqueeze(1))
        outputs = outputs.squeeze(1)
        both = torch.cat((x, outputs), 1)
        attn_weights = torch.softmax(self.attn(both), dim=1)  # BUG: all-gradients-zero
        return self.out((attn_weights * both).mean(0))  # BUG: all-gradients-zero


torch.manual_seed(0)
goal = torch.randn(60, 8)
model = Embed()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    text = torch.randint(0, 60, (7,))
    loss = nn.functional.mse_loss(model(text), goal[text.max()])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
