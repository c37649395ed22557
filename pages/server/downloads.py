"""Keep a file made for a click until the browser has fetched it, even on a busy server, and delete it soon after."""

import time

from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage

KEPT = 20.0  # most seconds for which a file waits for the browser that asked for it


class Downloads:
    """A change of how the server's store of files handles downloads; other files are not affected.

    The store forgets a download when two runs of any session have ended since it was made. On a busy server this may be
    before the browser fetches it, and then the browser saves nothing.
    """

    def __init__(self, store: MemoryMediaFileStorage) -> None:
        self._asked: dict[str, float] = {}  # file that nobody has fetched yet → when it was offered
        self._late: dict[str, None] = {}  # files the store wanted to delete before they were fetched
        self._url, self._get, self._delete = store.get_url, store.get_file, store.delete_file
        store.get_url, store.get_file, store.delete_file = self.offer, self.fetch, self.delete  # type: ignore[method-assign]

    def offer(self, file_id: str) -> str:
        """The address of a file."""
        address = self._url(file_id)
        if self._get(file_id).kind == MediaFileKind.DOWNLOADABLE:
            self._asked[file_id] = time.monotonic()
        return address

    def fetch(self, filename: str) -> MemoryFile:
        """The file at an address; after this it may be deleted."""
        self._asked.pop(filename.partition(".")[0], None)
        return self._get(filename)

    def delete(self, file_id: str) -> None:
        """Delete a file, or note that it must be deleted after it has been fetched."""
        if file_id in self._asked:
            self._late[file_id] = None
        else:
            self._delete(file_id)

    def sweep(self) -> None:
        """Delete noted files that have been fetched, or have not been fetched in time."""
        for file_id, asked in list(self._asked.items()):
            if time.monotonic() - asked > KEPT:
                self._asked.pop(file_id, None)
        for file_id in list(self._late):
            if file_id not in self._asked:
                del self._late[file_id]
                self._delete(file_id)

    def forget(self) -> None:
        """Wait for no browser any more, since the data behind a file were forgotten."""
        self._asked.clear()
