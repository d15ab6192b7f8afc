"""Sound, as WAV files of 16 bits."""

from __future__ import annotations

import io
import wave
from typing import Any

from surefoot.runlog.media.image import MOST_CAPTION
from surefoot.runlog.media.kind import MOST_BYTES, Medium

MOST_CHANNELS = 8
HEADER = 100  # bytes, at most


class Audio:
    """Sound to log: samples, one after the other or by channel, from -1 to 1 or as whole numbers of 16 bits."""

    def __init__(self, samples: Any, rate: int, caption: str = "") -> None:
        import numpy as np

        if hasattr(samples, "detach"):
            samples = samples.detach().cpu()
            samples = (samples.float() if samples.is_floating_point() else samples).numpy()
        found = np.array(samples)
        if found.ndim == 1:
            found = found[:, None]
        elif found.ndim == 2 and found.shape[0] <= MOST_CHANNELS < found.shape[1]:
            found = found.T
        if found.ndim != 2 or not 1 <= found.shape[1] <= MOST_CHANNELS or found.dtype.kind not in "fiu":
            raise TypeError(f"audio is a row of samples, or some by channel, got {found.dtype} of shape {found.shape}.")
        if type(rate) is not int or not 1 <= rate <= 1_000_000:
            raise ValueError(f"rate must be the number of samples in a second, got {rate!r}.")
        self._samples, self.rate, self.caption = found, rate, str(caption)[:MOST_CAPTION]
        self.num_bytes = int(found.nbytes)

    def encode(self) -> Medium:
        """As it is stored; the end of a long one is left out."""
        import numpy as np

        channels = self._samples.shape[1]
        most = (MOST_BYTES - HEADER) // (2 * channels)
        samples = self._samples[:most]
        if samples.dtype.kind == "f":
            samples = np.clip(np.nan_to_num(samples.astype(np.float64)), -1, 1) * 32767
        content = io.BytesIO()
        with wave.open(content, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(self.rate)
            file.writeframes(np.clip(samples, -32768, 32767).astype("<i2").tobytes())
        about: dict[str, Any] = {"seconds": round(len(samples) / self.rate, 3), "rate": self.rate, "channels": channels}
        if len(samples) < len(self._samples):
            about["reduced"] = f"the first of {len(self._samples) / self.rate:,.1f} s"
        return Medium("audio", content.getvalue(), {**about, **({"caption": self.caption} if self.caption else {})})
