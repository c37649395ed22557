"""ProgressLine of the command line on stderr."""

from __future__ import annotations

from typing import TextIO


class ProgressLine:
    """ProgressLine of each pass: on a terminal one line that is rewritten, elsewhere a new line for every tenth."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._last = ("", -1)
        self._open = False

    def __call__(self, stage: str, share: float) -> None:
        if self._stream is None:
            return
        step = int(share * (100 if self._stream.isatty() else 10) + 1e-9)
        if (stage, step) == self._last:
            return
        if self._stream.isatty():
            if stage != self._last[0]:
                self.close()
            self._stream.write(f"\r{stage} {share:4.0%}")
            self._open = True
        else:
            self._stream.write(f"{stage} {share:.0%}\n")
        self._stream.flush()
        self._last = (stage, step)

    def close(self) -> None:
        """End the line."""
        if self._open and self._stream is not None:
            self._stream.write("\n")
            self._open = False
