#!/usr/bin/env bash
# A preferred claim that a token does not have makes its user one called "unknown", whatever its subject is.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its OAuth 2 backend, pika 1.4.4
# Expected:  auth_oauth2.preferred_username_claims are preferred: a token without any of them has its subject as the name of
#            the user, as it has when the key is not set.
# Happens:   with the key set, sub and client_id are not looked at any more. Tokens of two applications, each with a subject
#            of its own, log in as one user, "unknown": permissions come from scopes, so all works, but lists, logs, limits of
#            a user and the check of the user-id of messages see one user.
# Who meets it: who sets user_name or email for people, and has applications with tokens of the client credentials grant,
#            which have neither.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
oauth_key
rabbitmq_conf='auth_backends.1 = oauth2
auth_oauth2.resource_server_id = shop
auth_oauth2.default_key = one
auth_oauth2.signing_keys.one = /etc/rabbitmq/key.pem
auth_oauth2.preferred_username_claims.1 = email'
rabbitmq 4.3.6-1 rabbitmq_auth_backend_oauth2

cat >"$work/users.py" <<'PY'
import sys

import pika
from tokens import token

port, key = int(sys.argv[1]), sys.argv[2]
SCOPES = ["shop.configure:*/*", "shop.write:*/*", "shop.read:*/*"]


def seen_as(name, **claims):
    """Returns whether the broker takes a message that says it is from this user."""
    login = pika.PlainCredentials("any", token(key, scope=SCOPES, **claims))
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, credentials=login))
    channel = connection.channel()
    channel.queue_declare("orders")
    channel.confirm_delivery()
    try:
        channel.basic_publish("", "orders", b"m", pika.BasicProperties(user_id=name))
        result = True
    except pika.exceptions.ChannelClosedByBroker as refusal:
        print("   ", refusal.reply_code, refusal.reply_text)
        result = False
    connection.close()
    print(claims, "is" if result else "is not", repr(name))
    return result


seen = [
    seen_as("ann@shop.example", sub="1001", email="ann@shop.example"),
    seen_as("billing", sub="billing"),
    seen_as("unknown", sub="billing"),
    seen_as("unknown", sub="shipping", client_id="shipping"),
]
sys.exit(0 if seen == [True, False, True, True] else 1)
PY
verdict "$python" "$work/users.py" "$amqp_port" "$work/key.pem"
