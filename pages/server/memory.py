"""Free memory contains no data: allocators overwrite memory when they free it, and return it to the system."""

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

# Python's objects come from the C library, which overwrites memory when it is freed (GNU: except in the caches of
# threads, which are therefore switched off; macOS: MallocScribble). Arrow keeps no memory of its own. With two arenas
# free memory is used again. With eight per core, the default of GNU, each thread leaves half-used pages in another
# arena: 60 MB after ten files.
_ALLOCATORS = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_PERTURB_": "165",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=2",
    "MallocScribble": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

# Memory is returned so many seconds after data were forgotten, several times, since runs under way may have held it.
_AFTER = (1.0, 4.0, 9.0, 16.0, 30.0, 60.0)
_due: list[float] = []
# Threads of runs that were under way when data were forgotten. They hold the data until they end.
_late: list[threading.Thread] = []


def overwrite_what_is_freed() -> None:
    """Restart this server once with the allocators above, since they can be chosen only before Python starts."""
    if os.name == "posix" and not _ALLOCATORS.keys() <= os.environ.keys():
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # closes the port that the server listens on
        said = {"STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE": "true"}  # the address has been printed already
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], said | _ALLOCATORS | os.environ)


def freeze_imports() -> None:
    """Import what every page needs, then exclude it from garbage collection, so that no run of a page scans it again.

    This must come before the first session, since objects of a session would never be collected afterwards.
    """
    for name in dpcore.__all__:
        getattr(dpcore, name)
    for name in ("understand.privacy_curves.views", "your_data.per_instance.views", "components.data_input"):
        import_module(f"pages.{name}")
    gc.collect()
    gc.freeze()


def give_back_soon() -> None:
    """Plan to return memory a few times in the next minute, and whenever a run that is under way has ended."""
    _due[:] = [time.monotonic() + after for after in _AFTER]
    _late[:] = [thread for thread in threading.enumerate() if thread.name == "ScriptRunner.scriptThread"]


async def give_back_when_due() -> None:
    """Return memory if this is due, on another thread."""
    under_way = [run for run in _late if run.is_alive()]
    if len(under_way) < len(_late):
        _late[:] = under_way
        await asyncio.to_thread(give_back)
    elif _due and _due[0] <= time.monotonic():
        _due.pop(0)
        await asyncio.to_thread(give_back)


def give_back() -> None:
    """Collect objects that nothing refers to, then return free memory to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)
