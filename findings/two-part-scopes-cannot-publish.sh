#!/usr/bin/env bash
# A token that may write to everything may not publish to a topic exchange, nor bind a queue to one.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its OAuth 2 backend, pika 1.4.4
# Expected:  the scopes configure:*/*, write:*/* and read:*/* are all rights in all virtual hosts, as three times .* is for
#            a user of the broker: a user without topic permissions is not limited by any.
# Happens:   a scope of two parts gives no right to any routing key. With such scopes the client declares queues and exchanges,
#            publishes to a direct exchange and to queues; a publish to a topic exchange and a binding of one end its channel
#            with 403, "access to topic". A third part is needed, write:*/*/* and read:*/*/*.
# Who meets it: who moves applications from users of the broker to tokens: what uses direct exchanges works, the first topic
#            exchange does not, and the refusal of a publish without confirms is a closed channel some time later.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
oauth_key
rabbitmq_conf='auth_backends.1 = oauth2
auth_oauth2.resource_server_id = shop
auth_oauth2.default_key = one
auth_oauth2.signing_keys.one = /etc/rabbitmq/key.pem'
rabbitmq 4.3.6-1 rabbitmq_auth_backend_oauth2

cat >"$work/scopes.py" <<'PY'
import sys

import pika
from tokens import token

port, key = int(sys.argv[1]), sys.argv[2]


def attempt(connection, what):
    """Returns whether it is allowed, on a channel of its own."""
    channel = connection.channel()
    channel.confirm_delivery()
    try:
        what(channel)
        channel.close()
        return True
    except pika.exceptions.ChannelClosedByBroker as refusal:
        print("   ", refusal.reply_code, refusal.reply_text)
        return False


def seen_with(scopes):
    login = pika.PlainCredentials("app", token(key, sub="app", scope=scopes))
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, credentials=login))
    steps = {
        "declare": lambda channel: (
            channel.queue_declare("orders"),
            channel.exchange_declare("plain", "direct"),
            channel.exchange_declare("events", "topic"),
            channel.queue_bind("orders", "plain", "order.paid"),
        ),
        "publish to a queue": lambda channel: channel.basic_publish("", "orders", b"m"),
        "publish to a direct exchange": lambda channel: channel.basic_publish("plain", "order.paid", b"m"),
        "publish to a topic exchange": lambda channel: channel.basic_publish("events", "order.paid", b"m"),
        "bind a topic exchange": lambda channel: channel.queue_bind("orders", "events", "order.*"),
    }
    print(" ".join(scopes))
    seen = {}
    for name, step in steps.items():
        seen[name] = attempt(connection, step)
        print("   ", name + ":", "allowed" if seen[name] else "refused")
    connection.close()
    return list(seen.values())


two = seen_with(["shop.configure:*/*", "shop.write:*/*", "shop.read:*/*"])
three = seen_with(["shop.configure:*/*", "shop.write:*/*/*", "shop.read:*/*/*"])
sys.exit(0 if two == [True, True, True, False, False] and three == [True] * 5 else 1)
PY
verdict "$python" "$work/scopes.py" "$amqp_port" "$work/key.pem"
