"""Flags of torch that the program sets stay as they are: threads, subnormals, matmul precision, printing."""

import torch
from training import digest, make_net, train

torch.manual_seed(0)
torch.set_flush_denormal(True)
torch.set_float32_matmul_precision("medium")
torch.set_num_threads(2)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
print(torch.get_num_threads(), torch.get_float32_matmul_precision(), torch.tensor([1e-39]).item(), digest(model))
