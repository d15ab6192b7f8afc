"""mse_loss compares targets of shape (n, 1) with predictions of shape (n,)."""

# kind: loss
# source: https://github.com/LAMDA-Tabular/TALENT/pull/92
# changed: a regressor of random tables

import hashlib
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Method:
    def __init__(self, d_in, is_regression):
        self.model = torch.nn.Sequential(torch.nn.Linear(d_in, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3, weight_decay=1e-5)
        self.criterion = F.mse_loss if is_regression else F.cross_entropy

    def fit(self, loader, max_epoch):
        for epoch in range(max_epoch):
            self.model.train()
            total = 0.0
            for X, y in loader:
                prediction = self.model(X).squeeze(-1)
                loss = self.criterion(prediction, y)  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(epoch, total / len(loader))


torch.manual_seed(0)
X = torch.randn(600, 9)
y = X[:, :3].sum(1, keepdim=True) + 0.1 * torch.randn(600, 1)
method = Method(9, is_regression=True)
method.fit(DataLoader(TensorDataset(X, y), batch_size=30, shuffle=True), max_epoch=5)
final = b"".join(t.detach().float().numpy().tobytes() for t in method.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
