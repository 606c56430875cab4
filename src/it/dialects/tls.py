#!/usr/bin/env python3
"""Prints which versions and suites of TLS a broker speaks: "Users, definitions and TLS" of docs/compatibility.md.

    src/it/dialects/tls.py --port 5671

The port is that of TLS, of a new broker with this configuration, and a certificate of yours:

    listeners.ssl.1 = 127.0.0.1:5671
    ssl_options.certfile = cert.pem
    ssl_options.keyfile = key.pem
    ssl_options.versions.1 = tlsv1.2
    ssl_options.versions.2 = tlsv1.1
    ssl_options.versions.3 = tlsv1
    ssl_options.ciphers.1 = ECDHE-RSA-AES256-GCM-SHA384
    ssl_options.ciphers.2 = ECDHE-RSA-AES128-GCM-SHA256
    ssl_options.ciphers.3 = ECDHE-RSA-AES128-SHA
    ssl_options.honor_ecc_order = true
    ssl_options.depth = 2
    ssl_options.client_renegotiation = false

For RabbitMQ "ssl_cert_login_from = subject_alternative_name" may be added.
"""

import socket
import ssl
import warnings

import broker as peer

# The versions that this is about are old.
warnings.filterwarnings("ignore", category=DeprecationWarning)


def handshake(port, version=None, suites="ALL:@SECLEVEL=0"):
    """The version and the suite that are agreed on, or the error."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers(suites)
    if version:
        context.minimum_version = context.maximum_version = version
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as plain, context.wrap_socket(plain) as secured:
            return f"{secured.version()} {secured.cipher()[0]}"
    except OSError as error:
        return getattr(error, "reason", None) or str(error)


def versions(broker):
    for name in ("TLSv1", "TLSv1_1", "TLSv1_2", "TLSv1_3"):
        yield name, handshake(broker.port, ssl.TLSVersion[name])


def order(broker):
    suites = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384"]
    for given in (suites, suites[::-1]):
        yield "client prefers " + given[0], handshake(broker.port, ssl.TLSVersion.TLSv1_2, ":".join(given))


GROUPS = {"versions": versions, "order": order}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
