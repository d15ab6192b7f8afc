"""The sanitizer in test suites: `pytest --surefoot`, the fixture `surefoot_watch` and `assert_trains`.

pytest imports this package in every session of an environment that has surefoot, so it must stay cheap: torch and the
rest of surefoot are imported when something is watched.
"""

from surefoot.testing.assert_trains import assert_trains

__all__ = ["assert_trains"]
