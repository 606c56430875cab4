#!/usr/bin/env bash
# x-max-length-bytes counts bodies in a classic queue, and headers too in a quorum queue: it is full after a fraction of the messages.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  the limit is on the sum of all bodies. A queue for 100 bodies of ten bytes has x-max-length-bytes 1000, whatever its type.
# Happens:   in a quorum queue each message counts with its properties and headers. With ten bytes of body and half a kilobyte of
#            headers it is full after two messages instead of a hundred: publishers are refused, or with drop-head, the default, all
#            but the newest are deleted. message_bytes counts that way too, so that a graph of it rises when the type changes.
# Who meets it: who moves queues with a limit in bytes to quorum queues, as whoever leaves mirrored queues must: events whose data is in
#            headers, such as CloudEvents, traces and tokens. And who moves dead letters: x-death counts.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq_conf='collect_statistics_interval = 1000'
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/bytes.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

amqp_port, http_port = sys.argv[1:]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(amqp_port)))
channel = connection.channel()
channel.confirm_delivery()


def message_bytes(queue):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api/queues/%2F/{queue}",
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode()})
    for _ in range(100):
        with urllib.request.urlopen(request) as response:
            count = json.load(response).get("message_bytes")
        if count:
            return count
        time.sleep(0.2)


def fill(type, overflow, headers):
    """Publishes bodies of ten bytes to a queue for 1000, and returns how many were confirmed and how many are kept."""
    queue = f"{type}-{overflow}-{'headers' if headers else 'plain'}"
    channel.queue_declare(
        queue, durable=True, arguments={"x-queue-type": type, "x-max-length-bytes": 1000, "x-overflow": overflow})
    properties = pika.BasicProperties(delivery_mode=2, headers={"trace": "x" * 500} if headers else None)
    confirmed = 0
    for _ in range(90):
        try:
            channel.basic_publish("", queue, b"0123456789", properties)
            confirmed += 1
        except pika.exceptions.NackError:
            break
    kept = channel.queue_declare(queue, passive=True).method.message_count
    count = message_bytes(queue)
    print(f"{queue}: {confirmed} of 90 confirmed, {kept} kept, message_bytes {count}")
    return confirmed, kept, count // kept


right = True
for overflow in ("reject-publish", "drop-head"):
    right &= fill("classic", overflow, True) == (90, 90, 10)
    confirmed, kept, size = fill("quorum", overflow, True)
    right &= kept < 4 and size > 500 and (confirmed < 4 if overflow == "reject-publish" else confirmed == 90)
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/bytes.py" "$amqp_port" "$http_port"
