from surefoot.facts import SetupFacts, Site, UnrestoredPartFacts
from surefoot.rules import History
from surefoot.rules.ckpt.checkpoint_part_not_restored import check


def test_names_the_part_and_where_the_optimizer_was_loaded() -> None:
    found = UnrestoredPartFacts("last.pt", "ema", "UNet", 12, Site("train.py", 7))
    (evidence,) = check.check(SetupFacts(at=1, unrestored_parts=(found,)), History())
    assert evidence.site == Site("train.py", 7) and "checkpoint['ema']" in evidence.fix
    assert evidence.message.startswith("last.pt also holds 'ema', the state of a UNet, and it was not restored")
    assert list(check.check(SetupFacts(at=1), History())) == []
