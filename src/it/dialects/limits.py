#!/usr/bin/env python3
"""Prints what a broker does at limits of its configuration: "rabbitmq.conf" of docs/compatibility.md.

    src/it/dialects/limits.py --port 5672

The broker is a new one, with this configuration:

    connection_max = 4
    channel_max_per_node = 5
    consumer_max_per_channel = 2
    vhost_max = 2
    cluster_queue_limit = 3
    cluster_name = dialect
    default_limits.vhosts.1.pattern = ^dialect
    default_limits.vhosts.1.max_queues = 1
    default_users.dialect.vhost_pattern = ^dialect
    default_users.dialect.tags = management, monitoring
    default_users.dialect.write = ^w
    management.path_prefix = /prefix

It needs pika and requests, and an administrator.
"""

import pika
import requests

import broker as peer


def all_of_them(broker):
    session = requests.Session()
    session.auth = (broker.user, broker.password)
    root = broker.url.removesuffix("/api/")
    for path in ("/prefix/api/overview", "/prefix/", "/prefix", "/api/overview", "/"):
        response = session.get(root + path, allow_redirects=False)
        yield path, response.status_code, response.headers.get("location", "")
    broker.url = root + "/prefix/api/"
    yield "cluster_name", broker.http("GET", "cluster-name").json()
    for vhost in ("dialect.a", "dialect.b"):
        yield f"virtual host {vhost}", broker.told("PUT", "vhosts/" + vhost)
    yield "permissions in it", broker.http("GET", "vhosts/dialect.a/permissions").text
    yield "its user", broker.http("GET", "users/dialect").text
    yield "limits of it", broker.http("GET", "vhost-limits/dialect.a").text
    broker.http("DELETE", "vhosts/dialect.a")
    broker.http("DELETE", "users/dialect")
    for number in range(5):
        yield f"queue {number}", broker.run(lambda channel: channel.queue_declare(f"dialect.{number}", durable=True) and "declared")
    connection = broker.connect()
    channel = connection.channel()
    try:
        for number in range(3):
            channel.basic_consume("dialect.0", lambda *_: None)
        yield "third consumer", "accepted"
    except pika.exceptions.AMQPError as error:
        yield "third consumer", f"{error.reply_code} {error.reply_text}"
    if connection.is_open:
        connection.close()
    connection = broker.connect()
    try:
        for number in range(6):
            connection.channel()
        yield "sixth channel", "accepted"
    except pika.exceptions.AMQPError as error:
        yield "sixth channel", f"{error.reply_code} {error.reply_text}"
    connections = []
    for number in range(6):
        try:
            connections.append(broker.connect())
        except (pika.exceptions.AMQPError, OSError) as error:
            yield f"connection {number + 1}", f"{getattr(error, 'reply_code', '')} {getattr(error, 'reply_text', type(error).__name__)}"
    for each in connections:
        each.close()
    for number in range(5):
        broker.run(lambda other: other.queue_delete(f"dialect.{number}"))


GROUPS = {"limits": all_of_them}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
