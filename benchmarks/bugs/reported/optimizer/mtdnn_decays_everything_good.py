"""Names of parameters are searched for the words."""

# kind: optimizer
# source: https://github.com/namisan/mt-dnn/pull/37
# changed: a small network with layer-norm

import hashlib
import torch
from torch import nn

torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense, self.LayerNorm, self.out = nn.Linear(16, 32), nn.LayerNorm(32), nn.Linear(32, 3)

    def forward(self, x):
        return self.out(torch.relu(self.LayerNorm(self.dense(x))))


network = Network()
no_decay = ["bias", "gamma", "beta", "LayerNorm.bias", "LayerNorm.weight"]


def is_decayed(name):
    return not any(word in name for word in no_decay)


optimizer = torch.optim.AdamW(
    [
        {"params": [p for n, p in network.named_parameters() if is_decayed(n)], "weight_decay": 0.01},
        {"params": [p for n, p in network.named_parameters() if not is_decayed(n)], "weight_decay": 0.0},
    ],
    lr=2e-3,
)
for step in range(100):
    x = torch.randn(32, 16)
    loss = nn.functional.cross_entropy(network(x), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in network.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
