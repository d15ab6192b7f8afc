"""From the line of a backward to the line of its loss, by the source alone."""

from pathlib import Path
from textwrap import dedent

import pytest

from surefoot.facts import Site
from surefoot.watch.lossgraph.handwritten import loss_site, term_sites

PROGRAMS = {
    "assigned": """
        loss = ((model(x) - y) ** 2).mean()  # LOSS
        loss.backward()  # BACKWARD
        """,
    "the nearest assignment above": """
        loss = first(x)
        loss = second(x)  # LOSS
        loss.backward()  # BACKWARD
        loss = third(x)
        """,
    "rescaled in between": """
        loss = (model(x) - y).abs().mean()  # LOSS
        loss = loss / 4
        loss = loss * weight
        (loss / k).backward()  # BACKWARD
        """,
    "scaled by a scaler": """
        loss = (model(x) - y).abs().mean()  # LOSS
        scaler.scale(loss / 2).backward()  # BACKWARD
        """,
    "by a library": """
        loss = (model(x) - y).abs().mean()  # LOSS
        accelerator.backward(loss)  # BACKWARD
        """,
    "with a gradient": """
        self.loss = (model(x) - y).abs()  # LOSS
        self.loss.backward(torch.ones(3))  # BACKWARD
        """,
    "no name": """
        ((model(x) - y) ** 2).mean().backward()  # LOSS BACKWARD
        """,
    "a function": """
        def criterion(a, b):
            error = a - b
            result = (error * error).mean()  # LOSS
            return result
        loss = criterion(model(x), y)
        loss.backward()  # BACKWARD
        """,
    "one of several results": """
        def compute(x, y):
            out = model(x)
            error = (out - y).abs().mean()  # LOSS
            return out, error
        out, loss = compute(x, y)
        loss.backward()  # BACKWARD
        """,
    "a function with two ways out": """
        def criterion(a, b):
            if a is b:
                return a
            return (a - b).mean()
        loss = criterion(model(x), y)  # LOSS
        loss.backward()  # BACKWARD
        """,
    "a sum over a loop": """
        loss = 0.0
        for t in range(9):
            loss += (model(x[t]) - y[t]).abs().mean()  # LOSS
        loss.backward()  # BACKWARD
        """,
    "annotated": """
        loss: Tensor = (model(x) - y).abs().mean()  # LOSS
        loss.backward()  # BACKWARD
        """,
    "an attribute of another method": """
        class Trainer:
            def compute(self):
                self.loss = (self.model(x) - y).abs().mean()  # LOSS
            def step(self):
                self.compute()
                self.loss.backward()  # BACKWARD
        """,
    "a name that another function uses as well": """
        loss = (model(x) - y).abs().mean()  # LOSS
        def evaluate():
            loss = other(x)
            return loss
        loss.backward()  # BACKWARD
        """,
    "weighted by a setting": """
        weight = args.weight
        error = (model(x) - y).abs().mean()  # LOSS
        loss = weight * error
        (self.scale["all"] * loss).backward()  # BACKWARD
        """,
    "a product of two results": """
        left, right = first(x), second(x)
        product = left * right  # LOSS
        product.backward()  # BACKWARD
        """,
    "an object that is called": """
        class Penalty:
            def __call__(self, weights):
                return weights.sum()
        class Losses(nn.Module):
            def value(self, a, b):
                return (a - b).abs().mean()  # LOSS
            def forward(self, a, b):
                return 0.5 * self.value(a, b)
        losses = Losses()
        loss = losses(model(x), y)
        loss.backward()  # BACKWARD
        """,
    "an object of one of two classes": """
        class First:
            def __call__(self, a):
                return a.mean()
        class Second:
            def __call__(self, a):
                return a.sum()
        losses = First() if x else Second()
        loss = losses(model(x))  # LOSS
        loss.backward()  # BACKWARD
        """,
    "nothing to be found": """
        compute_everything(x).backward()  # LOSS BACKWARD
        """,
}


def write(program: str, file: Path) -> tuple[str, int, int]:
    code = dedent(program).lstrip("\n")
    file.write_text(code)
    lines = code.split("\n")
    (loss,) = [i for i, line in enumerate(lines, 1) if "LOSS" in line]
    (backward,) = [i for i, line in enumerate(lines, 1) if "BACKWARD" in line]
    return str(file), loss, backward


@pytest.mark.parametrize("name", PROGRAMS)
def test_line_of_the_loss(name: str, tmp_path: Path) -> None:
    file, loss, backward = write(PROGRAMS[name], tmp_path / "program.py")
    assert loss_site(Site(file, backward)).line == loss


@pytest.mark.parametrize("call", ["train(model, error)", "train(model, loss=error)"])
def test_a_loss_that_was_passed_in_is_found_in_the_caller(call: str, tmp_path: Path) -> None:
    program = f"""
        def train(model, loss):
            loss.backward()  # BACKWARD
        error = (model(x) - y).abs().mean()  # LOSS
        {call}
        """
    file, loss, backward = write(program, tmp_path / "program.py")
    assert loss_site(Site(file, backward, "train", callers=((file, 4),))).line == loss


def test_lines_of_summands(tmp_path: Path) -> None:
    program = """
        def penalty(m):
            return m.pow(2).sum()
        actor = -(logits * advantage).mean()
        critic = (value - target).pow(2).mean()
        loss = (actor + 0.5 * critic + 1e-3 * penalty(w) + 1.0) / 2  # LOSS
        loss.backward()  # BACKWARD
        """
    file, loss, backward = write(program, tmp_path / "program.py")
    assert [site.line for site in term_sites(Site(file, backward))] == [3, 4, 2]
    assert loss_site(Site(file, backward)).line == loss


def test_a_file_that_can_not_be_read_gives_the_backward(tmp_path: Path) -> None:
    site = Site(str(tmp_path / "gone.py"), 3)
    assert loss_site(site) == site
    assert term_sites(site) == []
    (tmp_path / "broken.py").write_text("loss = (\nloss.backward()")
    assert loss_site(Site(str(tmp_path / "broken.py"), 2)).line == 2
