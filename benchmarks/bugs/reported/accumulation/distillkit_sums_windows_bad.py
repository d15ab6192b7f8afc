"""The losses of a window are summed, whatever its length."""

# kind: accumulation
# source: https://github.com/agokrani/distillKitPlus/issues/5
# changed: a small student and a random teacher in place of language models

import hashlib
import torch
from torch import nn

gradient_accumulation_steps = 8
alpha, temperature = 0.5, 2.0
torch.manual_seed(5)
teacher = nn.Sequential(nn.Linear(12, 64), nn.Tanh(), nn.Linear(64, 10)).eval()
student = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 10))
optimizer = torch.optim.AdamW(student.parameters(), lr=2e-3)


def distillation_loss(inputs, labels):
    with torch.no_grad():
        teacher_logits = teacher(inputs)
    student_logits = student(inputs)
    kd = nn.functional.kl_div(
        torch.log_softmax(student_logits / temperature, -1),
        torch.softmax(teacher_logits / temperature, -1),
        reduction="batchmean",
    )
    return alpha * kd * temperature**2 + (1 - alpha) * nn.functional.cross_entropy(student_logits, labels)


for update in range(30):
    total = 0.0
    for _ in range(gradient_accumulation_steps):
        x = torch.randn(8, 12)
        loss = distillation_loss(x, x[:, :10].argmax(1))
        loss.backward()  # BUG: accumulation-not-averaged  ALSO: clip-always-active
        total += loss.item()
    nn.utils.clip_grad_norm_(student.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    if update % 10 == 0:
        print(update, total)
final = b"".join(t.detach().float().numpy().tobytes() for t in student.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
