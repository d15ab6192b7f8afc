"""What reading a damaged log may raise, or one that somebody has made to look like a log."""

import sqlite3
import struct

from surefoot.runlog.read.error import RunLogError

DAMAGE = (RunLogError, OSError, ValueError, TypeError, LookupError, sqlite3.Error, struct.error)
