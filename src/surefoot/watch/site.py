"""Find the line of user code on whose behalf torch is running."""

import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType

from surefoot.facts import Site

_OWN = str(Path(__file__).resolve().parent.parent)
_LIBRARIES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(p).resolve()) for p in sys.path if Path(p).name in ("site-packages", "dist-packages")}
)
NUM_CALLERS = 3  # enough to tell two uses of one helper apart


class Sites:
    """Finds and caches call sites. `user_code` are folders that count as user code wherever they lie."""

    def __init__(self, user_code: tuple[str, ...] = ()) -> None:
        self._user_code = user_code
        self._is_user: dict[str, bool] = {}
        self._known: dict[tuple[int, ...], Site] = {}
        self._kept: list[CodeType] = []  # keeps code objects alive, because the cache knows them by id

    def is_user(self, file: str) -> bool:
        known = self._is_user.get(file)
        if known is None:
            known = self._is_user[file] = self._judge(file)
        return known

    def _judge(self, file: str) -> bool:
        if file.startswith("<"):  # generated code; notebooks name their cells
            return file.startswith("<ipython-input")
        if file.startswith(self._user_code):
            return True
        return not file.startswith((_OWN, *_LIBRARIES)) and "site-packages" not in file

    def files(self) -> list[str]:
        """The files of user code seen so far."""
        return [file for file, is_user in self._is_user.items() if is_user]

    def here(self, depth: int = 1) -> Site | None:
        """The nearest user frame at or above `depth` frames from here, and some that called it."""
        frame: FrameType | None = sys._getframe(depth)
        is_user = self._is_user
        key: list[int] = []
        frames: list[FrameType] = []
        while frame is not None and len(frames) <= NUM_CALLERS:
            code = frame.f_code
            file = code.co_filename
            if is_user[file] if file in is_user else self.is_user(file):
                frames.append(frame)
                key += (id(code), frame.f_lasti)
                if code.co_name == "<module>":  # what runs the program tells nothing
                    break
            frame = frame.f_back
        if not frames:
            return None
        return self._known.get(tuple(key)) or self._remember(tuple(key), frames)

    def _remember(self, key: tuple[int, ...], frames: list[FrameType]) -> Site:
        self._kept += [frame.f_code for frame in frames]
        callers = tuple((f.f_code.co_filename, f.f_lineno) for f in frames[1:])
        inner = frames[0]
        site = Site(inner.f_code.co_filename, inner.f_lineno, inner.f_code.co_qualname, callers)
        self._known[key] = site
        return site
