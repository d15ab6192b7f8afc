"""What a script can know of itself: arguments, file, name, module, path, loader, annotations."""

# odd: own process
import sys

import torch
from training import digest, make_net, train

count: int = 1
torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 5)
main = sys.modules["__main__"]
print(__name__, __file__ == sys.argv[0], sys.argv[1:], __package__, __doc__[:4], __spec__, __annotations__)
print(main.__dict__ is globals(), main.count, sys.path[0] == __file__.rsplit("/", 1)[0], type(__loader__).__name__)
print(type(__builtins__).__name__, sorted(name for name in globals() if name.startswith("__")))
print(open(__file__).read().count("\n"), sys.flags.optimize, sys.stdin.read(), digest(model))
