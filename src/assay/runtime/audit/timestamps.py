"""Time-stamps of an outside authority on checkpoints.

In      the bytes of a note; a way to send a request; certificates that are trusted
Out     the authority's response; whether a response vouches for a note, and from when
Effects those of the sender that is handed in
Spec    RFC 3161; docs/explanation/record.md, "Checkpoints"

The library `rfc3161-client` is an extra. It does the cryptography; what is asked for here is
that the response is granted, over this note, for this request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

from cryptography.x509 import Certificate, load_pem_x509_certificates

from assay.errors import ExecutionError, InputError, IntegrityError, UsageError

Send = Callable[[bytes], Awaitable[bytes]]
"""Takes a DER request to the authority and brings its DER response."""

_SHA256 = "2.16.840.1.101.3.4.2.1"


async def stamp(note: bytes, send: Send) -> bytes:
    """A response of the authority that vouches for *note*.

    Raises:
        ExecutionError: the authority refused, or answered something else.
        UsageError: the library is not installed.
    """
    client = _client()
    algorithm = client.HashAlgorithm.SHA256
    request = client.TimestampRequestBuilder().data(note).hash_algorithm(algorithm).build()
    answer = await send(request.as_bytes())
    try:
        response = client.decode_timestamp_response(answer)
        info = response.tst_info
        fits = info.nonce == request.nonce and _is_over(info, note)
    except ValueError as error:
        raise ExecutionError("the time-stamping authority gave no time-stamp") from error
    if not fits:
        raise ExecutionError("the time-stamping authority answered another request")
    return answer


def check_stamp(note: bytes, token: bytes, roots: bytes) -> datetime:
    """When the authority saw *note*.

    Args:
        note: What was stamped.
        token: The response that was kept.
        roots: Trusted certificates in PEM: the authority's roots, and intermediates.

    Raises:
        IntegrityError: the response does not vouch for the note.
        InputError: *roots* holds no certificate.
        UsageError: the library is not installed.
    """
    client = _client()
    builder = client.VerifierBuilder()
    for certificate in _certificates(roots):
        own = certificate.issuer == certificate.subject
        add = builder.add_root_certificate if own else builder.add_intermediate_certificate
        builder = add(certificate)
    try:
        response = client.decode_timestamp_response(token)
        builder.build().verify(response, sha256(note).digest())
        made: datetime = response.tst_info.gen_time
    except (ValueError, client.VerificationError) as error:
        raise IntegrityError("the time-stamp does not hold") from error
    return made


def _is_over(info: Any, note: bytes) -> bool:
    imprint = info.message_imprint
    named = imprint.hash_algorithm.dotted_string
    return bool(named == _SHA256 and imprint.message == sha256(note).digest())


def _certificates(roots: bytes) -> list[Certificate]:
    try:
        found = load_pem_x509_certificates(roots)
    except ValueError as error:
        raise InputError("the file holds no certificate in PEM") from error
    if not any(each.issuer == each.subject for each in found):
        raise InputError("none of the certificates is a root")
    return found


def _client() -> Any:
    try:
        import rfc3161_client
    except ImportError as error:
        raise UsageError(
            "time-stamps need a library", hint="pip install 'assay[timestamps]'"
        ) from error
    return rfc3161_client
