"""`SummaryWriter` of torch and of tensorboardX. Lightning, Accelerate and transformers write to it, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument, is_number, numbers
from surefoot.capture.media import image_of, images_of, readable
from surefoot.runlog.media.audio import Audio
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Text


def install(module: Any, listening: Listening) -> None:
    writer = module.SummaryWriter
    listening.listen(writer, "add_scalar", "tensorboard", _scalar)
    listening.listen(writer, "add_scalars", "tensorboard", _scalars)
    listening.listen(writer, "add_hparams", "tensorboard", _hparams)
    for name, read in _MEDIA.items():
        listening.listen(writer, name, "tensorboard", partial(_medium, read))


def _scalar(args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    value = argument(args, given, 2, "scalar_value")
    name = argument(args, given, 1, "tag")
    return Logged({str(name): value}, argument(args, given, 3, "global_step", 0) or 0) if is_number(value) else None


def _scalars(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    lead = argument(args, given, 1, "main_tag")
    values = numbers(argument(args, given, 2, "tag_scalar_dict"))
    step = argument(args, given, 3, "global_step", 0) or 0
    return Logged({f"{lead}/{name}": value for name, value in values.items()}, step)


def _hparams(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    metrics = numbers(argument(args, given, 2, "metric_dict"))
    step = argument(args, given, 5, "global_step", 0) or 0
    return Logged(metrics, step, dict(argument(args, given, 1, "hparam_dict") or {}))


def _medium(read: Callable[[tuple[Any, ...], dict[str, Any]], list[Any]], args: Any, given: dict[str, Any]) -> Logged:
    step = argument(args, given, 3, "global_step", 0) or 0
    return Logged(step=step, media={str(argument(args, given, 1, "tag")): read(args, given)})


def _image(args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    return readable(image_of, argument(args, given, 2, "img_tensor"), argument(args, given, 5, "dataformats", "CHW"))


def _images(args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    return images_of(argument(args, given, 2, "img_tensor"), argument(args, given, 5, "dataformats", "NCHW"))


def _figures(args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    """Drawn before the call, which closes them."""
    figures = argument(args, given, 2, "figure")
    return [one for each in (figures if isinstance(figures, list) else [figures]) for one in readable(Image, each)]


def _text(args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    return [Text(str(argument(args, given, 2, "text_string")))]


def _audio(args: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    return readable(Audio, argument(args, given, 2, "snd_tensor"), argument(args, given, 4, "sample_rate", 44100))


_MEDIA = {
    "add_image": _image, "add_images": _images, "add_figure": _figures, "add_text": _text, "add_audio": _audio,
}  # fmt: skip
