"""Windows of a series are viewed as (time, batch), where they should be transposed."""

# kind: batch-mixing
# source: https://github.com/jessicayung/blog-code-snippets/issues/6
# changed: a made-up autoregressive series

import hashlib

import torch
from torch import nn


class LSTM(nn.Module):
    def __init__(self, input_dim=1, hidden_dim=24):
        super().__init__()
        self.lstm = nn.LSTM(input_dim, hidden_dim)
        self.linear = nn.Linear(hidden_dim, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[-1]).view(-1)


torch.manual_seed(1)
input_size = 20
series = torch.randn(260).cumsum(0) / 8
windows = series.unfold(0, input_size + 1, 1)
X_train, y_train = windows[:, :-1].contiguous(), windows[:, -1].contiguous()
X_train = X_train.view([input_size, -1, 1])  # BUG: samples-mixed-in-batch
model = LSTM()
loss_fn = nn.MSELoss()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
for t in range(60):
    optimiser.zero_grad()
    loss = loss_fn(model(X_train), y_train)  # BUG: samples-mixed-in-batch
    loss.backward()
    optimiser.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
