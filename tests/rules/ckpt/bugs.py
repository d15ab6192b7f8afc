"""Buggy programs as people write them. `# here` marks the line that the finding must name."""

HEAD = """
import io
import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW
from torch.optim import lr_scheduler as sched

torch.manual_seed(0)

def build():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

def train(model, optimizer, scheduler=None, steps=8):
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()

def saved(**parts):
    file = io.BytesIO()
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    file.seek(0)
    return file

model = build()
"""

BUGS = {
    "optimizer-state-not-restored": {
        "momentum, in a list of optimizers": """
optimizer = SGD(model.parameters(), lr=0.05, momentum=0.9)
train(model, optimizer)
file = io.BytesIO()
torch.save({"state_dict": model.state_dict(), "optimizer_states": [optimizer.state_dict()]}, file)
file.seek(0)
checkpoint = torch.load(file, weights_only=True)
fresh = build()
fresh.load_state_dict(checkpoint["state_dict"])  # here
train(fresh, SGD(fresh.parameters(), lr=0.05, momentum=0.9))
""",
        "prefix stripped, schedule made anew": """
optimizer = AdamW(model.parameters(), lr=0.01)
scheduler = sched.StepLR(optimizer, step_size=4)
train(model, optimizer, scheduler)
file = io.BytesIO()
weights = {f"module.{name}": value for name, value in model.state_dict().items()}
torch.save({"model": weights, "optimizer": optimizer.state_dict(), "epoch": 3}, file)
file.seek(0)
checkpoint = torch.load(file)

def resume(model):
    weights = {name.removeprefix("module."): value for name, value in checkpoint["model"].items()}
    model.load_state_dict(weights)  # here

fresh = build()
optimizer = AdamW(fresh.parameters(), lr=0.01)
resume(fresh)
train(fresh, optimizer, sched.StepLR(optimizer, step_size=4))
""",
    },
    "learning-rate-jumped-after-resume": {
        "lambda made before loading": """
def rate(step):
    return 0.5 ** step

optimizer = Adam(model.parameters(), lr=0.01)
train(model, optimizer, sched.LambdaLR(optimizer, rate), 4)
checkpoint = torch.load(saved(model=model, optimizer=optimizer))
fresh = build()
optimizer = Adam(fresh.parameters(), lr=0.01)
scheduler = sched.LambdaLR(optimizer, rate)  # here
fresh.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
train(fresh, optimizer, scheduler, 4)
""",
        "two groups": """
def groups(model):
    return [{"params": model[0].parameters(), "lr": 0.001}, {"params": model[2].parameters()}]

optimizer = Adam(groups(model), lr=0.01)
train(model, optimizer, sched.LambdaLR(optimizer, lambda step: 1 / (1 + step)), 8)
checkpoint = torch.load(saved(model=model, optimizer=optimizer))
fresh = build()
fresh.load_state_dict(checkpoint["model"])
optimizer = Adam(groups(fresh), lr=0.01)
optimizer.load_state_dict(checkpoint["optimizer"])
train(fresh, optimizer, sched.LambdaLR(optimizer, lambda step: 1 / (1 + step)), 8)  # here
""",
    },
    "schedule-restarted-after-resume": {
        "saved, but not loaded": """
optimizer = Adam(model.parameters(), lr=0.01)
scheduler = sched.StepLR(optimizer, step_size=4, gamma=0.5)
train(model, optimizer, scheduler, 10)
checkpoint = torch.load(saved(model=model, optimizer=optimizer, lr_scheduler=scheduler))
fresh = build()
optimizer = Adam(fresh.parameters(), lr=0.01)
scheduler = sched.StepLR(optimizer, step_size=4, gamma=0.5)  # here
fresh.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
train(fresh, optimizer, scheduler, 10)
""",
        "warm-up once more": """
class Trainer:
    def __init__(self):
        self.model = build()
        self.optimizer = AdamW([{"params": part.parameters()} for part in self.model[::2]], lr=0.01)
        self.scheduler = sched.LambdaLR(self.optimizer, lambda step: min(1.0, (step + 1) / 10))  # here
        self.parts = {"model": self.model, "optimizer": self.optimizer, "scheduler": self.scheduler}

    def save(self):
        return saved(**self.parts)

    def resume(self, file):
        states = torch.load(file)
        for name in ("model", "optimizer"):
            self.parts[name].load_state_dict(states[name])

first = Trainer()
train(first.model, first.optimizer, first.scheduler, 20)
second = Trainer()
second.resume(first.save())
train(second.model, second.optimizer, second.scheduler, 20)
""",
    },
    "loads-its-own-weights": {
        "an agent whose networks are one": """
class Agent:
    def __init__(self, network):
        self.policy, self.target = network, network

    def synchronise(self):
        self.target.load_state_dict(self.policy.state_dict())  # here

agent = Agent(model)
for _ in range(3):
    agent.synchronise()
    train(agent.policy, Adam(agent.policy.parameters(), lr=0.01), steps=1)
""",
        "no name fits": """
own = model.state_dict()
pretrained = {f"module.{name}": value.clone() for name, value in own.items()}
own.update({name: value for name, value in pretrained.items() if name in own})
model.load_state_dict(own)  # here
train(model, SGD(model.parameters(), lr=0.05))
""",
        "parts that are shared": """
class Critic(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body, self.scale = body, nn.BatchNorm1d(1)

    def forward(self, x):
        return self.scale(self.body(x))

critic = Critic(model)
target = Critic(critic.body)
target.scale = critic.scale
optimizer = SGD(critic.parameters(), lr=0.05)
for _ in range(4):
    train(critic, optimizer, steps=2)
    target.load_state_dict(critic.state_dict(), strict=True)  # here
""",
        "tied weights, state and keyword": """
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.out(self.second(self.first(x).relu()))

student = Tied()
teacher = student
train(student, SGD(student.parameters(), lr=0.05))
teacher.load_state_dict(state_dict=student.state_dict())  # here
""",
    },
    "untrained-optimizer-saved": {
        "a function that makes its own": """
def fit(model):
    optimizer = AdamW(model.parameters(), lr=0.01)
    train(model, optimizer)

optimizer = AdamW(model.parameters(), lr=0.01)
fit(model)
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, io.BytesIO())  # here
""",
        "a trainer that was given another one": """
class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.given = model, optimizer
        self.optimizer = SGD([p for p in model.parameters()], lr=0.05, momentum=0.9)

    def fit(self):
        for epoch in range(3):
            train(self.model, self.optimizer)
            self.save(epoch)

    def save(self, epoch):
        state = {"epoch": epoch, "states": [self.given.state_dict()], "model": self.model.state_dict()}
        torch.save(state, io.BytesIO())  # here

Trainer(model, SGD(model.parameters(), lr=0.1, momentum=0.9)).fit()
""",
        "saved by itself, groups": """
def groups():
    return [{"params": part.parameters()} for part in model[::2]]

kept = Adam(groups(), lr=0.01)
optimizer = Adam(groups(), lr=0.01)
train(model, optimizer)
state = kept.state_dict()
torch.save(state, io.BytesIO())  # here
""",
    },
    "initialised-after-load": {
        "a model around a loaded backbone": """
class Classifier(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone, self.head = backbone, nn.Linear(4, 1)
        self.apply(self.init)  # here

    def init(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(0, 0.3)
            module.bias.data.zero_()

    def forward(self, x):
        return self.head(self.backbone(x))

def backbone():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))

loaded = backbone()
loaded.load_state_dict(torch.load(saved(model=backbone()))["model"])
classifier = Classifier(loaded)
train(classifier, SGD(classifier.parameters(), lr=0.05))
""",
        "each parameter by itself": """
model.load_state_dict(build().state_dict())
for param in model.parameters():
    if param.ndim > 1:
        nn.init.kaiming_normal_(param)  # here
train(model, SGD(model.parameters(), lr=0.05))
""",
        "reset": """
def reset(model):
    for layer in model:
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()  # here

fresh = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
fresh.load_state_dict(nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).state_dict())
reset(fresh)
train(fresh, Adam(fresh.parameters(), lr=0.01))
""",
    },
    "checkpoint-mostly-unmatched": {
        "the whole checkpoint given": """
optimizer = SGD(model.parameters(), lr=0.05)
checkpoint = {"model": model.state_dict(), "epoch": 3}
fresh = build()
fresh.load_state_dict(checkpoint, strict=False)  # here
train(fresh, SGD(fresh.parameters(), lr=0.05))
""",
        "a layer renamed": """
class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 1)

class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.fc2(self.hidden(x).tanh())

def load(model, weights):
    model.load_state_dict(weights, strict=False)  # here
    return model

fresh = load(New(), Old().state_dict())
with torch.no_grad():
    fresh(torch.randn(2, 4))
""",
    },
    "best-weights-aliased": {
        "saved at the end": """
optimizer = SGD(model.parameters(), lr=0.05)
for epoch in range(4):
    train(model, optimizer)
    if epoch == 1:
        best = {"epoch": epoch, "model": model.state_dict()}  # here
torch.save(best, io.BytesIO())
""",
        "another model gets them, through a shallow copy": """
optimizer = Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    train(model, optimizer)
    if epoch == 1:
        best = dict(model.state_dict())  # here
final = build()
final.load_state_dict(best)
""",
        "put back after an evaluation with averaged weights": """
optimizer = SGD(model.parameters(), lr=0.05)
average = {name: value.clone() for name, value in model.state_dict().items()}
train(model, optimizer)
backup = model.state_dict()  # here
model.load_state_dict(average)
with torch.no_grad():
    model(torch.randn(2, 4))
model.load_state_dict(backup)
""",
        "folds that are to begin alike": """
initial = model.state_dict()  # here

def fold():
    model.load_state_dict(initial)
    train(model, SGD(model.parameters(), lr=0.05, momentum=0.5))

for _ in range(3):
    fold()
""",
        "moved to where they are already": """
class Trainer:
    best = None

    def fit(self):
        optimizer = SGD(model.parameters(), lr=0.05)
        for epoch in range(3):
            train(model, optimizer)
            if epoch == 0:
                self.best = {name: value.cpu() for name, value in model.state_dict().items()}  # here
        model.load_state_dict(self.best)
        train(model, optimizer)

Trainer().fit()
""",
    },
}
