"""Memory that is free holds nothing: allocators overwrite what they free, and give it back."""

import asyncio
import ctypes
import gc
import os
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module

import pyarrow as pa

import dpcore

# Objects of Python come from the C library, which overwrites what is freed (GNU: except in the caches of threads, so without
# them; macOS: MallocScribble); Arrow keeps no memory of its own. With two arenas free memory is found again: with eight a core
# (GNU), each thread leaves pages that are half in use in another one: 60 MB after ten files.
_ALLOCATORS = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_PERTURB_": "165",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=2",
    "MallocScribble": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
_AFTER = (1.0, 4.0, 9.0, 16.0, 30.0, 60.0)  # seconds after something was forgotten, which what still ran may have held
_due: list[float] = []
# Runs under way when something was forgotten: they hold it until they end, however late.
_late: list[threading.Thread] = []


def overwrite_what_is_freed() -> None:
    """Start this server anew, once, with the allocators above: they can only be chosen before Python starts."""
    if os.name == "posix" and not _ALLOCATORS.keys() <= os.environ.keys():
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the port it listens on
        said = {"STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE": "true"}  # its address is on screen already
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], said | _ALLOCATORS | os.environ)


def freeze_imports() -> None:
    """Import what every page needs, then take it out of garbage collection, so that no rerun scans it again.

    Before the first session: what a session holds at that moment could never be collected.
    """
    for name in dpcore.__all__:
        getattr(dpcore, name)
    for name in ("understand.privacy_curves.views", "your_data.per_instance.views", "components.data_input"):
        import_module(f"pages.{name}")
    gc.collect()
    gc.freeze()


def give_back_soon() -> None:
    """Have memory given back a few times in the next seconds, and whenever a run that is under way has ended."""
    _due[:] = [time.monotonic() + after for after in _AFTER]
    _late[:] = [thread for thread in threading.enumerate() if thread.name == "ScriptRunner.scriptThread"]


async def give_back_when_due() -> None:
    """Give memory back if its time has come, on another thread."""
    under_way = [run for run in _late if run.is_alive()]
    if len(under_way) < len(_late):
        _late[:] = under_way
        await asyncio.to_thread(give_back)
    elif _due and _due[0] <= time.monotonic():
        _due.pop(0)
        await asyncio.to_thread(give_back)


def give_back() -> None:
    """Collect what nothing refers to, then return free memory to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)
