"""torch.compile without a code generator: how often it traced, and what came out."""

import torch
from torch._dynamo.testing import CompileCounter
from training import digest, make_net, train

torch.manual_seed(0)
counter = CompileCounter()
model = make_net()
compiled = torch.compile(model, backend=counter)
train(compiled, torch.optim.SGD(model.parameters(), lr=0.1), 20)
print(counter.frame_count, counter.op_count, digest(model))
