from surefoot.rules.loss.loss_shape_broadcast import check
from tests.rules.loss.build import LOSS, ask, lines, loss, step


def test_fires_with_the_shapes() -> None:
    (evidence,) = ask(check, step(loss("mse", "Addmm", broadcast=((16, 1), (16,), (16, 16)))))
    assert lines([evidence]) == [LOSS]
    assert evidence.numbers == {"prediction": "(16, 1)", "target": "(16)", "expanded_to": "(16, 16)"}


def test_is_silent_without() -> None:
    assert ask(check, step(loss("mse", "Addmm"))) == []
