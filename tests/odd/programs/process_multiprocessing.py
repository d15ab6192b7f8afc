"""Children started by multiprocessing, forked, some training and one failing."""

import multiprocessing

import torch
from training import digest, make_net, train


def work(queue, seed):
    torch.manual_seed(seed)
    model = make_net()
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), 10)
    queue.put((seed, digest(model)))


def fail():
    raise SystemExit(9)


context = multiprocessing.get_context("fork")
queue = context.SimpleQueue()
children = [context.Process(target=work, args=(queue, seed)) for seed in range(2)]
children.append(context.Process(target=fail))
for child in children:
    child.start()
results = sorted(queue.get() for _ in range(2))
for child in children:
    child.join()
print(results, [child.exitcode for child in children])
