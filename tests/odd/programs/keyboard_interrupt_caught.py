"""KeyboardInterrupt, raised by the program, by a signal and inside a hook, is the program's to catch."""

import os
import signal

import torch
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
seen = []


def interrupt(*_):
    raise KeyboardInterrupt("in a hook")


for kind in ("raise", "signal", "hook"):
    train(model, optimizer, 5)
    hook = model[0].register_forward_hook(interrupt) if kind == "hook" else None
    try:
        if kind == "raise":
            raise KeyboardInterrupt("by hand")
        if kind == "signal":
            os.kill(os.getpid(), signal.SIGINT)
        train(model, optimizer, 1)
    except KeyboardInterrupt as error:
        seen.append(str(error))
    if hook is not None:
        hook.remove()
train(model, optimizer, 5)
print(seen, digest(model))
