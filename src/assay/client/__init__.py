"""A typed client of the service, and the bodies and answers that both speak.

In      the address of a service, an access key
Out     Client, AsyncClient; functions that make requests
Effects HTTP
Spec    009-H6

    from assay.client import Client, bodies, requests

    with Client("http://127.0.0.1:8320", key) as service:
        body = bodies.GateBody(contract="intake/classify", output=text)
        verdict = service.send(requests.gate(body))
"""

from __future__ import annotations

from assay.client import answers, bodies, requests
from assay.client.client import AsyncClient, Client, ServiceError
from assay.client.requests import Request

__all__ = ["AsyncClient", "Client", "Request", "ServiceError", "answers", "bodies", "requests"]
