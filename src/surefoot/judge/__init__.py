"""Rules applied to records: selection, suppression, one finding per rule and line."""

from surefoot.judge.coverage import unwatched
from surefoot.judge.finding import Finding
from surefoot.judge.judge import Judge
from surefoot.judge.selection import UnknownRuleError, nearest, select
from surefoot.judge.settings import RuleSettings, SettingsError, read_settings

__all__ = [
    "Finding",
    "Judge",
    "RuleSettings",
    "SettingsError",
    "UnknownRuleError",
    "nearest",
    "read_settings",
    "select",
    "unwatched",
]
