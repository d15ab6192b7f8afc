"""Two different losses, each clipped after its own backward, before one step; and an adaptive limit."""

import torch

torch.manual_seed(0)
body = torch.nn.Linear(4, 8)
value_head, policy_head = torch.nn.Linear(8, 1), torch.nn.Linear(8, 3)
params = [*body.parameters(), *value_head.parameters(), *policy_head.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3)
limit = 1.0
for _ in range(10):
    x = torch.randn(16, 4)
    hidden = body(x).tanh()
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(value_head(hidden), x[:, :1]).backward(retain_graph=True)
    torch.nn.utils.clip_grad_norm_(value_head.parameters(), limit)
    torch.nn.functional.cross_entropy(policy_head(hidden), torch.randint(0, 3, (16,))).backward()
    norm = torch.nn.utils.clip_grad_norm_(params, limit)
    limit = 0.9 * limit + 0.1 * float(norm)
    optimizer.step()
