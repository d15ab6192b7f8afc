"""`# surefoot: ignore[rule]` on the line of a finding."""

import linecache
import re

_COMMENT = re.compile(r"#\s*surefoot:\s*ignore(?:\[(?P<rules>[^\]]*)\])?", re.IGNORECASE)


def is_suppressed(rule: str, file: str | None, line: int | None) -> bool:
    """Whether the line says that this rule, or every rule, is to be ignored there."""
    if file is None or line is None:
        return False
    comment = _COMMENT.search(linecache.getline(file, line))
    if comment is None:
        return False
    named = comment["rules"]
    return named is None or rule in {name.strip() for name in named.split(",")}
