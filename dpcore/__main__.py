"""`python -m dpcore`: the command line."""

import os
import signal
import sys

if __name__ == "__main__":
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # while nothing is open yet, Ctrl-C needs no traceback through imports
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from dpcore.interfaces.command import main

    signal.signal(signal.SIGINT, before)
    sys.exit(main())
