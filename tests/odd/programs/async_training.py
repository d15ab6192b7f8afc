"""Steps of two trainings alternate in coroutines and generators, with context variables."""

import asyncio
import contextvars

import torch
from training import digest, make_net, train

name = contextvars.ContextVar("name")
order = []


async def work(label):
    name.set(label)
    model = make_net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        train(model, optimizer, 1)
        order.append(name.get())
        await asyncio.sleep(0)
    return digest(model)


def steps(model, optimizer):
    while True:
        train(model, optimizer, 1)
        yield digest(model)


async def main():
    return await asyncio.gather(work("a"), work("b"))


torch.manual_seed(0)
print(asyncio.run(main()), "".join(order))
model = make_net()
running = steps(model, torch.optim.SGD(model.parameters(), lr=0.1))
print([next(running) for _ in range(3)])
