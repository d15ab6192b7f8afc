"""Buggy programs as people write them. `# here` marks the line that the finding must name."""

HEAD = """
import random
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler, Subset, TensorDataset

torch.manual_seed(0)
X = torch.randn(96, 8)
Y = torch.arange(96) // 32
data = TensorDataset(X, Y)
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()
"""

NOISY = """
class Noisy(Dataset):
    def __init__(self, rng):
        self.rng = rng

    def __len__(self):
        return 96

    def __getitem__(self, index):
        return X[index] + float(self.noise()), Y[index]
"""

TRAINED_AND_JUDGED = """
def train(loader):
    for x, y in loader:
        step(x, y)

@torch.no_grad()
def evaluate(loader):
    return sum((model(x).argmax(1) == y).float().mean() for x, y in loader) / len(loader)

class Own(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        return X[index], Y[index]
"""

HELD = """
class Held(Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 96

def fit(data):
    for epoch in range(3):
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            step(x.float(), y)
"""

BUGS = {
    "dataset-changed-in-place": {
        "arrays, normalised": HELD
        + """
class Pictures(Held):
    def __getitem__(self, index):
        picture = self.x[index]
        picture -= picture.mean() - 0.01  # here
        return torch.from_numpy(picture), Y[index]

fit(Pictures(X.numpy().copy()))
""",
        "masked, a part of the data": HELD
        + """
class Masked(Held):
    def __getitem__(self, index):
        x = self.x[index]
        x[random.randrange(8)] = 0  # here
        return x, Y[index]

fit(Subset(Masked(X.clone()), range(88)))
""",
        "a list of tensors, a transform": HELD
        + """
def jitter(x):
    return x.mul_(0.9).add_(0.1 * torch.randn(1))

class Transformed(Held):
    transform = staticmethod(jitter)

    def __getitem__(self, index):  # here
        return self.transform(self.x[index]) / 0.25, Y[index]

fit(Transformed([x.clone() for x in X]))
""",
    },
    "validated-on-training-data": {
        "the same data set": TRAINED_AND_JUDGED
        + """
train_loader = DataLoader(data, batch_size=8, shuffle=True)
test_loader = DataLoader(data, batch_size=32)  # here
for epoch in range(2):
    train(train_loader)
    evaluate(test_loader)
""",
        "a class of one's own, split in vain": TRAINED_AND_JUDGED
        + """
everything = Own()
train_part, val_part = torch.utils.data.random_split(everything, [64, 32])
trainloader = DataLoader(everything, batch_size=8, shuffle=True)
valloader = DataLoader(val_part, batch_size=8)  # here
for epoch in range(3):
    train(trainloader)
    evaluate(valloader)
""",
        "slices that overlap, by phases": """
sets = {"train": TensorDataset(X[:90], Y[:90]), "val": TensorDataset(X[60:90], Y[60:90])}
loaders = {phase: DataLoader(part, batch_size=8, shuffle=phase == "train") for phase, part in sets.items()}  # here
for epoch in range(3):
    for phase in ("train", "val"):
        for x, y in loaders[phase]:
            with torch.set_grad_enabled(phase == "train"):
                loss = nn.functional.cross_entropy(model(x), y)
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
""",
        "a trainer that evaluates at the end": TRAINED_AND_JUDGED
        + """
class Trainer:
    def __init__(self, rows):
        self.train_dl = DataLoader(rows, batch_size=8, shuffle=True)
        self.val_dl = DataLoader(rows[64:], batch_size=8)  # here

    def fit(self):
        for epoch in range(3):
            train(self.train_dl)
        print(evaluate(self.val_dl))

Trainer(list(zip(X, Y))).fit()
""",
        "loaders from functions": TRAINED_AND_JUDGED
        + """
def train_dataloader():
    return DataLoader(data, batch_size=8, shuffle=True)

def val_dataloader():
    return DataLoader(data, batch_size=8, sampler=torch.utils.data.SubsetRandomSampler(range(40)))  # here

for epoch in range(3):
    train(train_dataloader())
    evaluate(val_dataloader())
""",
        "inside the epoch, with graphs": """
train_loader = DataLoader(data, batch_size=8, shuffle=True)
dev_loader = DataLoader(Subset(data, range(40)), batch_size=8)  # here
for epoch in range(3):
    for i, (x, y) in enumerate(train_loader):
        step(x, y)
        if i == 9:
            model.eval()
            accuracy = sum((model(x).argmax(1) == y).sum() for x, y in dev_loader)
            model.train()
""",
        "split anew in each epoch": TRAINED_AND_JUDGED
        + """
for epoch in range(4):
    train_set, val_set = torch.utils.data.random_split(data, [64, 32])
    train(DataLoader(train_set, batch_size=8, shuffle=True))
    evaluate(DataLoader(val_set, batch_size=8))  # here
""",
        "parts without a telling name, by loss": TRAINED_AND_JUDGED
        + """
a, b = TensorDataset(X[:50], Y[:50]), TensorDataset(X[50:], Y[50:])
one = DataLoader(torch.utils.data.ConcatDataset([a, b]), batch_size=8, shuffle=True)
two = DataLoader(b, batch_size=8)  # here
for epoch in range(3):
    train(one)
    with torch.no_grad():
        score = sum(nn.functional.cross_entropy(model(x), y).item() for x, y in two)
""",
    },
    "unshuffled-training-data": {
        "augmented pictures, sorted labels": """
class Augmented(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        return X[index] + 0.1 * torch.randn(8), Y[index]

train_loader = DataLoader(Augmented(), 8)  # here
for epoch in range(2):
    for x, y in train_loader:
        step(x, y)
""",
        "dicts in a trainer, with validation": """
class Trainer:
    def __init__(self):
        rows = [{"x": x, "label": y} for x, y in zip(X, Y)]
        self.train = DataLoader(rows, batch_size=16, shuffle=False)  # here
        self.val = DataLoader([{"x": x} for x in torch.randn(32, 8)], batch_size=16)

    def fit(self):
        for epoch in range(3):
            for i, batch in enumerate(self.train):
                step(batch["x"], batch["label"])
            with torch.no_grad():
                for batch in self.val:
                    model(batch["x"])

Trainer().fit()
""",
        "left early every time": """
loader = DataLoader(Subset(data, range(80)), batch_size=4, num_workers=1)  # here
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        step(x, y)
        if i == 9:
            break
""",
        "accumulated": """
loader = DataLoader(data, batch_size=4)  # here
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        (nn.functional.cross_entropy(model(x), y) / 4).backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
""",
        "distributed, without shuffling": """
sampler = DistributedSampler(data, num_replicas=2, rank=0, shuffle=False)
loader = DataLoader(data, batch_size=8, sampler=sampler)  # here
for epoch in range(2):
    sampler.set_epoch(epoch)
    for x, y in loader:
        step(x, y)
""",
    },
    "same-order-every-epoch": {
        "seeded in the loop": """
loader = DataLoader(data, batch_size=8, shuffle=True)
for epoch in range(3):
    torch.manual_seed(42)
    for x, y in loader:  # here
        step(x, y)
""",
        "generator made in the loop": """
def epoch_of(seed):
    loader = DataLoader(data, batch_size=8, shuffle=True, generator=torch.Generator().manual_seed(seed))
    for x, y in loader:  # here
        step(x, y)

for epoch in range(4):
    epoch_of(0)
""",
        "set_epoch with a constant": """
sampler = DistributedSampler(data, num_replicas=2, rank=1)
loader = DataLoader(data, batch_size=4, sampler=sampler)
for epoch in range(2):
    sampler.set_epoch(0)
    for x, y in loader:  # here
        step(x, y)
""",
    },
    "same-batch-every-step": {
        "taken once": """
loader = DataLoader(data, batch_size=8, shuffle=True)
x, y = next(iter(loader))  # here
for i in range(30):
    step(x, y)
""",
        "taken once, for long, with validation": """
loader = DataLoader(data, batch_size=8, shuffle=True)
val = DataLoader(data, batch_size=48)
batch = next(iter(loader))  # here
for i in range(700):
    x, y = batch
    step(x.flatten(1), y)
    if i % 100 == 0:
        with torch.no_grad():
            for v, _ in val:
                model(v)

""",
        "started again in a function": """
loader = DataLoader(data, batch_size=8, shuffle=False)

def get_batch():
    return next(iter(loader))  # here

for i in range(12):
    step(*get_batch())
""",
        "started again by a stream that keeps its iterator": """
loader = DataLoader(data, batch_size=8)

class Stream:
    def next(self):
        self.iterator = iter(loader)  # here
        return next(self.iterator)

stream = Stream()
for i in range(14):
    step(*stream.next())
""",
        "left by break": """
loader = DataLoader(data, batch_size=8)
for epoch in range(12):
    for x, y in loader:  # here
        break
    step(x, y)
""",
    },
    "duplicate-worker-randomness": {
        "random.Random in a transform": NOISY
        + """
class Jitter:
    def __init__(self):
        self.rng = random.Random(1)

    def __call__(self):
        return self.rng.random()

data = Noisy(None)
data.noise = Jitter()
loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=2)  # here
for x, y in loader:
    step(x, y)
""",
        "the seed of every worker": NOISY
        + """
def init(worker):
    np.random.seed(0)

data = Noisy(None)
data.noise = lambda: np.random.rand()
loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=2, worker_init_fn=init)  # here
for x, y in loader:
    step(x, y)
""",
        "a generator in a closure, persistent workers": NOISY
        + """
def noise_of(generator):
    return lambda: torch.rand((), generator=generator)

data = Noisy(None)
data.noise = noise_of(torch.Generator().manual_seed(3))
loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=2, persistent_workers=True)  # here
for epoch in range(2):
    for x, y in loader:
        step(x, y)
del loader
""",
        "numpy's older kind": NOISY
        + """
data = Noisy(np.random.RandomState(5))
data.noise = data.rng.rand
loader = DataLoader(Subset(data, range(64)), batch_size=8, shuffle=True, num_workers=2)  # here
for x, y in loader:
    step(x, y)
""",
    },
}
