#!/usr/bin/env bash
# A policy that changes the message TTL changes nothing for what waits: a shorter one removes nothing, a longer one saves nothing.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  policies can be changed at run time, and apply to queues at once: a max-length shortens a queue when it is set. So an operator
#            sets a short message-ttl to be rid of a backlog, and a longer one, or none, to save what waits while consumers are down.
# Happens:   each message keeps the time that was in force when it was published, in classic and in quorum queues. With the shorter TTL
#            the backlog stays, for ever if there was none before. What is published afterwards stays too: it waits behind messages
#            that have not expired, and only the head of a queue expires. When those are consumed, it is gone at once.
#            With the longer one, or without one, what was there vanishes at its old time.
# Who meets it: who works on a backlog during an incident. The TTL that was removed in time deletes the messages all the same.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/ttl.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

amqp_port, http_port = sys.argv[1:]
HOUR = 3600000
TYPES = "classic", "quorum"
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(amqp_port)))
channel = connection.channel()
channel.confirm_delivery()


def api(method, path, body):
    urllib.request.urlopen(urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}", method=method, data=json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"}))


def policy(ttl):
    """Sets the only policy, to that TTL or to one without a TTL."""
    api("PUT", "/policies/%2F/only", {"pattern": "", "definition": {"message-ttl": ttl} if ttl else {"max-length": 1000}})
    time.sleep(1.5)


def publish(name):
    for type in TYPES:
        channel.basic_publish("", f"{name} {type}", b"")


def counts(name):
    return [channel.queue_declare(f"{name} {type}", passive=True).method.message_count for type in TYPES]


def case(name, before, after):
    """Publishes under one TTL, changes it and publishes again; returns counts at once, after ten seconds and after the first message is gone."""
    policy(before)
    for type in TYPES:
        channel.queue_declare(f"{name} {type}", durable=True, arguments={"x-queue-type": type})
    publish(name)
    policy(after)
    at_once = counts(name)
    publish(name)
    time.sleep(10)
    later = counts(name)
    for type in TYPES:
        channel.basic_get(f"{name} {type}", auto_ack=True)
    time.sleep(1)
    print(f"{name}: messages in {TYPES} at once {at_once}, with another each and after 10 seconds {later}, after one was taken {counts(name)}")
    return at_once, later, counts(name)


right = True
for name, before, after, expected in (
    ("an hour to one second", HOUR, 1000, ([1, 1], [2, 2], [0, 0])),
    ("none to one second", None, 1000, ([1, 1], [2, 2], [0, 0])),
    ("eight seconds to an hour", 8000, HOUR, ([1, 1], [1, 1], [0, 0])),
    ("eight seconds to none", 8000, None, ([1, 1], [1, 1], [0, 0])),
):
    right &= case(name, before, after) == expected
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/ttl.py" "$amqp_port" "$http_port"
