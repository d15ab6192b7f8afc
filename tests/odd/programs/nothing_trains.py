"""torch is used without training."""

import torch
from training import make_net

torch.manual_seed(0)
with torch.inference_mode():
    print(make_net().eval()(torch.ones(1, 8)).sum().item())
