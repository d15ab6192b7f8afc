"""Images: arrays, tensors, pictures of PIL and figures of matplotlib, as PNG."""

from __future__ import annotations

import io
from typing import Any

from surefoot.runlog.media.kind import MOST_BYTES, Medium
from surefoot.runlog.media.png import COLOURS, encode_png, png_size

MOST_PIXELS = 4_000_000  # larger ones are stored smaller
MOST_CAPTION = 1000
FIGURE_SIDE = 3000  # pixels


class Image:
    """A picture to log: an array or tensor of height × width, with 1, 3 or 4 channels first or last, or a PIL image.

    Floats from 0 to 1 are taken as such, whole numbers from 0 to 255; what is beyond is scaled from its lowest to its
    highest value.
    """

    def __init__(self, data: Any, caption: str = "") -> None:
        self.caption = str(caption)[:MOST_CAPTION]
        if hasattr(data, "savefig"):
            self._figure: bytes | None = _figure(data)
            self.num_bytes = len(self._figure)
            return
        self._figure = None
        self._pixels = _array(data)  # a copy: the program goes on with its own
        self.num_bytes = int(self._pixels.nbytes)

    def encode(self) -> Medium:
        """As it is stored."""
        if self._figure is not None:
            width, height = png_size(self._figure)
            return Medium("image", self._figure, self._about(width, height))
        pixels, scaled = _as_bytes(self._pixels)
        height, width, _ = pixels.shape
        step = 1
        while -(-height // step) * -(-width // step) > MOST_PIXELS:
            step += 1
        content = encode_png(pixels[::step, ::step])
        while len(content) > MOST_BYTES:
            step += 1
            content = encode_png(pixels[::step, ::step])
        more: dict[str, Any] = {"values": scaled} if scaled else {}
        if step > 1:
            more["reduced"] = f"every {step}th pixel of {width} by {height}"
        return Medium("image", content, self._about(*png_size(content), **more))

    def _about(self, width: int, height: int, **more: Any) -> dict[str, Any]:
        return {"width": width, "height": height, **({"caption": self.caption} if self.caption else {}), **more}


def _figure(figure: Any) -> bytes:
    """Drawn now: most programs close it next."""
    inches = figure.get_size_inches()
    dpi = min(float(figure.dpi), FIGURE_SIDE / max(*inches, 0.1))
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=dpi)
    content = written.getvalue()
    if len(content) > MOST_BYTES:
        raise ValueError(f"a figure of {len(content):,} bytes is too large. Log a smaller one.")
    return content


def _array(data: Any) -> Any:
    import numpy as np

    is_tensor = hasattr(data, "detach")
    if is_tensor:
        data = data.detach().cpu()
        data = (data.float() if data.is_floating_point() else data).numpy()  # which has no bfloat16
    elif hasattr(data, "getbands"):
        data = data.convert("RGBA" if "A" in data.getbands() else "L" if data.mode in ("1", "L") else "RGB")
    pixels = np.array(data)
    if pixels.dtype.kind not in "fiub" or pixels.ndim not in (2, 3) or not pixels.size:
        raise TypeError(f"an image is an array of numbers, height by width, or with channels, got {_told(pixels)}.")
    if pixels.ndim == 2:
        return pixels[:, :, None]
    is_first, is_last = pixels.shape[0] in COLOURS, pixels.shape[2] in COLOURS
    if not is_first and not is_last:
        raise TypeError(f"an image has 1, 3 or 4 channels, first or last, got {_told(pixels)}.")
    if is_first and (is_tensor or not is_last):  # torch has channels first, all others last
        return np.ascontiguousarray(pixels.transpose(1, 2, 0))
    return pixels


def _as_bytes(pixels: Any) -> tuple[Any, str]:
    """And what its values ranged over, if they had to be scaled."""
    import numpy as np

    if pixels.dtype == np.uint8:
        return pixels, ""
    if pixels.dtype == np.bool_:
        return pixels.astype(np.uint8) * np.uint8(255), ""
    values = pixels.astype(np.float64)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    most = 1.0 if pixels.dtype.kind == "f" else 255.0
    scaled = ""
    if low < 0 or high > most:
        scaled = f"{low:.6g} to {high:.6g}"
        values = (values - low) / ((high - low) or 1.0)
    else:
        values = values / most
    return (np.nan_to_num(values, nan=0.0, posinf=1.0, neginf=0.0) * 255 + 0.5).astype(np.uint8), scaled


def _told(array: Any) -> str:
    return f"{array.dtype} of shape {tuple(array.shape)}"
