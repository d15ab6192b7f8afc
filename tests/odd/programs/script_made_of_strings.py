"""Training code that exists only as a string, compiled with odd file names."""

import torch
from training import digest, make_net

torch.manual_seed(0)
code = """
for _ in range(8):
    x = torch.randn(4, 8)
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
"""
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for name in ("<string>", "", "no/such/file.py", "<generated \u00e9>", "a\nb"):
    exec(compile(code, name, "exec"), globals())
eval(compile("[exec(code) for _ in range(2)]", "<eval>", "eval"))
print(digest(model))
