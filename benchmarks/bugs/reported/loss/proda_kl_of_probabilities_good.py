"""kl_div gets the student's softmax in place of its log-softmax."""

# kind: loss
# source: https://github.com/microsoft/ProDA/issues/20
# changed: distillation from a random teacher on random vectors

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 6)).requires_grad_(False).eval()
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
optimizer = torch.optim.SGD(student.parameters(), lr=0.3)


def distill(target_out, teacher_out):
    student_prob = F.log_softmax(target_out["out"], dim=1)
    teacher_prob = F.softmax(teacher_out["out"] * 4, dim=1)
    return F.kl_div(student_prob, teacher_prob, reduction="batchmean")


for it in range(120):
    images = torch.randn(32, 8)
    loss = distill({"out": student(images)}, {"out": teacher(images)})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 40 == 0:
        print(it, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in student.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
