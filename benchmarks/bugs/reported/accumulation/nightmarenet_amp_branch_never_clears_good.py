"""Both branches clear the gradients."""

# kind: accumulation
# source: https://github.com/Adit-Jain-srm/NightmareNet/pull/535
# changed: bfloat16 autocast on a CPU; teacher and student are small

import hashlib

import torch
import torch.nn.functional as F
from torch import nn

class Distiller:
    def __init__(self, teacher, student, use_amp, temperature=2.0):
        self.teacher, self.student = teacher.eval(), student
        self.optimizer = torch.optim.SGD(student.parameters(), lr=0.02)
        self.use_amp = use_amp
        self.temperature = temperature

    def loss(self, x, y):
        with torch.no_grad():
            soft = (self.teacher(x) / self.temperature).softmax(-1)
        out = self.student(x)
        kd = F.kl_div((out / self.temperature).log_softmax(-1), soft, reduction="batchmean")
        return kd * self.temperature**2 + 0.5 * F.cross_entropy(out, y)

    def step(self, batch):
        x, y = batch["x"], batch["y"]
        if self.use_amp:
            self.optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = self.loss(x, y)
            loss.backward()
            self.optimizer.step()
        else:
            self.optimizer.zero_grad()
            loss = self.loss(x, y)
            loss.backward()
            self.optimizer.step()
        return loss.item()


torch.manual_seed(5)
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 4))
student = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
distiller = Distiller(teacher, student, use_amp=True)
for it in range(150):
    x = torch.randn(32, 10)
    value = distiller.step({"x": x, "y": x[:, :4].argmax(-1)})
    if it % 30 == 0:
        print(it, value)
final = b"".join(t.detach().double().numpy().tobytes() for t in student.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
