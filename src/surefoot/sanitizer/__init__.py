"""The gradient sanitizer: records go to the run log and the judge, findings to whoever asked for them."""

from surefoot.sanitizer.inside import Watch, watch
from surefoot.sanitizer.log import LazyLog
from surefoot.sanitizer.sanitizer import FindingError, Sanitizer, unseen

__all__ = ["FindingError", "LazyLog", "Sanitizer", "Watch", "unseen", "watch"]
