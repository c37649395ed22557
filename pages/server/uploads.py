"""Uploaded files: their bytes leave the server's store once they are read, and all of them when data are forgotten."""

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from pages.server import sessions


def is_upload(value: object) -> bool:
    """Whether this is an uploaded file or a list of some, as their widget returns it."""
    files = value if isinstance(value, list) else [value]
    return bool(files) and all(isinstance(one, UploadedFile) for one in files)


def drop_bytes(*files: UploadedFile) -> None:
    """Empty uploaded files that have been read: here and in the server's store; their widget goes on showing their names."""
    for upload in files:
        upload.seek(0)
        upload.truncate()
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
        for upload in files:
            emptied = UploadedFileRec(upload.file_id, upload.name, upload.type, b"")
            context.uploaded_file_mgr.add_file(context.session_id, emptied)


def drop_files() -> None:
    """Remove every uploaded file of this session from the server's store."""
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    drop_widgets()


def drop_widgets() -> None:
    """Forget what Streamlit knows of the widgets and fragments of earlier runs, and free what nothing refers to any more.

    Options, functions and their arguments hold data, and would be kept as long as the session lives, or until a run is not cut
    short. Called from a callback, so that this run makes all of its own known.
    """
    context = get_script_run_ctx()
    if context is not None:
        context.session_state._state._new_widget_state.widget_metadata.clear()
        context.fragment_storage.clear()
    sessions.sweep_soon()
