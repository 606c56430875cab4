#!/usr/bin/env python3
"""Prints what a broker tells by itself: consumer timeouts, the firehose, the event exchange. For docs/compatibility.md.

    src/it/dialects/watch.py --port 5672
    src/it/dialects/watch.py --port 45672 --http-port 45680 events      RabbitMQ, one group only

It needs pika and requests, and an administrator. Names of what it declares begin with "dialect.". The event exchange must be in the virtual host.
"""

import time

import pika

import broker as peer


def read(channel, queue, seconds=3.0):
    """What is in the queue until nothing has come for a while."""
    until = time.monotonic() + seconds
    got = []
    while time.monotonic() < until:
        method, properties, body = channel.basic_get(queue, auto_ack=True)
        if method:
            got.append((method, properties, body))
            until = time.monotonic() + 1
        else:
            channel.connection.process_data_events(0.05)
    return got


def timeouts(broker):
    """How late a consumer timeout is, and what it does."""
    def hang(channel, kind, argument):
        name = "dialect.hang"
        channel.queue_delete(name)
        channel.queue_declare(name, durable=True, arguments={"x-queue-type": kind, **({"x-consumer-timeout": 2000} if argument == "queue" else {})})
        ends = []
        channel.add_on_cancel_callback(lambda frame: ends.append("basic.cancel"))
        channel.basic_consume(name, lambda *_: None, arguments={"x-consumer-timeout": 2000} if argument == "consumer" else None)
        channel.basic_publish("", name, "m")
        begin = time.monotonic()
        while not ends and time.monotonic() - begin < 75 and channel.is_open:
            channel.connection.process_data_events(0.1)
        return f"{ends[0] if ends else 'nothing' if channel.is_open else 'channel closed'} after {time.monotonic() - begin:.1f} s"

    for kind in ("quorum", "classic"):
        for argument in ("queue", "consumer"):
            yield kind, f"x-consumer-timeout 2000 of the {argument}", broker.run(hang, kind, argument)
    broker.run(lambda channel: channel.queue_delete("dialect.hang"))


def firehose(broker):
    channel = broker.connect().channel()
    channel.queue_declare("dialect.f")
    channel.queue_purge("dialect.f")
    broker.http("PUT", "vhosts/{vhost}", {"tracing": True})
    channel.queue_bind("dialect.f", "amq.rabbitmq.trace", "#")
    channel.queue_declare("dialect.g")
    channel.queue_purge("dialect.g")
    other = broker.connect().channel()
    other.basic_publish("", "dialect.g", "m", pika.BasicProperties(headers={"CC": ["dialect.none"]}, priority=3))
    other.basic_publish("amq.fanout", "k", "m")
    time.sleep(0.3)
    other.basic_get("dialect.g", auto_ack=True)
    time.sleep(0.3)
    broker.http("PUT", "vhosts/{vhost}", {"tracing": False})
    for method, properties, _ in read(channel, "dialect.f", 1):
        if "dialect.f" not in method.routing_key:
            yield method.routing_key, {each: value for each, value in sorted(properties.headers.items()) if each not in ("node", "connection")}
    for name in "fg":
        channel.queue_delete("dialect." + name)
    other.connection.close()
    channel.connection.close()


def events(broker):
    """The keys of events, and the names of their headers."""
    channel = broker.connect().channel()
    channel.queue_declare("dialect.events")
    channel.queue_bind("dialect.events", "amq.rabbitmq.event", "#")
    other = broker.connect()
    declared = other.channel()
    declared.queue_declare("dialect.e", exclusive=True)
    declared.queue_bind("dialect.e", "amq.direct", "k")
    declared.basic_consume("dialect.e", lambda *_: None)
    declared.exchange_declare("dialect.x")
    declared.exchange_delete("dialect.x")
    other.close()
    broker.http("PUT", "users/dialect.u", {"password": "p", "tags": ""})
    broker.http("PUT", "permissions/{vhost}/dialect.u", {"configure": "", "write": "", "read": ""})
    try:
        pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker.port, broker.vhost, pika.PlainCredentials("dialect.u", "wrong")))
    except pika.exceptions.AMQPError:
        pass
    broker.http("DELETE", "users/dialect.u")
    broker.http("PUT", "policies/{vhost}/dialect.p", {"pattern": "^dialect.none$", "definition": {"max-length": 1}})
    broker.http("DELETE", "policies/{vhost}/dialect.p")
    broker.http("PUT", "vhosts/dialect.v")
    broker.http("PUT", "permissions/dialect.v/" + broker.user, {"configure": ".*", "write": ".*", "read": ".*"})
    broker.http("PUT", "queues/dialect.v/q", {"durable": True})
    broker.http("DELETE", "vhosts/dialect.v")
    for method, properties, _ in read(channel, "dialect.events"):
        if method.routing_key.split(".")[0] not in ("channel",):
            headers = properties.headers
            yield method.routing_key, f"user {headers.get('user_who_performed_action', '-')}", " ".join(sorted(headers)), f"error {headers['error']!r}"[:60] if "error" in headers else ""
    channel.queue_delete("dialect.events")
    channel.connection.close()


GROUPS = {each.__name__: each for each in (timeouts, firehose, events)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
