"""Code in another encoding, a locale and an output of the program's own, and names that are not ASCII."""

import locale
import sys
from pathlib import Path

import torch
from training import digest, make_net, train

locale.setlocale(locale.LC_ALL, "C")
sys.stdout.reconfigure(encoding="ascii", errors="backslashreplace")
torch.manual_seed(0)
source = """# -*- coding: latin-1 -*-
größe = make_net()
train(größe, torch.optim.SGD(größe.parameters(), lr=0.1), 10)
print("größe", digest(größe))
"""
file = Path("größe.py")
file.write_bytes(source.encode("latin-1"))
names = {"torch": torch, "train": train, "make_net": make_net, "digest": digest}
exec(compile(file.read_bytes(), str(file.absolute()), "exec"), names)
