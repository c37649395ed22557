"""A download waits for the browser that asked for it, and no longer than its data."""

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.server import downloads


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(downloads.time, "monotonic", lambda: now[0])
    return now


class Server:
    """A store of files as the server has it, with one download offered whose session has moved on."""

    def __init__(self) -> None:
        self.store = MemoryMediaFileStorage("/media")
        self.downloads = downloads.Downloads(self.store)
        self.manager = MediaFileManager(self.store)
        self.file = self.manager.add(b"secret", "text/csv", "there", is_for_static_download=True).rpartition("/")[2]
        self.manager.clear_session_refs()

    def runs_end(self) -> None:
        for _ in range(3):
            self.manager.remove_orphaned_files()
        self.downloads.sweep()

    def has_it(self) -> bool:
        return self.file.partition(".")[0] in self.store._files_by_id


def test_a_download_waits_until_it_is_fetched_however_many_runs_end(clock):
    server = Server()
    server.runs_end()
    clock[0] += downloads.KEPT - 1
    server.runs_end()
    assert server.store.get_file(server.file).content == b"secret"
    server.runs_end()
    assert not server.has_it()
    with pytest.raises(MediaFileStorageError):
        server.store.get_file(server.file)


def test_a_download_that_nobody_fetches_goes_after_its_time_or_when_its_data_are_forgotten(clock):
    for forgotten in (True, False):
        server = Server()
        server.runs_end()
        assert server.has_it()
        if forgotten:
            server.downloads.forget()
        else:
            clock[0] += downloads.KEPT + 1
        server.runs_end()
        assert not server.has_it()
