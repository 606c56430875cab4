#!/usr/bin/env bash
# A scope with {vhost} holds in every virtual host, but not in the default one.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its OAuth 2 backend, pika 1.4.4
# Expected:  write:{vhost}/* is a right in the virtual host that a client opens, in each of them.
# Happens:   the name is put into the scope before that is split at its slashes. The name of the default virtual host is a
#            slash, so the scope has a part too many there and says nothing: the login is fine, and the virtual host is
#            refused with 530. In all others the scope holds. %2F/* holds in the default one.
# Who meets it: who writes scopes for several virtual hosts and tries them with a test broker that has only the default one,
#            or the other way round.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
oauth_key
echo '{"vhosts": [{"name": "/"}, {"name": "prod"}]}' >"$rabbitmq_files/definitions.json"
rabbitmq_conf='auth_backends.1 = oauth2
auth_oauth2.resource_server_id = shop
auth_oauth2.default_key = one
auth_oauth2.signing_keys.one = /etc/rabbitmq/key.pem
load_definitions = /etc/rabbitmq/definitions.json'
rabbitmq 4.3.6-1 rabbitmq_auth_backend_oauth2

cat >"$work/vhosts.py" <<'PY'
import sys

import pika
from tokens import token

port, key = int(sys.argv[1]), sys.argv[2]


def holds(vhost, place):
    """Returns whether a client may enter a virtual host and declare a queue there."""
    login = pika.PlainCredentials("any", token(key, sub="app", scope=[f"shop.{right}:{place}" for right in ("configure", "write", "read")]))
    try:
        connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, vhost, credentials=login))
    except pika.exceptions.ProbableAccessDeniedError:
        print(f"scopes for {place} in the virtual host {vhost}: refused")
        return False
    connection.channel().queue_declare("orders")
    connection.close()
    print(f"scopes for {place} in the virtual host {vhost}: hold")
    return True


seen = {(vhost, place): holds(vhost, place) for vhost in ("prod", "/") for place in ("{vhost}/*", "*/*", "%2F/*")}
expected = {
    ("prod", "{vhost}/*"): True,
    ("prod", "*/*"): True,
    ("prod", "%2F/*"): False,
    ("/", "{vhost}/*"): False,
    ("/", "*/*"): True,
    ("/", "%2F/*"): True,
}
sys.exit(0 if seen == expected else 1)
PY
verdict "$python" "$work/vhosts.py" "$amqp_port" "$work/key.pem"
