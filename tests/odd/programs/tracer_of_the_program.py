"""sys.settrace and sys.setprofile are the program's: what they see of its own file is the same."""

import sys

import torch
from training import digest, make_net, train

torch.manual_seed(0)
lines, calls = [], []


def trace(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    lines.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace


def profile(frame, event, arg):
    if frame.f_code.co_filename == __file__:
        calls.append((event, frame.f_code.co_name))


def step(model, optimizer):
    x = torch.ones(4, 8)
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
sys.settrace(trace)
for _ in range(10):
    step(model, optimizer)
sys.settrace(None)
sys.setprofile(profile)
for _ in range(10):
    step(model, optimizer)
sys.setprofile(None)
train(model, optimizer, 5)
print(len(lines), len(calls), digest(lines, calls), sys.gettrace(), sys.getprofile(), digest(model))
