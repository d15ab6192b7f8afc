"""Each round a new optimizer over a client's model, after the averaged weights were loaded."""

import torch
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


shared, clients = network(), [network() for _ in range(2)]
for _ in range(5):
    for client in clients:
        client.load_state_dict(shared.state_dict())
        optimizer = torch.optim.SGD(client.parameters(), lr=0.01, momentum=0.9)
        for _ in range(3):
            x = torch.randn(16, 4)
            optimizer.zero_grad()
            nn.functional.mse_loss(client(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
    states = [client.state_dict() for client in clients]
    shared.load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})
