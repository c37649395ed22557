"""Uploaded files: the server's store drops their bytes after they are read, and the files when data are forgotten."""

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from pages.server import sessions


def is_upload(value: object) -> bool:
    """Whether this is an uploaded file or a list of uploaded files, as the uploader returns it."""
    files = value if isinstance(value, list) else [value]
    return bool(files) and all(isinstance(one, UploadedFile) for one in files)


def drop_bytes(*files: UploadedFile) -> None:
    """Empty uploaded files that have been read, here and in the server's store; the uploader keeps their names."""
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
    """Forget what Streamlit knows about widgets and fragments of earlier runs, and free what nothing refers to.

    Options, functions and their arguments hold data, and would be kept until the session ends or until a run is
    completed. This is called from a callback, so that the run after it registers all its widgets again.
    """
    context = get_script_run_ctx()
    if context is not None:
        context.session_state._state._new_widget_state.widget_metadata.clear()
        context.fragment_storage.clear()
    sessions.sweep_soon()
