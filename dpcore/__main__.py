"""`python -m dpcore`: the command line."""

import sys

from dpcore.interfaces.command import main

if __name__ == "__main__":
    sys.exit(main())
