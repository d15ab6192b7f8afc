"""Functions that `torch.compile` compiles again and again, read off torch's own account when the run ends."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from surefoot.facts import RecompileFacts, Site
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
# "0/3: self.n == 4   # the line of code", "0/3: tensor 'x' size mismatch at index 0. expected 3, actual 4"
REASON = re.compile(r"^\d+/\d+: (?P<what>.+?)(?: == | is not | is | expected |\s{2,}|$)")


class RecompileProbe(Probe):
    name = "recompile"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._since = time.time()

    def end_facts(self) -> dict[str, Any]:
        utils, config = sys.modules.get("torch._dynamo.utils"), sys.modules.get("torch._dynamo.config")
        if utils is None or config is None or not hasattr(utils, "get_compilation_metrics"):
            return {}
        compiles = [one for one in utils.get_compilation_metrics() if (one.start_time or 0.0) >= self._since]
        return {"recompiles": tuple(self._repeated(compiles, int(config.recompile_limit)))}

    def _repeated(self, compiles: Iterable[Any], most: int) -> Iterator[RecompileFacts]:
        """Functions that reached torch's limit, nearly always for the same reason."""
        by_function: dict[tuple[str, int, str], list[Any]] = {}
        for one in compiles:
            if one.co_filename and one.fail_type is None:
                by_function.setdefault((one.co_filename, one.co_firstlineno or 0, one.co_name or ""), []).append(one)
        for (file, line, function), same in by_function.items():
            reasons = [one.recompile_reason for one in same if one.recompile_reason]
            found = Counter(match["what"].rstrip(".") for r in reasons if (match := REASON.match(r)) is not None)
            (what, number), *_ = found.most_common(1) or [("", 0)]
            if len(same) >= most and number >= len(same) - 2:  # the first has no reason; one may be a last batch
                seconds = sum(one.entire_frame_compile_time_s or 0.0 for one in same)
                site = self._site(reasons[-1], Site(file, line, function))
                yield RecompileFacts(function, len(same), what, seconds, site)

    def _site(self, reason: str, defined: Site) -> Site | None:
        """The last line of the program on the way to what was not the same."""
        is_user = self._recorder.sites.is_user
        for match in reversed(list(LINE.finditer(reason))):
            if is_user(match["file"]):
                return Site(match["file"], int(match["line"]), defined.function)
        return defined if is_user(defined.file) else None
