from surefoot.rules.loss.loss_shape_broadcast import check
from tests.rules.loss.build import LOSS, ask, backward, lines, loss, step


def test_fires_with_the_shapes() -> None:
    (evidence,) = ask(check, step(loss("mse", "Addmm", broadcast=((16, 1), (16,), (16, 16)))))
    assert lines([evidence]) == [LOSS]
    assert evidence.numbers == {"prediction": "(16, 1)", "target": "(16)", "expanded_to": "(16, 16)"}


def test_is_silent_without() -> None:
    assert ask(check, step(loss("mse", "Addmm"))) == []


def test_a_target_that_was_expanded_before_is_told_so() -> None:
    (evidence,) = ask(check, step(loss("mse", "Addmm", broadcast=((16, 1), (16, 16), (16, 16)))))
    assert "met a target of shape (16, 16)" in evidence.message
    assert "parts of the target" in evidence.fix


def test_maps_of_size_one_are_flattened() -> None:
    (evidence,) = ask(check, step(loss("mse", "Mean", broadcast=((8, 3, 1, 1), (8, 3), (8, 3, 8, 3)))))
    assert "prediction.flatten(1)" in evidence.fix


def test_the_loss_of_another_optimizer_is_told_at_its_own_steps() -> None:
    wide = loss("mse", "Addmm", broadcast=((16, 1), (16,), (16, 16)))
    assert ask(check, step(backward(wide, reached=((2, 2),)))) == []
    assert len(ask(check, step(backward(wide, reached=((1, 2), (2, 2)))))) == 1
    assert len(ask(check, step(backward(wide, reached=())))) == 1


def test_weights_of_all_samples_are_told_apart_from_targets() -> None:
    weighed = loss("bce-with-logits", "Addmm", weighed=((8, 1), (8,), (8, 8)))
    (evidence,) = ask(check, step(weighed))
    assert evidence.message.startswith("losses of shape (8, 1) and weights of shape (8) were expanded to (8, 8)")
