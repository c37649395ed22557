"""`python -m dpcore`: the command line."""

import os
import signal
import sys

if __name__ == "__main__":
    before = signal.getsignal(signal.SIGINT)
    # While the modules are being imported nothing is open yet, so Ctrl-C may end the process without a traceback.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from dpcore.errors import MissingLibraryError
    from dpcore.extras import told

    try:
        with told():
            from dpcore.interfaces.command import main
    except MissingLibraryError as error:
        sys.exit(f"dpcore: error: {error}")
    signal.signal(signal.SIGINT, before)
    sys.exit(main())
