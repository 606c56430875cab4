#!/usr/bin/env bash
# A message that waits for its retry outlives its expiration: with a wait of 6 seconds one of 2 seconds is dead-lettered after 6.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  a message with an expiration of 2 seconds that no consumer has in hand is dead-lettered 2 seconds after it was published, in
#            a quorum queue with delayed retries (new in 4.3) too: a TTL says how long a message may be in the queue.
# Happens:   while a returned message waits for its retry its TTL is not looked at, whether it comes from the message or from the queue.
#            It is dead-lettered as expired when the wait ends. So the longest wait is a lower bound for the time that a failed
#            message lives, and what is to take over when it has expired starts that much later. In between it is not
#            ready: a passive declare says 0 messages.
# Who meets it: who bounds by a TTL how long a failing order or payment may be tried, and sets waits of minutes or hours.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/retries.py" <<'PY'
import sys
import time

import pika

TTL, WAIT = 2, 6


def expires_after(channel, name, arguments, properties, returned):
    """Returns after how many seconds the message is dead-lettered, its reason, and how many were ready in its queue after 3 seconds."""
    dead = f"{name} dead"
    channel.queue_declare(dead, durable=True)
    channel.queue_declare(name, durable=True, arguments={
        "x-queue-type": "quorum", "x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead,
        "x-delayed-retry-type": "all", "x-delayed-retry-min": WAIT * 1000, **arguments,
    })
    started = time.monotonic()
    channel.basic_publish("", name, b"order", properties)
    if returned:
        method, _, _ = channel.basic_get(name)
        channel.basic_nack(method.delivery_tag, requeue=True)
    ready = None
    while time.monotonic() - started < 20:
        if ready is None and time.monotonic() - started > TTL + 1:
            ready = channel.queue_declare(name, passive=True).method.message_count
        method, properties, _ = channel.basic_get(dead, auto_ack=True)
        if method is not None:
            seconds = time.monotonic() - started
            reason = properties.headers["x-death"][0]["reason"]
            print(f"{name}: dead-lettered after {seconds:.1f} s as {reason}", "" if ready is None else f"(ready in between: {ready})")
            return seconds, reason, ready
        time.sleep(0.05)
    sys.exit(f"{name}: not dead-lettered")


with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]))) as connection:
    channel = connection.channel()
    channel.confirm_delivery()
    expiration = pika.BasicProperties(expiration=str(TTL * 1000))
    by_queue = {"x-message-ttl": TTL * 1000}
    same = True
    for returned in False, True:
        state = "returned" if returned else "not yet delivered"
        for kind, arguments, properties in ("expiration of the message", {}, expiration), ("TTL of the queue", by_queue, None):
            seconds, reason, ready = expires_after(channel, f"{kind}, {state}", arguments, properties, returned)
            same &= reason == "expired"
            same &= WAIT - 0.5 < seconds < WAIT + 4 and ready == 0 if returned else seconds < TTL + 2
    sys.exit(0 if same else 1)
PY
verdict "$python" "$work/retries.py" "$amqp_port"
