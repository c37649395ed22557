"""Whether bytes that were planted are anywhere in the memory of a process (Linux)."""

from pathlib import Path

_CHUNK = 1 << 24
_OVERLAP = 256


def occurrences(pid: int, needle: bytes) -> int:
    """How often the needle occurs in the memory of the process that can be read."""
    found = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, stop = (int(end, 16) for end in line.split()[0].split("-"))
            if line.split()[1][0] == "r" and "[v" not in line:
                for at in range(start, stop, _CHUNK):
                    found += _read(memory, at, min(_CHUNK + _OVERLAP, stop - at)).count(needle)
    return found


def _read(memory, start: int, size: int) -> bytes:
    try:
        memory.seek(start)
        return memory.read(size)
    except OSError:  # a page that is gone by now
        return b""
