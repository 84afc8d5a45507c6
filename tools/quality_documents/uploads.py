"""Send files to the archive in pieces."""

MAX_PIECE_BYTES = 8 * 1024 * 1024
"""Largest piece that the archive takes."""


class UploadError(Exception):
    """The archive refused a piece."""


def upload(path, client, retries=3):
    """Send the file at *path*; returns the id that the archive gives it.

    Each piece is sent again up to *retries* times when the connection breaks. A piece that the
    archive refuses raises UploadError at once.
    """
    ...


def resume(upload_id, path, client):
    """Go on with an upload that was cut off, at the first piece that is missing."""
    ...
