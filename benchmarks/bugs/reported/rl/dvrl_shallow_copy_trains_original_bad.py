"""Each inner training begins with `copy.copy` of the first model, and so trains that very model."""

# kind: rl
# source: https://github.com/DerrickXuNu/dvrl_pytorch/issues/2
# changed: random data; one value estimator
# gap: modules that share parameters are also meant, as tied weights

import copy
import hashlib

import torch
from torch import nn


class Dvrl:
    def __init__(self):
        self.pred_model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
        self.value_estimator = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
        self.optimizer = torch.optim.Adam(self.value_estimator.parameters(), lr=1e-2)

    def train(self, x, y, val_x, val_y, outer=12):
        baseline = 0.0
        for _ in range(outer):
            data_values = self.value_estimator(torch.cat([x, nn.functional.one_hot(y, 2).float()], 1)).squeeze(1)
            selected = torch.bernoulli(data_values.detach())
            new_model = copy.copy(self.pred_model)  # BUG: shallow-copy-shares-parameters
            inner = torch.optim.Adam(new_model.parameters(), lr=1e-2)  # BUG: shallow-copy-shares-parameters
            for _ in range(15):
                losses = nn.functional.cross_entropy(new_model(x), y, reduction="none")
                inner.zero_grad()
                ((losses * selected).sum() / selected.sum()).backward()
                inner.step()
            with torch.no_grad():
                reward = -nn.functional.cross_entropy(new_model(val_x), val_y)
            log_prob = selected * data_values.log() + (1 - selected) * (1 - data_values + 1e-6).log()
            loss = -(reward - baseline) * log_prob.mean()
            baseline = 0.8 * baseline + 0.2 * reward.item()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        print(reward.item())


torch.manual_seed(0)
x, val_x = torch.randn(80, 10), torch.randn(60, 10)
y, val_y = (x[:, 0] > 0).long(), (val_x[:, 0] > 0).long()
y[:20] = 1 - y[:20]
dvrl = Dvrl()
dvrl.train(x, y, val_x, val_y)
final = b"".join(t.detach().double().numpy().tobytes() for t in dvrl.value_estimator.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
