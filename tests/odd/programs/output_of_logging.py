"""logging is set up by the program, with a handler on the root; captureWarnings too."""

import logging
import sys
import warnings

import torch
from training import digest, make_net, train

logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(name)s %(levelname)s %(message)s")
logging.captureWarnings(True)
torch.manual_seed(0)
model = make_net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), 20)
warnings.warn("mine", stacklevel=1)
logging.info("weights %s", digest(model))
print(sorted(name for name in logging.root.manager.loggerDict if name.startswith("surefoot")))
