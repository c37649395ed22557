"""What a process holds: its size, and whether bytes that were planted are anywhere in its memory (Linux)."""

import re
from pathlib import Path

_CHUNK = 1 << 24
_OVERLAP = 256


def resident(pid: int) -> float:
    """Resident memory in MB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def occurrences(pid: int, *needles: bytes) -> list[int]:
    """How often each of the needles occurs in the memory of the process that can be read, which is read once."""
    found = [0] * len(needles)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, stop = (int(end, 16) for end in line.split()[0].split("-"))
            if line.split()[1][0] == "r" and "[v" not in line:
                for at in range(start, stop, _CHUNK):
                    piece = _read(memory, at, min(_CHUNK + _OVERLAP, stop - at))
                    found = [count + piece.count(needle) for count, needle in zip(found, needles, strict=True)]
    return found


def _read(memory, start: int, size: int) -> bytes:
    try:
        memory.seek(start)
        return memory.read(size)
    except OSError:  # a page that is gone by now
        return b""
