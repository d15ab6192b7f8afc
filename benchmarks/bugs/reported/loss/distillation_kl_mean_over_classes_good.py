"""KLDivLoss averages over samples."""

# kind: loss
# source: https://github.com/haitongli/knowledge-distillation-pytorch/issues/2
# changed: a random teacher and small networks on random vectors

import hashlib
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
alpha, T, classes = 0.9, 4.0, 10
teacher = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, classes)).eval()
student = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, classes))
optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)


def loss_fn_kd(outputs, labels, teacher_outputs):
    kd = nn.KLDivLoss(reduction="batchmean")(F.log_softmax(outputs / T, dim=1), F.softmax(teacher_outputs / T, dim=1))
    return kd * (alpha * T * T) + F.cross_entropy(outputs, labels) * (1.0 - alpha)


for step in range(120):
    x = torch.randn(32, 16)
    with torch.no_grad():
        guide = 5 * teacher(x)
    loss = loss_fn_kd(student(x), guide.argmax(1), guide)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in student.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
