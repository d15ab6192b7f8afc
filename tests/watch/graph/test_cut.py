"""Where gradients are cut off, by value and line."""

from pathlib import Path

import pytest

from tests.watch.graph.program import end_of, watch

NET = """
import numpy as np

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
        self.middle = nn.Linear(6, 6)
        self.head = nn.Linear(6, 1)

{forward}

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    x = torch.randn(8, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

FORWARDS = {
    "detach": """
    def forward(self, x):
        h = torch.relu(self.middle(self.encoder(x)))
        h = h.detach()  # HERE
        return self.head(h)
    """,
    "data": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        return self.head(torch.relu(h.data))  # HERE
    """,
    "no_grad": """
    def forward(self, x):
        with torch.no_grad():  # HERE
            h = self.encoder(x)
            h = self.middle(h)
        return self.head(h.relu())
    """,
    "decorated": """
    @torch.no_grad()  # HERE
    def encode(self, x):
        return self.middle(self.encoder(x))

    def forward(self, x):
        return self.head(self.encode(x))
    """,
    "inference mode": """
    def forward(self, x):
        with torch.inference_mode():  # HERE
            h = self.middle(self.encoder(x))
        return self.head(h.clone())
    """,
    "numpy": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        array = np.tanh(h.detach().numpy())  # HERE
        return self.head(torch.from_numpy(array))
    """,
    "list": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        return self.head(torch.tensor([row.tolist() for row in h]))  # HERE
    """,
    "numpy to tensor": """
    def forward(self, x):
        h = self.middle(self.encoder(x)).detach().cpu().numpy()  # HERE
        return self.head(torch.tensor(h * 2.0))
    """,
    "numpy to an old constructor": """
    def forward(self, x):
        h = self.middle(self.encoder(x)).detach().cpu().numpy()  # HERE
        h *= 2.0
        return self.head(torch.FloatTensor(h))
    """,
    "numpy to a class": """
    def forward(self, x):
        h = np.asarray(self.middle(self.encoder(x)).detach())  # HERE
        return self.head(torch.Tensor(h))
    """,
    "number by number": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        return self.head(torch.stack([torch.tensor([v.item() for v in row]) for row in h]))  # HERE
    """,
    "new leaf": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        leaf = h.detach().clone().requires_grad_(True)  # HERE
        return self.head(leaf)
    """,
    "written into a buffer": """
    def forward(self, x):
        h = self.middle(self.encoder(x))
        out = torch.zeros(len(x), 6)
        for i in range(len(x)):
            out[i] = h[i].detach()  # HERE
        return self.head(out)
    """,
    "whatever it is": """
    def forward(self, x):
        return self.head(torch.stack(self.repackage(tuple(self.middle(self.encoder(x))))))

    def repackage(self, h):
        if isinstance(h, torch.Tensor):
            return h.detach()  # HERE
        return tuple(self.repackage(one) for one in h)
    """,
    "if there is one": """
    def forward(self, x, state=None):
        state = self.middle(self.encoder(x)) if state is None else state
        if not (state is None or not torch.is_tensor(state)):
            state = state.detach() if hasattr(state, "detach") else state  # HERE
        return self.head(state)
    """,
    "beside its signs": """
    def forward(self, x):
        h = self.middle(self.encoder(x)).detach()  # HERE
        return self.head(h) * (h > -100).all(1, keepdim=True)
    """,
    "residual": """
    def forward(self, x):
        h = self.middle(self.encoder(x)).detach()  # HERE
        return self.head(h) + h.mean(1, keepdim=True)
    """,
}


@pytest.mark.parametrize("forward", FORWARDS.values(), ids=FORWARDS)
def test_finds_the_line_of_the_cut(forward: str, tmp_path: Path) -> None:
    findings, _, lines = watch(NET.format(forward=forward), tmp_path)
    (finding,) = (f for f in findings if f.severity != "note")
    assert finding.rule == "graph-cut"
    assert finding.line is not None and lines[finding.line].endswith("# HERE"), lines[finding.line]
    assert finding.evidence["params"] == 4


SILENT = {
    "another path": "return self.head(self.middle(self.encoder(x)).detach()) + self.middle(self.encoder(x)).mean()",
    "straight through": """
        h = self.middle(self.encoder(x))
        return self.head(h + (h.round() - h).detach())
    """,
    "in a branch": """
        h = self.middle(self.encoder(x))
        if self.head.bias.item() < 100:
            h = h.detach()
        return self.head(h)
    """,
    "in a choice": "h = self.middle(self.encoder(x))\n        return self.head(h.detach() if len(x) else h)",
    "if another value is there": """
        h, target = self.middle(self.encoder(x)), None
        if target is None:
            target = h.detach()
        return self.head(target)
    """,
    "if a setting is there": """
        h = self.middle(self.encoder(x))
        if self.head is not None and isinstance(h, torch.Tensor):
            h = h.detach()
        return self.head(h)
    """,
    "drawn without gradients": """
        with torch.no_grad():
            drawn = torch.distributions.Categorical(logits=self.middle(self.encoder(x))).sample()
        return self.head(F.one_hot(drawn, 6).float())
    """,
    "drawn from a density": """
        drawn = torch.distributions.Normal(self.middle(self.encoder(x)), 1.0).sample()
        return self.head(drawn)
    """,
    "chosen outside": """
        chosen = self.middle(self.encoder(x)).detach().numpy().argmax(1)
        return self.head(F.one_hot(torch.tensor(chosen), 6).float())
    """,
    "by an argument": """
        with torch.set_grad_enabled(len(x) > 100):
            h = self.middle(self.encoder(x))
        return self.head(h)
    """,
    "not differentiable": """
        index = self.middle(self.encoder(x)).argmax(1)
        return self.head(F.one_hot(index, 6).float())
    """,
}


def body(text: str) -> str:
    return "    def forward(self, x):\n        " + text.strip()


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_silent(text: str, tmp_path: Path) -> None:
    findings, _, _ = watch(NET.format(forward=body(text)), tmp_path)
    assert [f for f in findings if f.severity != "note"] == []


def test_tells_unused_from_dead_ends(tmp_path: Path) -> None:
    text = "aux = self.middle(torch.ones(6))\n        return self.head(torch.cat([x, x[:, :2]], 1))"
    findings, records, _ = watch(NET.format(forward=body(text)), tmp_path)
    fates = {one.params[0].split(".", 1)[1]: one.fate for one in end_of(records).untrained}
    assert fates == {"encoder.0.weight": "unused", "middle.weight": "dead-end"}
    assert {f.rule for f in findings} == {"unused-parameters"}


def test_parameters_moved_by_hand_are_nobodys_mistake(tmp_path: Path) -> None:
    text = """
        with torch.no_grad():
            for p in self.middle.parameters():
                p.mul_(0.99)
            h = self.middle(torch.ones(6))
        return self.head(self.encoder(x) + h)
    """
    findings, records, _ = watch(NET.format(forward=body(text)), tmp_path)
    assert [f for f in findings if f.severity != "note"] == []
    assert [one.moved for one in end_of(records).untrained] == [True]


def test_two_optimizers(tmp_path: Path) -> None:
    text = """
    encoder, head = nn.Linear(4, 6), nn.Linear(6, 1)
    first, second = torch.optim.SGD(encoder.parameters(), lr=0.01), torch.optim.SGD(head.parameters(), lr=0.01)
    for _ in range(5):
        x = torch.randn(8, 4)
        first.zero_grad(), second.zero_grad()
        h = encoder(x)
        F.mse_loss(head(h.data), x[:, :1]).backward()
        first.step(), second.step()
    """
    findings, _, _ = watch(text, tmp_path)
    assert {f.rule for f in findings} == {"backward-misses-optimizer"}  # none of that optimizer's parameters train


def test_compiled_programs_are_not_followed(tmp_path: Path) -> None:
    program = NET.replace("net = Net()", "net = torch.compile(Net(), backend='eager')")
    findings, records, _ = watch(program.format(forward=FORWARDS["detach"]), tmp_path)
    assert dict(end_of(records).probes_off)["flow"] == "torch.compile is in use"
    assert not findings


def test_modes_of_the_program_are_left_alone(tmp_path: Path) -> None:
    program = NET.format(forward=FORWARDS["detach"]).replace("for _ in range(5):", "for _ in range(8):")
    lines = program.split("for _ in range(8):\n")
    inside = "for _ in range(8):\n    with torch.device('cpu'):\n" + "".join(
        f"    {line}\n" for line in lines[1].splitlines()
    )
    check = "assert not torch.overrides._get_current_function_mode_stack()\n"
    findings, _, _ = watch(lines[0] + inside + check, tmp_path)
    assert not findings  # the optimizer steps inside the program's own mode: nothing can be followed
