#!/usr/bin/env python3
"""Prints what a broker does with policies: "Policy keys" of docs/compatibility.md.

    src/it/dialects/policies.py --port 5672
    src/it/dialects/policies.py --port 45672 --http-port 45680 --vhost try keys      RabbitMQ, one group only

It needs pika and requests, and a user who may do anything. It sets policies in the virtual host, and declares queues; all names begin with "dialect.".
"""

import time

import broker as peer

KEYS = {
    "message-ttl": 1000, "expires": 600000, "max-length": 5, "max-length-bytes": 5000, "overflow": "reject-publish", "dead-letter-exchange": "",
    "dead-letter-routing-key": "k", "dead-letter-strategy": "at-least-once", "alternate-exchange": "amq.fanout", "delivery-limit": 3,
    "consumer-timeout": 60000, "consumer-disconnected-timeout": 60000, "max-age": "1h", "stream-max-segment-size-bytes": 500000,
    "stream-filter-size-bytes": 32, "queue-leader-locator": "client-local", "queue-master-locator": "client-local", "target-group-size": 1,
    "initial-cluster-size": 1, "queue-mode": "lazy", "queue-version": 2, "max-in-memory-length": 5, "max-in-memory-bytes": 5,
    "ha-mode": "all", "ha-params": 2, "ha-sync-mode": "automatic", "ha-sync-batch-size": 5, "ha-promote-on-failure": "always",
    "ha-promote-on-shutdown": "always", "federation-upstream": "u", "federation-upstream-set": "all", "federation-upstream-pattern": "^u",
    "delayed-retry-type": "all", "delayed-retry-min": 100, "delayed-retry-max": 200,
    "max-priority": 5, "single-active-consumer": True, "something-unknown": 1,
    # MayflyMQ's own.
    "message-ttl-retroactive": True, "message-ttl-mode": "min", "message-ttl-floor": 5, "expiry-mode": "lazy", "max-length-drop": "lowest-priority",
    "max-length-scope": "total", "dead-letter-on": "expired", "dead-letter-refused": "drop", "dead-letter-queue": "auto",
    "dead-letter-headers": "x-death", "dead-letter-routing-key-rejected": "k", "delayed-retry-backoff": "linear", "delayed-retry-jitter": 5,
    "delayed-retry-delays": "100,200", "consumer-timeout-action": "requeue", "lock-duration": 1000, "lock-renewals-max": 3,
    "expires-activity": "consume",
    "expires-condition": "unused-and-empty", "expires-action": "dead-letter", "exchange-expires": 600000, "binding-expires": 600000,
}
WITH = {"dead-letter-routing-key": {"dead-letter-exchange": ""}, "ha-params": {"ha-mode": "exactly"}, "ha-sync-mode": {"ha-mode": "all"},
        "ha-sync-batch-size": {"ha-mode": "all"}, "ha-promote-on-failure": {"ha-mode": "all"}, "ha-promote-on-shutdown": {"ha-mode": "all"},
        "delayed-retry-type": {"delayed-retry-min": 100}, "delayed-retry-max": {"delayed-retry-min": 100}}
TYPES = ("classic", "quorum", "stream")
BAD = (
    ("message-ttl", -1), ("message-ttl", "x"), ("message-ttl", 2 ** 33), ("expires", 0), ("max-length", -1), ("max-length", "abc"), ("max-length-bytes", -1),
    ("overflow", "bogus"), ("dead-letter-exchange", 1), ("dead-letter-routing-key", 1), ("dead-letter-strategy", "x"), ("alternate-exchange", 1),
    ("delivery-limit", -1), ("delivery-limit", "x"), ("consumer-timeout", -1), ("consumer-timeout", 0), ("consumer-disconnected-timeout", -1),
    ("max-age", "1x"), ("stream-max-segment-size-bytes", -1), ("stream-filter-size-bytes", 3), ("queue-leader-locator", "x"),
    ("queue-master-locator", "x"), ("target-group-size", 0), ("initial-cluster-size", 0), ("queue-mode", "x"), ("queue-version", 1), ("queue-version", 3),
    ("max-in-memory-length", -1), ("max-in-memory-bytes", -1), ("ha-mode", "x"), ("ha-sync-mode", "x"), ("federation-upstream", 1),
    ("federation-upstream-set", 1), ("federation-upstream-pattern", 1), ("delayed-retry-type", "bogus"), ("delayed-retry-min", 0), ("delayed-retry-min", -1),
    ("delayed-retry-max", 50),
)


def pattern(key):
    return rf"^dialect\.{key}\.(classic|quorum|stream)$"


def put(broker, kind, name, body):
    return broker.told("PUT", f"{kind}/{{vhost}}/dialect.{name}", body)


def delete(broker, kind, name):
    broker.http("DELETE", f"{kind}/{{vhost}}/dialect.{name}")


def policy_of(broker, name):
    return broker.http("GET", f"queues/{{vhost}}/{name}").json()


def keys(broker):
    """Which keys are taken, and to which types of queues a policy with such a key applies."""
    applied = {}
    for kind in ("policies", "operator-policies"):
        for key, value in KEYS.items():
            told = put(broker, kind, key, {"pattern": pattern(key), "apply-to": "all", "definition": {key: value, **WITH.get(key, {})}})
            applied[kind, key] = told if not told.startswith("2") else None
    taken = [key for key in KEYS if None in (applied["policies", key], applied["operator-policies", key])]
    for key in taken:
        for kind in TYPES:
            broker.run(lambda channel: channel.queue_declare(f"dialect.{key}.{kind}", durable=True, arguments={"x-queue-type": kind}))
    time.sleep(6)
    queues = {each["name"]: each for each in broker.http("GET", "queues/{vhost}").json()}
    for key in KEYS:
        row = [key]
        for kind, field in (("policies", "policy"), ("operator-policies", "operator_policy")):
            row.append(applied[kind, key] or ", ".join(
                each for each in TYPES if queues.get(f"dialect.{key}.{each}", {}).get(field) == "dialect." + key) or "taken, applies to no queue")
        yield row
    for key in KEYS:
        for kind in ("policies", "operator-policies"):
            delete(broker, kind, key)
    for key in taken:
        for kind in TYPES:
            broker.run(lambda channel: channel.queue_delete(f"dialect.{key}.{kind}"))


def values(broker):
    for key, value in BAD:
        body = {"pattern": "^dialect.none$", "definition": {key: value, **WITH.get(key, {})}}
        yield f"{key} = {value!r}", put(broker, "policies", "bad", body)
        delete(broker, "policies", "bad")


def definitions(broker):
    """Policies that are wrong as a whole."""
    good = {"pattern": "^dialect.none$", "definition": {"max-length": 1}}
    for what, body in (
            ("an empty definition", {**good, "definition": {}}), ("a definition that is a list", {**good, "definition": []}),
            ("a definition that is a text", {**good, "definition": "x"}), ("no definition", {"pattern": "x"}), ("no pattern", {"definition": {"max-length": 1}}),
            ("a bad pattern", {**good, "pattern": "(a"}), ("a pattern of 2,000 bytes", {**good, "pattern": "a" * 2000}),
            ("a pattern that is a number", {**good, "pattern": 1}), ("apply-to x", {**good, "apply-to": "x"}), ("apply-to 1", {**good, "apply-to": 1}),
            ("priority 1.5", {**good, "priority": 1.5}), ("priority high", {**good, "priority": "high"}), ("priority -1", {**good, "priority": -1})):
        yield what, put(broker, "policies", "bad", body)
        delete(broker, "policies", "bad")


def present(broker):
    """What a policy does to messages that are there already."""
    def after(channel, kind, definition, seconds=1.5):
        name = f"dialect.present.{kind}"
        channel.queue_delete(name)
        channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind})
        for number in range(5):
            channel.basic_publish("", name, str(number))
        time.sleep(0.3)
        put(broker, "policies", "present", {"pattern": r"^dialect\.present\.", "definition": definition})
        time.sleep(seconds)
        count = channel.queue_declare(name, passive=True).method.message_count
        channel.queue_delete(name)
        delete(broker, "policies", "present")
        return f"{count} of 5 are left"

    for kind in ("classic", "quorum"):
        yield kind, "message-ttl 100, after 1.5 s", broker.run(lambda channel: after(channel, kind, {"message-ttl": 100}))
        yield kind, "max-length 2", broker.run(lambda channel: after(channel, kind, {"max-length": 2}))
        yield kind, "max-length 2 with reject-publish", broker.run(lambda channel: after(channel, kind, {"max-length": 2, "overflow": "reject-publish"}))


def merged(broker):
    """A policy, an operator policy and an argument of the same key: which counts."""
    keys = {"max-length": (4, 2, 3), "overflow": ("drop-head", "reject-publish", "drop-head"), "message-ttl": (40000, 20000, 30000),
            "delivery-limit": (4, 2, 3)}
    for kind in ("classic", "quorum"):
        for key, (policy, operator, argument) in keys.items():
            if (kind, key) == ("classic", "delivery-limit"):
                continue
            name = f"dialect.merged.{kind}"
            put(broker, "policies", "merged", {"pattern": r"^dialect\.merged\.", "definition": {key: policy}})
            put(broker, "operator-policies", "merged", {"pattern": r"^dialect\.merged\.", "definition": {key: operator}})
            broker.run(lambda channel: channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind, "x-" + key: argument}))
            time.sleep(6)
            queue = policy_of(broker, name)
            yield kind, f"{key}: policy {policy}, operator's {operator}, argument {argument}", queue.get("effective_policy_definition")
            broker.run(lambda channel: channel.queue_delete(name))
            for each in ("policies", "operator-policies"):
                delete(broker, each, "merged")


def lease(broker):
    """A policy of expires 2 s on a queue that has been unused for 3 s."""
    for kind in ("classic", "quorum"):
        name = f"dialect.lease.{kind}"
        broker.run(lambda channel: channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind}))
        time.sleep(3)
        put(broker, "policies", "lease", {"pattern": r"^dialect\.lease\.", "definition": {"expires": 2000}})
        begin = time.monotonic()
        while "name" in policy_of(broker, name) and time.monotonic() - begin < 20:
            time.sleep(0.1)
        yield kind, f"gone {time.monotonic() - begin:.1f} s after the policy"
        delete(broker, "policies", "lease")


GROUPS = {each.__name__: each for each in (keys, values, definitions, present, merged, lease)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
