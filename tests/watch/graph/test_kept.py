"""Which graphs stay alive, and the line that keeps them."""

from pathlib import Path

import pytest

from tests.watch.graph.program import START, steps_of, watch

LOOP = """
def batch():
    x = torch.randn(16, 4)
    return x, x.sum(1, keepdim=True)


def train_step(x, y):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
"""

INLINE = """
    x = torch.randn(16, 4)
    out = model(x)
    loss = F.mse_loss(out, x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

KEEPERS = {
    "sum": ("total = 0\nfor i in range(7):" + INLINE + "    total += loss  # HERE\n"),
    "written-out sum": ("total = 0\nfor i in range(7):" + INLINE + "    total = total + loss * len(x)  # HERE\n"),
    "list": ("losses = []\nfor i in range(7):" + INLINE + "    losses.append(loss)  # HERE\n"),
    "list of lists": ("losses = []\nfor i in range(7):" + INLINE + "    losses += [[i, loss]]  # HERE\n"),
    "dict of lists": ("log = {'a': []}\nfor i in range(7):" + INLINE + "    log['a'].append((i, loss))  # HERE\n"),
    "dict": ("log = {}\nfor i in range(7):" + INLINE + "    log[i] = loss  # HERE\n"),
    "alias": ("log = []\nfor i in range(7):" + INLINE + "    value = loss * 2\n    log.append(value)  # HERE\n"),
    "outputs": ("log = []\nfor i in range(7):" + INLINE + "    log.append(out)  # HERE\n"),
    "averager": (
        "class Averager:\n    value = 0\n    def update(self, value):\n        self.value += value\n"
        "averager = Averager()\nfor i in range(7):" + INLINE + "    averager.update(loss)  # HERE\n"
    ),
    "averager of a measure": (
        "class Averager:\n    value = 0\n    def update(self, value, n):\n        self.value += value * n\n"
        "averager = Averager()\nfor i in range(7):" + INLINE + "    averager.update(out.abs().mean(), len(x))  # HERE\n"
    ),
    "one of two parts": (
        "total = 0\nfor i in range(7):\n    x = torch.randn(16, 4)\n    out = model(x)\n"
        "    error, size = F.mse_loss(out, x.sum(1, keepdim=True)), out.abs().mean()\n    loss = error + 0.1 * size\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n    total += size  # HERE\n"
    ),
    "weighted part": (
        "total = 0\nfor i in range(7):\n    x = torch.randn(16, 4)\n    out = model(x)\n"
        "    size = 0.1 * out.abs().mean()\n    loss = F.mse_loss(out, x.sum(1, keepdim=True)) + size\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n    total += size  # HERE\n"
    ),
    "by a function": (
        "log = []\ndef note(number, value):\n    shown = [value]\n    log.append((number, shown))  # HERE\n"
        "def show(value):\n    texts = []\n    texts.append(value)\n    return len(texts)\n"
        "for i in range(7):" + INLINE + "    show(loss)\n    note(i, value=loss)\n"
    ),
    "by a function, each part": (
        "log = {'a': 0}\ndef note(parts):\n    for name, value in parts.items():\n        log[name] += value  # HERE\n"
        "for i in range(7):"
        + INLINE.replace("    loss = ", "    parts = {'a': ")
        .replace("True))", "True))}")
        .replace("loss.backward", "parts['a'].backward")
        + "    note(parts)\n"
    ),
    "returned": (LOOP + "total = 0\nfor i in range(7):\n    loss = train_step(*batch())\n    total += loss  # HERE\n"),
    "returned at once": (LOOP + "total = 0\nfor i in range(7):\n    total += train_step(*batch())  # HERE\n"),
    "returned to a list": (LOOP + "log = []\nfor i in range(7):\n    log.append(train_step(*batch()))  # HERE\n"),
    "comprehension": (LOOP + "log = [train_step(*batch()) for i in range(7)]  # HERE\n"),
    "attribute": (
        LOOP + "class Trainer:\n    def run(self):\n        self.history = []\n        for i in range(7):\n"
        "            loss = train_step(*batch())\n            self.history.append(loss)  # HERE\nTrainer().run()\n"
    ),
}


@pytest.mark.parametrize("body", KEEPERS.values(), ids=KEEPERS)
def test_finds_the_line_that_keeps(body: str, tmp_path: Path) -> None:
    findings, _, lines = watch(body, tmp_path)
    (finding,) = (f for f in findings if f.severity != "note")
    assert finding.rule == "graph-kept-alive"
    assert finding.line is not None and lines[finding.line].endswith("# HERE")


def test_short_epochs_are_enough(tmp_path: Path) -> None:
    body = "for epoch in range(2):\n    total = 0\n    for i in range(4):"
    findings, _, _ = watch(body + INLINE.replace("    ", " " * 8) + "        total += loss\n", tmp_path)
    assert [f.rule for f in findings] == ["graph-kept-alive"]


def test_a_line_nobody_can_find_is_told_at_the_backward(tmp_path: Path) -> None:
    body = "keep = [].append\nfor i in range(20):" + INLINE + "    keep(loss)\n"
    findings, _, lines = watch(body, tmp_path)
    (finding,) = findings
    assert finding.line is not None and "backward" in lines[finding.line]
    assert finding.step == 17


def test_cycles_are_no_leak(tmp_path: Path) -> None:
    body = "class Box: pass\nfor i in range(20):" + INLINE + "    box = Box()\n    box.me, box.loss = box, loss\n"
    findings, records, _ = watch(body, tmp_path)
    assert not findings
    assert START and not any(kept for step in steps_of(records) if step.graph is not None for kept in step.graph.kept)


def test_nothing_is_kept_alive_by_watching(tmp_path: Path) -> None:
    findings, records, _ = watch("for i in range(12):" + INLINE + "    del loss, out\n", tmp_path)
    assert not findings
    assert all(step.graph is not None and not step.graph.kept for step in steps_of(records))
