"""A group of parameters is put together for the optimizer, and never added to its list."""

# kind: parameters
# source: https://github.com/zjunlp/HVPNeT/issues/5
# changed: a small tagger without a random field

import hashlib

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = nn.Sequential(nn.Embedding(40, 16), nn.Linear(16, 16), nn.Tanh())
        self.encoder_conv = nn.Linear(16, 16)
        self.fc = nn.Linear(16, 5)

    def forward(self, ids):
        return self.fc(torch.relu(self.encoder_conv(self.bert(ids))))


torch.manual_seed(0)
model = Tagger()
parameters = []
params = {"lr": 1e-3, "weight_decay": 1e-2, "params": []}
for name, param in model.named_parameters():
    if "bert" in name:
        params["params"].append(param)
parameters.append(params)
params = {"lr": 3e-3, "weight_decay": 1e-2, "params": []}
for name, param in model.named_parameters():
    if "encoder_conv" in name:
        params["params"].append(param)
parameters.append(params)
params = {"lr": 5e-2, "weight_decay": 1e-2, "params": []}
for name, param in model.named_parameters():
    if "crf" in name or name.startswith("fc"):
        params["params"].append(param)
parameters.append(params)
optimizer = torch.optim.AdamW(parameters)
for step in range(120):
    ids = torch.randint(0, 40, (16, 8))
    loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), (ids % 5).flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
