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
MOST_IN_KEY = 7  # two numbers for each frame: with three callers two uses of one helper are told apart


class Sites:
    """Finds and caches call sites. `user_code` are folders that count as user code wherever they lie."""

    def __init__(self, user_code: tuple[str, ...] = ()) -> None:
        self._is_user = Files(user_code)
        self._known: dict[tuple[int, ...], Site] = {}
        self._near: dict[tuple[int, ...], Site] = {}  # likewise, by the frames next to a call
        self._kept: list[CodeType] = []  # keeps code objects alive, because the cache knows them by id
        self._stand_ins: dict[tuple[str, int], CodeType] = {}  # by the line that starts a loop of a library
        self._former: list[Site] = []  # kept alive, because windows know sites by id

    def stand_in(self, function: CodeType | None, frame: FrameType | None) -> None:
        """What a library does for the user's line that led to this frame is said to happen in that function."""
        while frame is not None and not self._is_user[frame.f_code.co_filename]:
            frame = frame.f_back
        place = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        if self._stand_ins.get(place) is function:
            return
        if function is None:
            del self._stand_ins[place]
        else:
            self._stand_ins[place] = function
        for known in (self._known, self._near):
            found = {key: site for key, site in known.items() if place in (site.place, *site.callers)}
            self._former += found.values()
            for key in found:
                del known[key]

    def is_user(self, file: str) -> bool:
        return self._is_user[file]

    def files(self) -> list[str]:
        """The files of user code seen so far."""
        return [file for file, is_user in self._is_user.items() if is_user]

    def here(self, depth: int = 1) -> Site | None:
        """The nearest user frame at or above `depth` frames from here, and some that called it."""
        first = frame = sys._getframe(depth)
        is_user = self._is_user
        key: tuple[int, ...] = ()
        while frame is not None:
            code = frame.f_code
            if is_user[code.co_filename]:
                key += (id(code), frame.f_lasti)
                if code.co_name == "<module>" or len(key) > MOST_IN_KEY:  # what runs the program tells nothing
                    break
            frame = frame.f_back  # type: ignore[assignment]
        return self._known.get(key) or self._remember(key, first)

    def near(self, depth: int) -> Site | None:
        """As `here`, where the user frame is at that depth or one more, as a rule; three frames tell the line."""
        frame = sys._getframe(depth)
        back = frame.f_back or frame
        last = back.f_back or back
        key = (id(frame.f_code), frame.f_lasti, id(back.f_code), back.f_lasti, id(last.f_code), last.f_lasti)
        site = self._near.get(key)
        if site is None:
            site = self.here(depth + 1)
            lines = [(each.f_code.co_filename, each.f_lineno) for each in (frame, back)]
            if site is not None and site.place in lines:  # else the three do not tell which line it is
                self._near[key] = site
                self._kept += [frame.f_code, back.f_code, last.f_code]
        return site

    def _remember(self, key: tuple[int, ...], first: FrameType) -> Site | None:
        frames: list[FrameType] = []
        frame: FrameType | None = first
        while frame is not None and 2 * len(frames) < len(key):
            if self._is_user[frame.f_code.co_filename]:
                frames.append(frame)
            frame = frame.f_back
        if not frames:
            return None
        self._kept += [frame.f_code for frame in frames]
        callers = tuple((f.f_code.co_filename, f.f_lineno) for f in frames[1:])
        inner = frames[0]
        place = (inner.f_code.co_filename, inner.f_lineno)
        code, line = self._stand_ins.get(place) or inner.f_code, inner.f_lineno
        if code is not inner.f_code:
            callers, line = (place, *callers), code.co_firstlineno
        site = Site(code.co_filename, line, code.co_qualname, callers)
        self._known[key] = site
        return site


class Files(dict[str, bool]):
    """By name, whether a file is the user's."""

    def __init__(self, user_code: tuple[str, ...]) -> None:
        self._user_code = user_code

    def __missing__(self, file: str) -> bool:
        self[file] = known = self._judge(file)
        return known

    def _judge(self, file: str) -> bool:
        if file.startswith("<"):  # generated code; notebooks name their cells
            return file.startswith("<ipython-input")
        if file.startswith(self._user_code):
            return True
        return not file.startswith((_OWN, *_LIBRARIES)) and "site-packages" not in file
