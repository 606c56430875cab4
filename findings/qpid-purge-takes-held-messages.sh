#!/usr/bin/env bash
# In Qpid Broker-J a purge deletes messages that a consumer has in hand, and all counts include those.
#
# With:      Qpid Broker-J 10.1.0 (AMQP 0-9-1, store in memory), pika 1.4.4
# Expected:  as in RabbitMQ: message_count of declare-ok and get-ok counts what is ready, and queue.purge removes what is ready.
#            What was delivered and is not acknowledged is neither counted nor removed (the specification of queue.purge
#            says so too), and comes back if its client goes.
# Happens:   with two of five messages in hand, a passive declare says 5, and so does each get-ok, those by which they were
#            fetched included. A message that expired counts too, though basic.get says that the queue is empty. A purge
#            removes the two in hand as well: when their client's connection ends without an ack, nothing comes back.
# Who meets it: who scales workers by a passive declare (never down to zero while one works), drains "until message_count is 0" without
#            acknowledging, or purges a queue while workers are busy and relies on the return of what they drop.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
qpid 10.1.0

cat >"$work/held.py" <<'PY'
import sys
import time

import pika

PARAMETERS = pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]), virtual_host="default")
connection = pika.BlockingConnection(PARAMETERS)
channel = connection.channel()
channel.queue_declare("orders")


def count():
    return channel.queue_declare("orders", passive=True).method.message_count


def publish_five():
    for number in range(5):
        channel.basic_publish("", "orders", str(number).encode())
    while count() < 5:
        time.sleep(0.05)


def two_in_hand():
    worker = pika.BlockingConnection(PARAMETERS)
    worker_channel = worker.channel()
    return worker, [worker_channel.basic_get("orders")[0].message_count for _ in range(2)]


publish_five()
worker, of_get = two_in_hand()
passive = count()
print("two of five in hand: get-ok said", of_get, "a passive declare says", passive)
worker.close()
while True:
    fetched = [channel.basic_get("orders", auto_ack=True)[0] for _ in range(5)]
    if all(fetched):
        break
    time.sleep(0.1)
print("the worker's connection closed: all five could be fetched")

channel.basic_publish("", "orders", b"", pika.BasicProperties(expiration="100"))
time.sleep(0.5)
expired = count(), channel.basic_get("orders", auto_ack=True)[0]
print("expired: a passive declare says", expired[0], "and get", expired[1])

publish_five()
worker, _ = two_in_hand()
purged = channel.queue_purge("orders").method.message_count
worker.close()
time.sleep(2)
left = count()
print("two of five in hand: purge-ok said", purged, "and when the worker's connection was closed, there were", left)
connection.close()
sys.exit(0 if (of_get, passive, expired, purged, left) == ([5, 5], 5, (1, None), 5, 0) else 1)
PY
verdict "$python" "$work/held.py" "$amqp_port"
