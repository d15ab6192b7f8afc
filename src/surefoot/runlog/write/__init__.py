"""Write a run log: training hands over numbers and goes on; one thread packs, commits and seals."""

from surefoot.runlog.write.log import RunLog
from surefoot.runlog.write.run import Run

__all__ = ["Run", "RunLog"]
