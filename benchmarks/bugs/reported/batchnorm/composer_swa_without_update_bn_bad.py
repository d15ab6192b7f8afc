"""The averaged model is evaluated with the batch-norm statistics of the moment at which averaging began."""

# kind: batchnorm
# source: https://github.com/mosaicml/composer/issues/624
# changed: torch's AveragedModel on a small network

import hashlib
import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = 2 * torch.randn(600, 10) + 1
y = (x[:, 0] > x[:, 1]).long()
loader = DataLoader(TensorDataset(x[:480], y[:480]), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 40), nn.BatchNorm1d(40), nn.ReLU(), nn.Linear(40, 2))
swa_model = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
swa_scheduler = SWALR(optimizer, swa_lr=0.1, anneal_epochs=2)
for epoch in range(8):
    model.train()
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    if epoch >= 4:
        swa_model.update_parameters(model)  # BUG: averaged-model-stale-buffers
        swa_scheduler.step()
swa_model.eval()
with torch.no_grad():
    print((swa_model(x[480:]).argmax(1) == y[480:]).float().mean().item())  # BUG: averaged-model-stale-buffers
final = b"".join(t.detach().float().numpy().tobytes() for t in swa_model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
