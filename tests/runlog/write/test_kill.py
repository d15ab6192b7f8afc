"""A few of the kills of `make prove-log`."""

import signal

import pytest
from benchmarks.log.kills import kill_writers

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")


@pytest.mark.parametrize(("num_writers", "seed"), [(1, 3), (4, 2)])
def test_what_was_committed_is_there_once(num_writers: int, seed: int) -> None:
    kills = kill_writers(num_writers, seed, once_sealed=True)
    assert [kill.wrong for kill in kills] == [""] * num_writers
    assert sum(kill.num_segments for kill in kills) > 0, "nothing was sealed before the kill"
    assert all(kill.num_lost < kill.num_steps for kill in kills)
