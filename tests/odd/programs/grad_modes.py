"""no_grad, enable_grad, inference_mode and set_grad_enabled, nested and as decorators."""

import torch
from training import digest, make_batch, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.no_grad()
def evaluate():
    model.eval()
    with torch.enable_grad(), torch.set_grad_enabled(False), torch.inference_mode():
        out = model(make_batch()[0])
    model.train()
    return out.is_inference(), torch.is_grad_enabled()


states = []
for _ in range(5):
    with torch.no_grad(), torch.enable_grad():
        train(model, optimizer, 4)
    states.append(evaluate())
    with torch.inference_mode(), torch.inference_mode(False):
        train(model, optimizer, 2)
print(states, torch.is_grad_enabled(), digest(model))
