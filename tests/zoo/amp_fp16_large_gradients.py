"""fp16 autocast without a scaler, with gradients that fit; ReLU units that are dead and embedding rows never used."""

import torch

torch.manual_seed(0)
embedding = torch.nn.Embedding(100, 16)
model = torch.nn.Sequential(
    embedding, torch.nn.Flatten(), torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 5)
)
with torch.no_grad():
    model[2].bias[:40] = -10.0
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(20):
    tokens = torch.randint(0, 10, (8, 2))
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = torch.nn.functional.cross_entropy(model(tokens), tokens.sum(1) % 5)
    loss.backward()
    optimizer.step()
