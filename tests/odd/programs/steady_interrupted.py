"""Windows that are all alike for a long time, and then something odd happens in one of them."""

import signal
import sys
import traceback
import warnings

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from training import digest, make_batch, make_net

USUAL = 90


class Counts(TorchDispatchMode):
    num = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Counts.num += 1
        return func(*args, **(kwargs or {}))


def handle(number, frame):
    raise TimeoutError("from a handler")


def fail(*_):
    raise ValueError("in a hook")


def step(model, optimizer, clip=1.0):
    x, y = make_batch()
    loss = functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip, error_if_nonfinite=True)
    optimizer.step()
    return loss


def attempt(act):
    try:
        print(type(act()).__name__)
    except Exception as error:
        names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        print(type(error).__name__, str(error)[:60], names[-1])


def twice(model, optimizer):
    loss = step(model, optimizer)
    loss.backward()


def counted(model, optimizer):
    with Counts():
        step(model, optimizer)
    print(Counts.num)


def raised_in_backward(model, optimizer):
    hook = model[0].weight.register_hook(fail)
    try:
        step(model, optimizer)
    finally:
        hook.remove()


def not_finite(model, optimizer):
    with torch.no_grad():
        kept = model[0].weight.clone()
        model[0].weight.fill_(float("nan"))
    try:
        step(model, optimizer)
    finally:
        with torch.no_grad():
            model[0].weight.copy_(kept)


def signalled(model, optimizer):
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        step(model, optimizer)


def traced(model, optimizer):
    seen = []
    sys.settrace(lambda frame, *_: seen.append(frame.f_code.co_name) if frame.f_code.co_filename == __file__ else None)
    try:
        step(model, optimizer)
    finally:
        sys.settrace(None)
    print(seen)


def jit_traced(model, optimizer):
    x, _ = make_batch()
    print(digest(torch.jit.trace(model, x)(x)))
    step(model, optimizer)


def thawed(model, optimizer):
    model[0].weight.requires_grad_(False)
    step(model, optimizer)
    model[0].weight.requires_grad_(True)


def grown(model, optimizer):
    extra = torch.nn.Parameter(torch.ones(3))
    optimizer.add_param_group({"params": [extra], "lr": 0.5})
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x) * extra, y).backward()
    optimizer.step()
    print(digest(extra))


def warned(model, optimizer):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(model, optimizer)
        warnings.warn("of the program", stacklevel=2)


def closed(model, optimizer):
    def closure():
        x, y = make_batch()
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    return optimizer.step(closure)


for odd in (
    twice, counted, raised_in_backward, not_finite, signalled, traced, jit_traced, thawed, grown, warned, closed,
):  # fmt: skip
    torch.manual_seed(0)
    model = make_net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(USUAL):
        step(model, optimizer)
    print(odd.__name__)
    if odd is signalled:  # how far it gets is chance
        other = make_net()
        its_optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
        attempt(lambda: odd(other, its_optimizer))
    else:
        attempt(lambda: odd(model, optimizer))
    optimizer.zero_grad()
    torch.manual_seed(1)
    for _ in range(8):
        step(model, optimizer)
    print(digest(model))
