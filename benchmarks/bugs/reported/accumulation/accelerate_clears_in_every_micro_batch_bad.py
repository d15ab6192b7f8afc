"""zero_grad stands at the top of the loop over micro-batches."""

# kind: accumulation
# source: https://github.com/huggingface/accelerate/issues/616
# changed: the accelerator is written out as a plain loop over four micro-batches

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(6)
x = torch.randn(800, 9)
y = torch.sin(x[:, :3].sum(-1, keepdim=True))
loader = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
model = nn.Sequential(nn.Linear(9, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=100)
gradient_accumulation_steps = 4
for epoch in range(5):
    for index, (inputs, targets) in enumerate(loader):
        optimizer.zero_grad()  # BUG: micro-batches-discarded
        outputs = model(inputs)
        loss = nn.functional.mse_loss(outputs, targets) / gradient_accumulation_steps
        loss.backward()
        if (index + 1) % gradient_accumulation_steps == 0:
            optimizer.step()
            scheduler.step()
    print(epoch, loss.item() * gradient_accumulation_steps)
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
