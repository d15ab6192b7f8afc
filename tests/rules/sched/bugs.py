"""Buggy programs as people write them. `# here` marks the line that the finding must name."""

HEAD = """
import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW
from torch.optim import lr_scheduler as sched
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X = torch.randn(80, 4)
Y = X.sum(1, keepdim=True)
loader = DataLoader(TensorDataset(X, Y), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
loss_fn = nn.MSELoss()
"""

BUGS = {
    "epoch-schedule-stepped-per-batch": {
        "fewer epochs than its step size": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.StepLR(optimizer, step_size=12, gamma=0.1)
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "lambda of the epoch": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.LambdaLR(optimizer, lambda epoch: 0.8**epoch)
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "warm-up chained with a decay": """
optimizer = SGD(model.parameters(), lr=0.05)
warmup = sched.LinearLR(optimizer, 0.5, total_iters=2)
scheduler = sched.ChainedScheduler([warmup, sched.ExponentialLR(optimizer, 0.8)])
for epoch in range(8):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "exponential in a function per epoch": """
def train_epoch(optimizer, scheduler):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here

optimizer = Adam(model.parameters(), lr=0.01)
scheduler = sched.ExponentialLR(optimizer, gamma=0.5)
for epoch in range(3):
    train_epoch(optimizer, scheduler)
""",
        "step schedule over slices": """
def main():
    optimizer = SGD(model.parameters(), lr=0.1)
    scheduler = sched.StepLR(optimizer, step_size=3, gamma=0.1)
    for epoch in range(5):
        order = torch.randperm(len(X))
        for start in range(0, len(X), 8):
            idx = order[start:start + 8]
            optimizer.zero_grad()
            loss_fn(model(X[idx]), Y[idx]).backward()
            optimizer.step()
            scheduler.step()  # here

main()
""",
        "step schedule that halves": """
optimizer = SGD(model.parameters(), lr=0.1)
scheduler = sched.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(4):
    for i, (x, y) in enumerate(loader):
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "milestones in epochs": """
optimizer = SGD(model.parameters(), lr=0.1)
scheduler = sched.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.1)
for epoch in range(6):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here
    with torch.no_grad():
        loss_fn(model(X), Y).item()
""",
        "list of batches": """
optimizer = AdamW(model.parameters(), lr=0.01)
scheduler = sched.StepLR(optimizer, step_size=1, gamma=0.3)
for epoch in range(4):
    batches = list(zip(X[torch.randperm(80)].split(10), range(8)))
    for x, i in batches:
        optimizer.zero_grad()
        loss_fn(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "trainer class": """
class Trainer:
    def __init__(self):
        self.optimizer = SGD(model.parameters(), lr=0.1)
        self.scheduler = sched.StepLR(self.optimizer, step_size=2, gamma=0.1)

    def step(self, batch):
        x, y = batch
        self.optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()  # here
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            losses = [self.step(batch) for batch in loader]

Trainer().fit(3)
""",
    },
    "scheduler-before-optimizer": {
        "before the step in each round": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=30)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        scheduler.step()  # here
        optimizer.step()
""",
        "head of two epochs": """
def fit(optimizer, scheduler, epochs):
    for epoch in range(epochs):
        scheduler.step()  # here
        for x, y in loader:
            optimizer.zero_grad()
            loss_fn(model(x), y).backward()
            optimizer.step()

optimizer = SGD(model.parameters(), lr=0.05)
fit(optimizer, sched.StepLR(optimizer, 1, gamma=0.5), 2)
""",
        "with accumulation": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.LinearLR(optimizer, total_iters=5)
for i in range(24):
    x = torch.randn(8, 4)
    (loss_fn(model(x), x.sum(1, keepdim=True)) / 2).backward()
    if (i + 1) % 2 == 0:
        scheduler.step()  # here
        optimizer.step()
        optimizer.zero_grad()
""",
    },
    "schedule-never-finishes": {
        "one-cycle per epoch": """
optimizer = SGD(model.parameters(), lr=0.01)
scheduler = sched.OneCycleLR(optimizer, max_lr=0.1, steps_per_epoch=len(loader), epochs=5)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    scheduler.step()  # here
""",
        "T_max for a longer run": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=1000)  # here
for step in range(40):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss_fn(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()
""",
        "cosine in steps, advanced per epoch": """
def main(epochs=4):
    optimizer = AdamW(model.parameters(), lr=0.01)
    scheduler = sched.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
    best = None
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_fn(model(x), y).backward()
            optimizer.step()
        scheduler.step()  # here
        if best is None:
            best = epoch
        elif epoch - best > 10:
            break

main()
""",
        "warm-up and linear decay by hand": """
import functools

def rate(step, *, num_warmup_steps, num_training_steps):
    if step < num_warmup_steps:
        return (step + 1) / num_warmup_steps
    return max(0.0, (num_training_steps - step) / (num_training_steps - num_warmup_steps))

optimizer = AdamW(model.parameters(), lr=0.01)
total = 4 * len(loader)
scheduler = sched.LambdaLR(optimizer, functools.partial(rate, num_warmup_steps=2, num_training_steps=total))
for epoch in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    scheduler.step()  # here
""",
    },
    "schedule-never-stepped": {
        "at a batch that never comes": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.StepLR(optimizer, step_size=1, gamma=0.5)
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        if i == len(loader):
            scheduler.step()  # here
""",
        "at a step that never comes": """
class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        self.optimizer = SGD(model.parameters(), lr=0.05)
        self.scheduler = sched.CosineAnnealingLR(self.optimizer, T_max=epochs)

    def fit(self):
        for epoch in range(self.epochs):
            for i, (x, y) in enumerate(loader):
                self.optimizer.zero_grad()
                loss_fn(model(x), y).backward()
                self.optimizer.step()
                if (i + 1) % 16 == 0:
                    self.scheduler.step()  # here

Trainer(4).fit()
""",
        "forgotten": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.StepLR(optimizer, step_size=1, gamma=0.5)  # here
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
""",
        "named, not called": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=3)  # here
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    scheduler.step
""",
        "not handed over": """
def train(optimizer, scheduler=None):
    for step in range(12):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        loss_fn(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()

optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.ExponentialLR(optimizer, gamma=0.9)  # here
train(optimizer)
""",
        "sequence never advanced": """
optimizer = SGD(model.parameters(), lr=0.05)
warmup = sched.LinearLR(optimizer, start_factor=0.1, total_iters=5)
decay = sched.ExponentialLR(optimizer, gamma=0.95)
scheduler = sched.SequentialLR(optimizer, [warmup, decay], milestones=[5])  # here
for step in range(20):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss_fn(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
""",
    },
    "schedule-counts-micro-batches": {
        "cosine in updates over micro-batches": """
accumulate, updates = 4, 12
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=updates)
for i in range(accumulate * updates):
    x = torch.randn(8, 4)
    (loss_fn(model(x), x.sum(1, keepdim=True)) / accumulate).backward()
    if (i + 1) % accumulate == 0:
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()  # here
""",
        "pairs over a loader": """
optimizer = AdamW(model.parameters(), lr=0.01)
scheduler = sched.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        loss = loss_fn(model(x), y) / 2
        loss.backward()
        if (i + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        scheduler.step()  # here
""",
        "before the window's step": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.StepLR(optimizer, step_size=7, gamma=0.8)
optimizer.zero_grad()
for i in range(40):
    x = torch.randn(8, 4)
    (loss_fn(model(x), x.sum(1, keepdim=True)) / 5).backward()
    scheduler.step()  # here
    if (i + 1) % 5 == 0:
        optimizer.step()
        optimizer.zero_grad()
""",
        "linear decay in updates": """
k = 4
updates = 3 * len(loader) // k
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.LinearLR(optimizer, start_factor=1.0, end_factor=0.0, total_iters=updates)
step = 0
for epoch in range(3):
    for x, y in loader:
        (loss_fn(model(x), y) / k).backward()
        step += 1
        if step % k == 0:
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()  # here
for x, y in loader:
    break
if step % k:
    optimizer.step()
""",
    },
    "scheduler-drives-other-optimizer": {
        "optimizer made again": """
def build():
    optimizer = SGD(model.parameters(), lr=0.05)
    scheduler = sched.StepLR(optimizer, step_size=1, gamma=0.5)  # here
    return optimizer, scheduler

optimizer, scheduler = build()
optimizer = Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    scheduler.step()
""",
        "of another model": """
teacher = nn.Linear(4, 1)
opt_teacher = SGD(teacher.parameters(), lr=0.05)
opt_student = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(opt_teacher, T_max=20)  # here
for step in range(20):
    x = torch.randn(8, 4)
    with torch.no_grad():
        y = teacher(x)
    opt_student.zero_grad()
    loss_fn(model(x), y).backward()
    opt_student.step()
    scheduler.step()
""",
    },
    "learning-rate-rises-again": {
        "T_max in epochs, advanced per batch": """
epochs = 4
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in range(epochs):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
        scheduler.step()  # here
""",
        "T_max too small": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.CosineAnnealingLR(optimizer, T_max=5, eta_min=1e-4)
for epoch in range(9):
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    scheduler.step()  # here
""",
        "after a warm-up": """
optimizer = SGD(model.parameters(), lr=0.05)
parts = [sched.LinearLR(optimizer, 0.1, total_iters=4), sched.CosineAnnealingLR(optimizer, T_max=10)]
scheduler = sched.SequentialLR(optimizer, parts, milestones=[4])
for step in range(30):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss_fn(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()  # here
""",
    },
    "plateau-metric-reversed": {
        "accuracy in min": """
labels = (X.sum(1) > 0).long()
net = nn.Linear(4, 2)
optimizer = SGD(net.parameters(), lr=0.05)
scheduler = sched.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
data = DataLoader(TensorDataset(X, labels), batch_size=16, shuffle=True)
for epoch in range(6):
    for x, y in data:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    correct = 0
    with torch.no_grad():
        for x, y in data:
            correct += (net(x).argmax(1) == y).sum().item()
    scheduler.step(100.0 * correct / len(X))  # here
""",
        "loss in max": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.ReduceLROnPlateau(optimizer, mode="max", patience=5)
for epoch in range(6):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    scheduler.step(total / len(loader))  # here
""",
    },
    "schedule-overwritten": {
        "rate by hand beside a schedule": """
optimizer = SGD(model.parameters(), lr=0.05)
scheduler = sched.StepLR(optimizer, step_size=4, gamma=0.5)
for step in range(16):
    optimizer.param_groups[0]["lr"] = 0.05 * (1 - step / 16)
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss_fn(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    scheduler.step()  # here
""",
    },
}
