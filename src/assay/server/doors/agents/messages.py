"""One message of JSON-RPC: whether it is one, and errors that repeat nothing of it.

In      the body of a request; what the protocol's own server is about to send
Out     the error of a message that is none; the same bytes without values of the request
Pure    yes
Spec    009-M2
"""

from __future__ import annotations

import json
from typing import Any, Final

from assay.server.said import leave_out_values

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602


def find_fault(body: bytes) -> dict[str, Any] | None:
    """The error of JSON-RPC for what is no message; None for one.

    Example:
        >>> find_fault(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"}')["error"]
        {'code': -32602, 'message': 'params is no object'}
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return _tell(None, PARSE_ERROR, "the message is no JSON")
    if not isinstance(message, dict):
        return _tell(None, INVALID_REQUEST, "the message is no object")
    given = message.get("id")
    known = given if _is_id(given) else None
    if message.get("jsonrpc") != "2.0":
        return _tell(known, INVALID_REQUEST, "jsonrpc is not 2.0")
    if "id" in message and known is None:
        return _tell(None, INVALID_REQUEST, "id is neither a text nor a whole number")
    if "method" in message:
        if not isinstance(message["method"], str):
            return _tell(known, INVALID_REQUEST, "method is no text")
        if not isinstance(message.get("params", {}), dict):
            return _tell(known, INVALID_PARAMS, "params is no object")
        return None
    if not isinstance(message.get("result"), dict) and not _is_error(message.get("error")):
        return _tell(known, INVALID_REQUEST, "the message has neither a method nor a result")
    return None


def _is_id(given: Any) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool)


def _is_error(said: Any) -> bool:
    return (
        isinstance(said, dict)
        and isinstance(said.get("code"), int)
        and isinstance(said.get("message"), str)
    )


def _tell(given: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": given, "error": {"code": code, "message": message}}


def silence_error(sent: bytes) -> bytes:
    """What goes out, whole or as an event; of an error without what the message said."""
    if b'"error"' not in sent:
        return sent
    lines = sent.split(b"\n")
    return b"\n".join(_silence_line(line) for line in lines)


def _silence_line(line: bytes) -> bytes:
    before, data = (b"data: ", line[6:]) if line.startswith(b"data: ") else (b"", line)
    try:
        document = json.loads(data)
    except ValueError:
        return line
    error = document.get("error") if isinstance(document, dict) else None
    if not isinstance(error, dict) or not _is_error(error):
        return line
    error["message"] = leave_out_values(error["message"])
    if isinstance(error.get("data"), str):
        del error["data"]  # the SDK's own: it names the method that there is not
    end = b"\r" if line.endswith(b"\r") else b""
    return before + json.dumps(document).encode() + end
