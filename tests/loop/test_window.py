"""The gradient that a backward begins with is kept from one micro-batch to the next, and is always the right one."""

import torch
import torch.nn.functional as F  # noqa: N812

import surefoot as sf
from surefoot.loop.window import Window
from tests.loop.training import make_batches, make_model


def test_a_seed_is_kept_as_long_as_it_fits() -> None:
    window, loss = Window(list, 4), torch.ones(())
    seed = window.seed(loss, 0.25)
    assert seed.item() == 0.25
    assert window.seed(loss, 0.25) is seed
    assert window.seed(loss, 0.5).item() == 0.5
    assert window.seed(loss.double(), 0.5).dtype is torch.float64
    assert window.seed(torch.ones(1), 0.5).shape == (1,)
    assert window.seed(loss, 0.5).shape == ()


def test_a_hook_that_writes_to_the_gradient_of_one_loss_leaves_the_others_alone() -> None:
    seen: list[float] = []

    def spoil(grad: torch.Tensor) -> None:
        seen.append(grad.item())
        grad.zero_()

    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), accumulate=4, watch=False, log=None)
    for x, y in loop.batches(make_batches([8] * 4), epochs=2):
        with loop.step() as step:
            loss = F.cross_entropy(model(x), y)
            loss.register_hook(spoil)
            step.backward(loss)
    assert seen == [0.25] * 8
