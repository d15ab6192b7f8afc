"""Images, figures, audio, texts and tables that a program gives to loggers, as those of `sf.log`."""

from __future__ import annotations

import wave
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from surefoot.runlog.media.audio import Audio
from surefoot.runlog.media.choose import MOST_AT_ONCE
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Table

if TYPE_CHECKING:
    from surefoot.runlog.media.choose import Given


def readable(make: Callable[..., Given], *args: Any) -> list[Given]:
    """Nothing, if the logger takes a form that we can't read: its numbers are still logged."""
    with suppress(TypeError, ValueError, LookupError, OSError, wave.Error):
        return [make(*args)]
    return []


def image_of(data: Any, layout: str, caption: str = "") -> Image:
    """A layout is one of TensorBoard's, such as CHW."""
    pixels = array_of(data)
    if len(layout) != pixels.ndim or not set(layout.upper()) <= set("HWC"):
        raise ValueError(f"a picture of {pixels.ndim} dimensions has no layout {layout!r}.")
    order = [layout.upper().index(axis) for axis in "HWC" if axis in layout.upper()]
    return Image(pixels.transpose(order), caption)


def images_of(data: Any, layout: str) -> list[Given]:
    """Of a batch, whose layout begins with N."""
    return [one for item in array_of(data)[:MOST_AT_ONCE] for one in readable(image_of, item, layout[1:])]


def array_of(data: Any) -> Any:
    import numpy as np

    return np.asarray(data.detach().cpu() if hasattr(data, "detach") else data)


def media_in(values: Any) -> dict[str, list[Given]]:
    """Media of wandb and of trackio, and figures, among the values of one call, also in lists."""
    items = values.items() if isinstance(values, Mapping) else ()
    found = {str(name): list(_media(value)) for name, value in items}
    return {name: media for name, media in found.items() if media}


def _media(value: Any) -> Iterator[Given]:
    for one in value[:MOST_AT_ONCE] if isinstance(value, list | tuple) else (value,):
        kind = type(one).__name__
        if hasattr(one, "savefig"):
            yield from readable(Image, one)
        elif type(one).__module__.partition(".")[0] in ("wandb", "trackio"):
            if kind in ("Image", "TrackioImage"):
                yield from readable(_image, one)
            elif kind in ("Audio", "TrackioAudio"):
                yield from readable(_audio, one)
            elif kind == "Table":
                yield from readable(_table, one)


def _image(one: Any) -> Image:
    picture = getattr(one, "image", None)  # of wandb
    picture = getattr(one, "_value", None) if picture is None else picture
    return Image(picture, getattr(one, "_caption", None) or getattr(one, "caption", None) or "")


def _audio(one: Any) -> Audio:
    """Of wandb, which has written a file."""
    import numpy as np

    with wave.open(str(one._path)) as file:
        if file.getsampwidth() != 2:
            raise ValueError("not of 16 bits")
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        return Audio(samples, file.getframerate(), getattr(one, "_caption", None) or "")


def _table(one: Any) -> Table:
    columns = getattr(one, "columns", None)
    if columns is not None:
        return Table(columns, one.data)
    names = list(dict.fromkeys(name for row in one.data for name in row))  # trackio's rows are dicts
    return Table(names, [[row.get(name) for name in names] for row in one.data])
