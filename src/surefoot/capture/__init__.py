"""What a program tells loggers and argument parsers also goes into its run, under the same names."""

from surefoot.capture.capture import Capture

__all__ = ["Capture"]
