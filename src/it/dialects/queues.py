#!/usr/bin/env python3
"""Prints what a broker does where queues of RabbitMQ's releases and of MayflyMQ differ: the cells of docs/compatibility.md.

    src/it/dialects/queues.py --port 5672
    src/it/dialects/queues.py --port 45672 --vhost try arguments lengths      RabbitMQ, two groups only

It needs pika and requests, and a user who may do anything in the virtual host. It declares and deletes queues whose names begin with "dialect.".
"""

import time

import pika

import broker as peer

ARGUMENTS = {
    "x-message-ttl": 1000, "x-expires": 60000, "x-max-length": 5, "x-max-length-bytes": 5000, "x-overflow": "reject-publish",
    "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "k", "x-dead-letter-strategy": "at-least-once", "x-max-priority": 5,
    "x-single-active-consumer": True, "x-delivery-limit": 3, "x-consumer-timeout": 60000, "x-consumer-disconnected-timeout": 60000,
    "x-delayed-retry-type": "all", "x-delayed-retry-min": 100, "x-delayed-retry-max": 100, "x-max-age": "1h",
    "x-stream-max-segment-size-bytes": 500000, "x-stream-filter-size-bytes": 32, "x-initial-cluster-size": 1,
    "x-queue-leader-locator": "client-local", "x-queue-master-locator": "client-local", "x-queue-mode": "lazy", "x-queue-version": 2,
    "x-quorum-initial-group-size": 1, "x-quorum-target-group-size": 1, "x-max-in-memory-length": 5, "x-max-in-memory-bytes": 5,
    "x-something-unknown": 1,
    # MayflyMQ's own.
    "x-consumer-timeout-action": "requeue", "x-lock-duration": 1000, "x-lock-renewals-max": 3, "x-expires-activity": "consume", "x-expires-condition": "unused-and-empty",
    "x-expires-action": "dead-letter", "x-delayed-retry-backoff": "linear", "x-delayed-retry-jitter": 5, "x-delayed-retry-delays": "100,200",
    "x-message-ttl-retroactive": True, "x-message-ttl-mode": "min", "x-message-ttl-floor": 5, "x-expiry-mode": "lazy",
    "x-max-length-drop": "lowest-priority", "x-max-length-scope": "total", "x-dead-letter-on": "expired",
    "x-dead-letter-routing-key-rejected": "k", "x-dead-letter-refused": "drop", "x-dead-letter-queue": "auto", "x-dead-letter-headers": "x-death",
}
TYPES = ("classic", "quorum", "stream")
BAD = (
    ("quorum", {"x-delivery-limit": -1}), ("quorum", {"x-delivery-limit": "x"}), ("quorum", {"x-consumer-timeout": -1}),
    ("quorum", {"x-delayed-retry-type": "bogus"}), ("quorum", {"x-delayed-retry-min": 0}), ("quorum", {"x-quorum-target-group-size": 0}),
    ("classic", {"x-queue-mode": "bogus"}), ("classic", {"x-queue-version": 1}), ("classic", {"x-queue-version": 3}),
    ("quorum", {"x-overflow": "reject-publish-dlx"}), ("quorum", {"x-overflow": "bogus"}), ("classic", {"x-max-priority": 256}),
    ("classic", {"x-expires": 0}), ("quorum", {"x-dead-letter-strategy": "x"}),
)


def queue(channel, name, kind, **arguments):
    """Declares an empty queue."""
    name = "dialect." + name
    if "x-dead-letter-routing-key" in arguments:
        arguments["x-dead-letter-exchange"] = ""
    channel.queue_delete(name)
    channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind, **arguments})
    return name


def publish(channel, name, body="m", **properties):
    """Publishes with confirms. Returns ack or nack."""
    channel.confirm_delivery()
    try:
        channel.basic_publish("", name, body, pika.BasicProperties(**properties))
        return "ack"
    except pika.exceptions.NackError:
        return "nack"


def get(channel, name, seconds=5.0, **options):
    """Waits for a message."""
    until = time.monotonic() + seconds
    while True:
        method, properties, body = channel.basic_get(name, **options)
        if method or time.monotonic() > until:
            return method, properties, body
        time.sleep(0.02)


def drain(channel, name, pause=0.3):
    time.sleep(pause)
    bodies = []
    while True:
        method, _, body = channel.basic_get(name, auto_ack=True)
        if not method:
            return bodies
        bodies.append(body.decode())


def to(name):
    return {"x-dead-letter-routing-key": "dialect." + name}


def refused(channel, kind, name, value):
    beside = {"x-dead-letter-routing-key": {"x-dead-letter-exchange": ""}, "x-delayed-retry-type": {"x-delayed-retry-min": 100}}
    arguments = {name: value, **beside.get(name, {})}
    channel.queue_delete(queue(channel, "a", kind, **arguments))
    return "ok"


def arguments(broker):
    for name, value in ARGUMENTS.items():
        told = {kind: broker.run(refused, kind, name, value) for kind in TYPES}
        taken = [kind for kind in TYPES if told[kind] == "ok"]
        yield name, ", ".join(taken) or "none", "; ".join(sorted({each[:60] for each in told.values() if each != "ok"}))
    for kind, bad in BAD:
        for name, value in bad.items():
            yield f"{kind} {name} = {value!r}", broker.run(refused, kind, name, value)


def deletions(broker):
    def if_empty(channel, kind):
        name = queue(channel, "d", kind)
        publish(channel, name)
        return channel.queue_delete(name, if_empty=True).method.message_count

    def if_unused(channel, kind):
        name = queue(channel, "d", kind)
        channel.basic_consume(name, lambda *_: None)
        return channel.queue_delete(name, if_unused=True).method.message_count

    def exclusive(channel, kind):
        name = queue(channel, "d", kind)
        channel.basic_consume(name, lambda *_: None, exclusive=True)
        return broker.run(lambda other: other.basic_consume(name, lambda *_: None) and "accepted")

    for kind in ("classic", "quorum"):
        yield kind, "delete if-empty of one with a message", broker.run(if_empty, kind)
        yield kind, "delete if-unused of one with a consumer", broker.run(if_unused, kind)
        yield kind, "consumer beside an exclusive one", broker.run(exclusive, kind)


def deaths(broker):
    def dead(channel, kind, how):
        options = {"reject": {}, "nack": {}, "expiry": {"x-message-ttl": 10}, "length": {"x-max-length": 0}, "limit": {"x-delivery-limit": 0}}
        target = queue(channel, "dead", kind)
        name = queue(channel, "source", kind, **to("dead"), **options[how])
        publish(channel, name)
        if how in ("reject", "nack", "limit"):
            tag = get(channel, name)[0].delivery_tag
            if how == "nack":
                channel.basic_nack(tag, requeue=False)
            else:
                channel.basic_reject(tag, requeue=how == "limit")
        method, properties, _ = get(channel, target)
        if not method:
            return "no dead letter"
        counts = sorted(header for header in properties.headers if header.endswith("-count"))
        return f"redelivered {method.redelivered}, {counts}"

    def published(channel, kind):
        target = queue(channel, "dead", kind)
        name = queue(channel, "source", kind, **to("dead"))
        told = []
        headers = None
        for _ in range(3):
            publish(channel, name, headers=headers)
            channel.basic_reject(get(channel, name)[0].delivery_tag, requeue=False)
            method, properties, _ = get(channel, target)
            channel.basic_ack(method.delivery_tag)
            headers = properties.headers
            told.append(headers["x-death"][0]["count"])
        return f"counts of a message that is published again with its headers: {told}"

    for kind in ("classic", "quorum"):
        for how in ("reject", "nack", "expiry", "length", "limit"):
            yield kind, "dead letter of " + how, broker.run(dead, kind, how)
        yield kind, "x-death", broker.run(published, kind)


def lengths(broker):
    def in_bytes(channel, kind, **properties):
        name = queue(channel, "b", kind, **{"x-max-length-bytes": 10000})
        for _ in range(100):
            publish(channel, name, "y" * 200, **properties)
        return len(drain(channel, name, 0.5))

    def full(channel, kind, overflow):
        target = queue(channel, "dead", kind)
        name = queue(channel, "full", kind, **to("dead"), **{"x-max-length": 2, "x-overflow": overflow})
        told = [publish(channel, name, str(number)) for number in range(5)]
        return f"{told}, in the queue {drain(channel, name)}, dead {drain(channel, target)}"

    def priorities(channel, kind, **options):
        if kind == "classic":
            options["x-max-priority"] = 9
        name = queue(channel, "p", kind, **{"x-max-length": 3}, **options)
        for number, priority in enumerate((1, 9, 5, 0, 9, 2)):
            publish(channel, name, f"{priority}.{number}", priority=priority)
        return drain(channel, name)

    for kind in ("classic", "quorum"):
        yield kind, "kept of 200 bytes each by 10000 bytes", broker.run(in_bytes, kind)
        yield kind, "the same with a header of 300 bytes", broker.run(lambda channel: in_bytes(channel, kind, headers={"h": "x" * 300}))
        for overflow in ("drop-head", "reject-publish", "reject-publish-dlx"):
            yield kind, overflow, broker.run(full, kind, overflow)
        yield kind, "kept by drop-head of priorities 1 9 5 0 9 2", broker.run(priorities, kind)
        yield kind, "the same, x-max-length-drop lowest-priority", broker.run(
            lambda channel: priorities(channel, kind, **{"x-max-length-drop": "lowest-priority"}))


def returns(broker):
    def counted(channel, kind, how, limit):
        options = {} if limit is None or kind == "classic" else {"x-delivery-limit": limit}
        name = queue(channel, "r", kind, **options)
        publish(channel, name)
        for times in range(1, 26):
            method, properties, _ = get(channel, name, 0.5)
            if not method:
                return f"gone after {times - 1} returns"
            last = {header: value for header, value in (properties.headers or {}).items() if header.endswith("-count")}
            if how == "nack":
                channel.basic_nack(method.delivery_tag, requeue=True)
            else:
                channel.basic_reject(method.delivery_tag, requeue=True)
        return f"there after 25 returns, headers of the last {sorted(last)}"

    def order(channel, kind):
        name = queue(channel, "o", kind)
        for body in "abc":
            publish(channel, name, body)
        channel.basic_nack(get(channel, name)[0].delivery_tag, requeue=True)
        return drain(channel, name)

    def by_priority(channel, kind):
        name = queue(channel, "o", kind, **({"x-max-priority": 9} if kind == "classic" else {}))
        publish(channel, name, "low", priority=1)
        method = get(channel, name)[0]
        publish(channel, name, "high", priority=9)
        channel.basic_nack(method.delivery_tag, requeue=True)
        return drain(channel, name)

    def get_with_single_active(channel, kind):
        name = queue(channel, "s", kind, **{"x-single-active-consumer": True})
        publish(channel, name)
        return "a message" if get(channel, name)[0] else "none"

    for kind in ("classic", "quorum"):
        for how in ("nack", "reject"):
            for limit in (None, 2):
                yield kind, f"requeue by {how}, limit {limit}", broker.run(counted, kind, how, limit)
        yield kind, "order of abc after a nack of a", broker.run(order, kind)
        yield kind, "returned of priority 1, then published of 9", broker.run(by_priority, kind)
        yield kind, "basic.get with a single active consumer", broker.run(get_with_single_active, kind)


def expiry(broker):
    def behind(channel, kind):
        target = queue(channel, "dead", kind)
        name = queue(channel, "ttl", kind, **to("dead"))
        publish(channel, name, "first", expiration="60000")
        publish(channel, name, "second", expiration="100")
        time.sleep(1.5)
        return f"dead {drain(channel, target)}"

    def lease(channel, kind):
        name = queue(channel, "lease", kind, **{"x-expires": 400})
        time.sleep(1.2)
        return broker.run(lambda other: other.queue_declare(name, passive=True) and "there")

    def renewed(channel, kind):
        """A queue of RabbitMQ looks for the end of its lease every 5 s, if it is a quorum queue."""
        name = queue(channel, "lease", kind, **{"x-expires": 1000})
        until = time.monotonic() + 12
        while time.monotonic() < until:
            channel.queue_declare(name, passive=True)
            time.sleep(0.2)
        return "there"

    for kind in ("classic", "quorum"):
        yield kind, "expired behind one that has not", broker.run(behind, kind)
        yield kind, "x-expires 400, after 1.2 s", broker.run(lease, kind)
        yield kind, "x-expires 1000, declared passively each 0.2 s for 12 s", broker.run(renewed, kind)


GROUPS = {each.__name__: each for each in (arguments, deletions, deaths, lengths, returns, expiry)}


def clean(broker):
    for name in ("a", "b", "d", "dead", "full", "lease", "o", "p", "r", "s", "source", "ttl"):
        broker.run(lambda channel: channel.queue_delete("dialect." + name))


if __name__ == "__main__":
    peer.main(__doc__, GROUPS, clean)
