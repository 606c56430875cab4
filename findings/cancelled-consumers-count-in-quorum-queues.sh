#!/usr/bin/env bash
# A consumer that was cancelled with messages in hand counts as a consumer of a quorum queue, which does not expire because of it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  when its only consumer is cancelled a queue has no consumer, whatever that had in hand: the count of a passive declare is 0, as
#            the management API says too, and a queue with x-expires of 4 seconds is gone when it is not used for 4 seconds.
# Happens:   so it is with a classic queue. For a quorum queue the declare counts the cancelled consumer until all that it has in hand is
#            settled, while the management API counts none and lists none, and the queue does not expire.
# Who meets it: who waits for the consumers of a queue to be gone, by declaring it passively; and whose temporary quorum queues
#            stay, since a client stopped consuming and kept its channel, and the management API shows no reason for it.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/cancel.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

PARAMETERS = pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))
AUTHORIZATION = "Basic " + base64.b64encode(b"guest:guest").decode()


def http(path):
    request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[2]}/api/{path}", headers={"Authorization": AUTHORIZATION})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def declared(queue):
    """Returns how many consumers the queue has by a passive declare, or None if there is no such queue."""
    connection = pika.BlockingConnection(PARAMETERS)
    try:
        return connection.channel().queue_declare(queue, passive=True).method.consumer_count
    except pika.exceptions.ChannelClosedByBroker:
        return None
    finally:
        connection.close()


def cancelled(queue, arguments):
    """Returns a channel whose only consumer was cancelled with messages in hand, and the last of these."""
    channel = pika.BlockingConnection(PARAMETERS).channel()
    channel.queue_declare(queue, durable=True, arguments=arguments)
    channel.basic_qos(prefetch_count=3)
    in_hand = []
    tag = channel.basic_consume(queue, lambda _, method, *rest: in_hand.append(method.delivery_tag))
    for _ in range(5):
        channel.basic_publish("", queue, b"17")
    while len(in_hand) < 3:
        channel.connection.process_data_events(1)
    channel.basic_cancel(tag)
    return channel, in_hand[-1]


same = True
for kind, count in (("classic", 0), ("quorum", 1)):
    channel, last = cancelled(kind, {"x-queue-type": kind})
    time.sleep(8)
    by_declare = declared(kind)
    by_api = http(f"queues/%2f/{kind}")["consumers"]
    listed = len(http("consumers"))
    channel.basic_ack(last, multiple=True)
    channel.connection.process_data_events(1)
    settled = declared(kind)
    channel.connection.close()
    channel, _ = cancelled(f"{kind}-expires", {"x-queue-type": kind, "x-expires": 4000})
    time.sleep(12)
    expired = declared(f"{kind}-expires") is None
    channel.connection.close()
    print(f"{kind} queue, its only consumer cancelled with three messages in hand: consumers by a declare {by_declare}, by the management API "
          f"{by_api}, listed {listed}, by a declare when all are settled {settled}; expired after three times x-expires: {expired}")
    same = same and (by_declare, by_api, listed, settled, expired) == (count, 0, 0, 0, kind == "classic")
sys.exit(0 if same else 1)
PY

verdict "$python" "$work/cancel.py" "$amqp_port" "$http_port"
