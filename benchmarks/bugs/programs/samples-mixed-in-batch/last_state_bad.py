"""The last states of all layers are joined by a view over layers and samples."""

import hashlib

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.GRU(6, 10, num_layers=2, batch_first=True)
        self.head = nn.Linear(20, 3)

    def forward(self, x):
        _, state = self.encoder(x)
        return self.head(state.reshape(x.shape[0], -1))  # BUG: samples-mixed-in-batch


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    x = torch.randn(32, 5, 6)
    y = x.mean(1)[:, :3].argmax(1)
    loss = nn.functional.cross_entropy(model(x), y)  # BUG: samples-mixed-in-batch
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
