"""Find a Chromium for the browser tests, or have Playwright fetch its own: `python -m tests.browser.setup`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def chromium() -> str | None:
    """Path of a browser on this machine; None means Playwright's own."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    return found or (str(_MAC) if _MAC.exists() else None)


if __name__ == "__main__":
    if chromium() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"], check=True)
    print(f"browser: {chromium() or 'the one Playwright installed'}")
