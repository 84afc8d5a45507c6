"""TLS under an authority of the house, client certificates and proxies, with real servers."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import select
import socket
import ssl
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from assay.adapters.models.anthropic import AnthropicModel
from assay.adapters.models.http_client import read_proxies
from assay.adapters.models.openai import OpenAIModel
from assay.core.json.canonical import digest
from assay.errors import UsageError
from assay.protocols import ModelFault, ModelRequest, Parameters
from tests import loopback

REQUEST = ModelRequest(
    prompt="p",
    prompt_sha256=digest("p"),
    parameters=Parameters(temperature=0.0, max_output_tokens=9),
)
PROVIDERS = [
    (OpenAIModel, "OPENAI", loopback.openai_text("{}")),
    (AnthropicModel, "ANTHROPIC", loopback.anthropic_text("{}")),
]
both = pytest.mark.parametrize(("kind", "prefix", "behaviour"), PROVIDERS)


def ask(kind, prefix, url, **settings):
    async def talk():
        environ = {f"{prefix}_BASE_URL": url, f"{prefix}_API_KEY": "k", **settings}
        model = kind.create("tiny", environ=environ)
        try:
            return (await model.complete(REQUEST)).text
        finally:
            await model.aclose()

    return asyncio.run(talk())


def _name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An authority, and a certificate for 127.0.0.1 made by it: ca.pem, leaf.pem with its key."""
    folder = tmp_path_factory.mktemp("house")
    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]

    def certificate(of, by, authority):
        made = (
            x509.CertificateBuilder()
            .subject_name(_name("house" if authority else "leaf"))
            .issuer_name(_name("house"))
            .public_key(of.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(of.public_key()), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), False
            )
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
                False,
            )
        )
        if authority:
            usage = dict.fromkeys(
                (
                    *("digital_signature", "content_commitment", "key_encipherment"),
                    *("data_encipherment", "key_agreement", "encipher_only", "decipher_only"),
                ),
                False,
            )
            made = made.add_extension(
                x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), critical=True
            )
        return made.sign(by, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    secret = keys[1].private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "ca.pem").write_bytes(certificate(keys[0], keys[0], True))
    (folder / "leaf.pem").write_bytes(certificate(keys[1], keys[0], False) + secret)
    return folder


@contextmanager
def serving_tls(house: Path, behaviour, *, ask_client: bool = False):
    """The loopback server behind TLS; its `https:` address and the server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(house / "leaf.pem")
    if ask_client:
        # Of later versions the client learns of the refusal after the handshake, or by a reset.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(house / "ca.pem")
    with loopback.serving(behaviour) as server:
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        yield server.url.replace("http:", "https:"), server


class Proxy:
    """Passes CONNECT through, and notes for whom; or refuses with a status."""

    def __init__(self, refuse: bytes = b"") -> None:
        self.refuse = refuse
        self.asked: list[str] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()

    def _serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            with client:
                self._pass(client)

    def _pass(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(4096)
            if not more:
                return
            head += more
        self.asked.append(head.split(b"\r\n")[0].decode())
        if self.refuse:
            client.sendall(b"HTTP/1.1 " + self.refuse + b"\r\ncontent-length: 0\r\n\r\n")
            return
        host, _, port = head.split()[1].decode().rpartition(":")
        with socket.create_connection((host, int(port))) as server:
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            ends = [client, server]
            while True:
                for end in select.select(ends, [], [])[0]:
                    data = end.recv(65_536)
                    if not data:
                        return
                    ends[1 - ends.index(end)].sendall(data)


@pytest.mark.clause("006-M8")
@both
def test_a_certificate_of_the_house_is_trusted_once_its_authority_is_named(
    house, kind, prefix, behaviour
):
    """Without it the fault is told in words, is no fault of the moment, and nothing was sent."""
    with serving_tls(house, behaviour) as (url, server):
        with pytest.raises(ModelFault) as fault:
            ask(kind, prefix, url)
        assert (False, "certificate not trusted") == (fault.value.transient, fault.value.code)
        assert "ASSAY_CA_FILE" in fault.value.hint
        assert "127.0.0.1" in fault.value.hint
        assert [] == server.seen

        assert "{}" == ask(kind, prefix, url, ASSAY_CA_FILE=str(house / "ca.pem"))


@pytest.mark.clause("006-M8")
@both
def test_a_client_certificate_is_shown_to_a_server_that_asks(house, kind, prefix, behaviour):
    """Without one the connection fails for good."""
    trusted = {"ASSAY_CA_FILE": str(house / "ca.pem")}
    with serving_tls(house, behaviour, ask_client=True) as (url, _):
        with pytest.raises(ModelFault) as fault:
            ask(kind, prefix, url, **trusted)
        assert (False, "no TLS connection") == (fault.value.transient, fault.value.code)
        assert "{}" == ask(kind, prefix, url, **trusted, ASSAY_CLIENT_CERT=str(house / "leaf.pem"))


@pytest.mark.clause("006-M8")
@both
def test_requests_go_through_the_proxy_but_for_the_hosts_that_need_none(
    house, kind, prefix, behaviour
):
    """Through a tunnel: what is sent stays between us and the server."""
    trusted = {"ASSAY_CA_FILE": str(house / "ca.pem")}
    with serving_tls(house, behaviour) as (url, _), Proxy() as proxy:
        assert "{}" == ask(kind, prefix, url, **trusted, HTTPS_PROXY=proxy.url)
        assert [f"CONNECT {url.removeprefix('https://')} HTTP/1.1"] == proxy.asked

        direct = {"HTTPS_PROXY": proxy.url, "NO_PROXY": "example.org,127.0.0.1"}
        assert "{}" == ask(kind, prefix, url, **trusted, **direct)
        assert 1 == len(proxy.asked)


@pytest.mark.clause("006-M8")
@both
def test_a_proxy_that_refuses_is_told_and_not_asked_again(house, kind, prefix, behaviour):
    """407 is a matter of the settings; a server error of the proxy may pass."""
    with serving_tls(house, behaviour) as (url, _):
        for status, transient in [(b"407 Authentication", False), (b"503 Busy", True)]:
            with Proxy(status) as proxy, pytest.raises(ModelFault) as fault:
                ask(kind, prefix, url, HTTPS_PROXY=proxy.url)
            assert transient == fault.value.transient
            assert transient or "proxy answers 407" == fault.value.code


@both
def test_a_server_without_tls_is_no_fault_of_the_moment(kind, prefix, behaviour):
    """`https:` to a plain server fails the same at every try."""
    with loopback.serving(behaviour) as server, pytest.raises(ModelFault) as fault:
        ask(kind, prefix, server.url.replace("http:", "https:"))

    assert (False, "no TLS connection") == (fault.value.transient, fault.value.code)


@both
def test_nobody_listening_stays_a_fault_of_the_moment(kind, prefix, behaviour):
    """A server may come up."""
    with pytest.raises(ModelFault) as fault:
        ask(kind, prefix, f"http://127.0.0.1:{loopback.closed_port()}")

    assert fault.value.transient


@pytest.mark.parametrize(
    "settings",
    [
        {"ASSAY_CA_FILE": "absent.pem"},
        {"ASSAY_CA_FILE": __file__},
        {"ASSAY_CLIENT_CERT": __file__},
        {"HTTPS_PROXY": "http://me:s3cret@:80"},
        {"HTTPS_PROXY": "http://me:s3cret@h:port"},
        {"ALL_PROXY": "gopher://me:s3cret@h:1"},
    ],
)
def test_settings_that_cannot_be_meant_are_refused_before_anything_is_sent(settings):
    """Wrong usage; the message holds no password."""
    with pytest.raises(UsageError) as refused:
        OpenAIModel.create("x", environ={"OPENAI_API_KEY": "k", **settings})

    assert 2 == refused.value.exit_code
    assert "s3cret" not in f"{refused.value}{refused.value.hint}"


def test_proxies_are_read_as_other_programs_read_them():
    """Small letters win, `*` switches all off, a leading dot means the host and what is under."""
    assert {"https://": "http://p:1"} == read_proxies({"HTTPS_PROXY": "P:2", "https_proxy": "p:1"})
    assert {} == read_proxies({"HTTP_PROXY": "p:1", "NO_PROXY": "a, *"})
    assert {} == read_proxies({"NO_PROXY": "a"})
    assert {
        "http://": "http://p:1",
        "all://*a.org": None,
        "all://10.0.0.0/8": None,
        "all://[::1]": None,
        "all://localhost": None,
        "all://*b.org:8080": None,
    } == read_proxies(
        {"HTTP_PROXY": "p:1", "NO_PROXY": ".a.org,10.0.0.0/8, ::1,localhost,b.org:8080,a b,x/y"}
    )
