"""An LSTM that expects time first gets batches first, and reads one sample after the other."""

# kind: batch-mixing
# source: https://github.com/pytorch/pytorch/issues/1538
# changed: random images in place of digits; the class is that of the brightest stripe

import hashlib
import torch
from torch import nn


class Rnn(nn.Module):
    def __init__(self, in_dim, hidden_dim, n_layer, n_class):
        super().__init__()
        self.lstm = nn.LSTM(in_dim, hidden_dim, n_layer)  # BUG: samples-mixed-in-batch
        self.classifier = nn.Linear(hidden_dim, n_class)

    def forward(self, x):
        out, _ = self.lstm(x)  # BUG: samples-mixed-in-batch
        return self.classifier(out[:, -1, :])


torch.manual_seed(0)
images = torch.rand(480, 10, 10)
labels = images.mean(1)[:, :5].argmax(1)
model = Rnn(10, 24, 1, 5)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(4):
    for index in torch.randperm(480).split(32):
        out = model(images[index])  # BUG: samples-mixed-in-batch
        loss = criterion(out, labels[index])  # BUG: samples-mixed-in-batch
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
