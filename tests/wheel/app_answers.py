"""Run by `.ci/wheel` where the wheel is installed with the app: `python -m dpcore app` serves it from another folder."""

import os
import subprocess
import sys
import time
import urllib.request

PORT, SECONDS = 8599, 60
server = subprocess.Popen(
    [sys.executable, "-m", "dpcore", "app", "--port", str(PORT)], env=os.environ | {"STREAMLIT_SERVER_HEADLESS": "true"}
)
try:
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/composition") as answer:
                assert b"Streamlit" in answer.read()
            break
        except OSError:
            assert server.poll() is None, "the app has ended"
            assert time.monotonic() < end, "the app does not answer"
            time.sleep(0.5)
finally:
    server.terminate()
    server.wait(20)
