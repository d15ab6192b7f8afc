"""The regressor gives the output of its last linear layer."""

# kind: loss
# source: https://github.com/ProteomicsML/ProteomicsML/pull/203
# changed: a GRU over made-up peptides; the start that the report calls unlucky

import hashlib
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(21, 12)
        self.lstm = nn.LSTM(12, 24, batch_first=True)
        self.dense = nn.Linear(24, 16)
        self.out = nn.Linear(16, 1)
        nn.init.constant_(self.out.bias, -1.0)

    def forward(self, peptides):
        hidden = torch.relu(self.dense(self.lstm(self.embed(peptides))[0][:, -1]))
        return self.out(hidden).squeeze(1)


torch.manual_seed(0)
peptides = torch.randint(1, 21, (320, 9))
times = peptides.float().mean(1) / 10
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(6):
    for index in torch.randperm(320).split(32):
        loss = nn.functional.l1_loss(model(peptides[index]), times[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
