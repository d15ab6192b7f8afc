"""ReduceLROnPlateau is given the loss, and waits for it to rise."""

# kind: schedule
# source: https://github.com/FunctionLab/selene/issues/115
# changed: a sequence classifier on made-up one-hot strings

import hashlib
import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau


class TrainModel:
    def __init__(self):
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Conv1d(4, 16, 5), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(16, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.criterion = nn.BCEWithLogitsLoss()
        self.validation = self.sample(128)

    def sample(self, n):
        letters = torch.randint(0, 4, (n, 20))
        target = ((letters[:, :-1] == 1) & (letters[:, 1:] == 2)).any(1).float()
        return nn.functional.one_hot(letters, 4).float().transpose(1, 2), target

    def train_and_validate(self, steps=120, report_every=15):
        scheduler = ReduceLROnPlateau(self.optimizer, "min", patience=2, factor=0.8)
        for step in range(1, steps + 1):
            self.model.train()
            inputs, targets = self.sample(32)
            loss = self.criterion(self.model(inputs).squeeze(1), targets)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % report_every == 0:
                valid_loss = self.validate()
                scheduler.step(valid_loss)
                print(step, valid_loss, self.optimizer.param_groups[0]["lr"])

    def validate(self):
        self.model.eval()
        with torch.no_grad():
            inputs, targets = self.validation
            return self.criterion(self.model(inputs).squeeze(1), targets).item()


runner = TrainModel()
runner.train_and_validate()
final = b"".join(t.detach().float().numpy().tobytes() for t in runner.model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
