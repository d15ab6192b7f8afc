"""`python -m surefoot`."""

import sys

from surefoot.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
