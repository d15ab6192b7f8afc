"""The rule catalogue: one module a rule, one folder a family."""

from surefoot.rules.history import History
from surefoot.rules.rule import LEVELS, Evidence, Level, Rule, rule

__all__ = ["LEVELS", "Evidence", "History", "Level", "Rule", "rule"]
