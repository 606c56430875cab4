#!/usr/bin/env bash
# Of a consistent hash exchange with eight queues one is unbound: nearly all keys move. It is bound again: none is where it was.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its consistent hash exchange, pika 1.4.4
# Expected:  consistent hashing is there so that only the keys of the queue that goes move to others, here one in eight; and so that
#            a key goes to the same queue whenever the same queues are bound with the same weights.
# Happens:   a key goes to a place in the order in which queues were bound, not to a queue. When the first goes, all others move up
#            by one: 98 of 100 keys go elsewhere, where only one in eight would have to. Bound again, it is the last, and
#            not one key is where it was at first. Only when the queue that was bound last goes, just its own keys move.
#            The same eight queues, bound in the opposite order, share no key with it.
# Who meets it: who has a queue for each worker to keep the order of a key, and replaces workers, the oldest first, as a rolling
#            update does: with each of them messages of nearly every key wait in one queue and are published to another, and
#            two workers have one key at the same time. Caches of the workers are useless after it.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_consistent_hash_exchange

cat >"$work/keys.py" <<'PY'
import sys

import pika

KEYS, QUEUES = 1000, [f"worker {number}" for number in range(8)]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1])))
channel = connection.channel()
found = {}


def arrived(_, method, properties, body):
    found[int(body)] = method.consumer_tag


def bind_all(queues):
    channel.exchange_delete("orders")
    channel.exchange_declare("orders", "x-consistent-hash")
    for queue in queues:
        channel.queue_bind(queue, "orders", "1")


def queue_of_each_key():
    """Publishes one message for each key and returns which queue it went to."""
    found.clear()
    for key in range(KEYS):
        channel.basic_publish("orders", f"order-{key}", str(key).encode())
    while len(found) < KEYS:
        connection.process_data_events(1)
    return dict(found)


def moved(before, after):
    return sum(before[key] != after[key] for key in before)


for queue in QUEUES:
    channel.queue_declare(queue)
    channel.basic_consume(queue, arrived, auto_ack=True, consumer_tag=queue)
right = True
for queue, place in ((QUEUES[0], "first"), (QUEUES[-1], "last")):
    bind_all(QUEUES)
    before = queue_of_each_key()
    need = sum(each == queue for each in before.values())
    channel.queue_unbind(queue, "orders", "1")
    without = moved(before, queue_of_each_key())
    channel.queue_bind(queue, "orders", "1")
    again = moved(before, queue_of_each_key())
    print(f"bound {place}: it had {need} of {KEYS} keys; without it {without} are elsewhere, bound again {again} are elsewhere than at first")
    right = right and KEYS / 10 < need < KEYS / 6
    if place == "first":
        right = right and without > 0.95 * KEYS and again == KEYS
    else:
        right = right and without == need and again == 0
bind_all(QUEUES[::-1])
reverse = moved(before, queue_of_each_key())
print(f"bound in the opposite order: {reverse} of {KEYS} are elsewhere")
sys.exit(0 if right and reverse == KEYS else 1)
PY

verdict "$python" "$work/keys.py" "$amqp_port"
