# %% [markdown]
# Matrix factorisation: user vectors in a module, item vectors as a plain tensor.

# %%
import hashlib

import torch
import torch.nn as nn

torch.manual_seed(11)

# %%
num_users, num_items, dim = 40, 30, 6
ratings = torch.randn(num_users, 3) @ torch.randn(3, num_items)
ratings = ratings + 0.05 * torch.randn_like(ratings)

# %%
model = nn.Embedding(num_users, dim)
items = (torch.randn(num_items, dim) * 0.1).requires_grad_()
optimizer = torch.optim.SGD(list(model.parameters()) + [items], lr=0.5)

# %%
losses = []
for step in range(40):
    u = torch.randint(0, num_users, (64,))
    i = torch.randint(0, num_items, (64,))
    prediction = (model(u) * items[i]).sum(-1)
    loss = ((prediction - ratings[u, i]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

# %%
print(f"first {losses[0]:.3f}, last {losses[-1]:.3f}")

# %%
final = model.weight.detach().numpy().tobytes() + items.detach().numpy().tobytes()
print("weights", hashlib.sha256(final).hexdigest()[:16])
