#!/usr/bin/env python3
"""Prints what a broker's HTTP API answers: "Management HTTP API" and "Users, definitions and TLS" of docs/compatibility.md.

    src/it/dialects/management.py --port 5672
    src/it/dialects/management.py --port 45672 --http-port 45680 --vhost try fields      RabbitMQ, one group only

It needs pika and requests, and an administrator. Names of what it creates begin with "dialect.", users and virtual hosts included.
"""

import base64
import http.client
import json
import time

import pika
import requests

import broker as peer


def connected(broker, user="dialect.u", password="p", vhost=None):
    return pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", broker.port, vhost or broker.vhost, pika.PlainCredentials(user, password)))


def ended(connection, seconds=5.0):
    """How the broker ends a connection."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            connection.process_data_events(0.1)
    except pika.exceptions.ConnectionClosedByBroker as error:
        return f"{error.reply_code} {error.reply_text}"
    except pika.exceptions.AMQPError as error:
        return type(error).__name__
    connection.close()
    return "stays"


def user(broker, name="dialect.u", tags="", rights=True, **body):
    broker.http("PUT", "users/" + name, {"password": "p", "tags": tags, **body})
    if rights:
        broker.http("PUT", f"permissions/{{vhost}}/{name}", {"configure": ".*", "write": ".*", "read": ".*"})
    return name


def as_user(broker, method, path, body=None, name="dialect.u"):
    session, broker.session.auth = broker.session.auth, (name, "p")
    try:
        return broker.told(method, path, body)
    finally:
        broker.session.auth = session


def queue(broker, **body):
    return broker.told("PUT", "queues/{vhost}/dialect.q", {"durable": True, **body})


def objects(broker):
    """Declarations and requests, most of them wrong."""
    q = "queues/{vhost}/dialect.q"
    rows = (
        ("queue amq.x", "PUT", "queues/{vhost}/amq.x", {}), ("exchange amq.x", "PUT", "exchanges/{vhost}/amq.x", {"type": "direct"}),
        ("queue", "PUT", q, {"durable": True}), ("queue again", "PUT", q, {"durable": True}), ("queue, not durable", "PUT", q, {"durable": False}),
        ("queue, arguments a text", "PUT", q, {"arguments": "x"}), ("queue, arguments a list", "PUT", q, {"arguments": [1]}), ("queue, durable x", "PUT", q, {"durable": "x"}),
        ("queue, node x", "PUT", "queues/{vhost}/dialect.n", {"node": "x"}), ("queue, bad argument", "PUT", "queues/{vhost}/dialect.m", {"arguments": {"x-expires": 0}}),
        ("exchange of no type", "PUT", "exchanges/{vhost}/dialect.x", {}), ("exchange of an unknown type", "PUT", "exchanges/{vhost}/dialect.x", {"type": "x"}),
        ("exchange, arguments a text", "PUT", "exchanges/{vhost}/dialect.x", {"type": "direct", "arguments": "x"}),
        ("get, ackmode x", "POST", q + "/get", {"count": 1, "ackmode": "x", "encoding": "auto"}), ("get, count x", "POST", q + "/get", {"count": "x", "ackmode": "ack_requeue_true", "encoding": "auto"}),
        ("get, count 0", "POST", q + "/get", {"count": 0, "ackmode": "ack_requeue_true", "encoding": "auto"}),
        ("get, encoding x", "POST", q + "/get", {"count": 1, "ackmode": "ack_requeue_true", "encoding": "x"}), ("get, no count", "POST", q + "/get", {}),
        ("publish", "POST", "exchanges/{vhost}/amq.default/publish", {"routing_key": "dialect.q", "payload": "m", "payload_encoding": "string", "properties": {}}),
        ("publish, encoding x", "POST", "exchanges/{vhost}/amq.default/publish", {"routing_key": "dialect.q", "payload": "m", "payload_encoding": "x", "properties": {}}),
        ("publish, bad base64", "POST", "exchanges/{vhost}/amq.default/publish", {"routing_key": "q", "payload": "#", "payload_encoding": "base64", "properties": {}}),
        ("publish, no payload", "POST", "exchanges/{vhost}/amq.default/publish", {"routing_key": "q"}),
        ("publish, no exchange", "POST", "exchanges/{vhost}/dialect.none/publish", {"routing_key": "q", "payload": "m", "payload_encoding": "string", "properties": {}}),
        ("action sync", "POST", q + "/actions", {"action": "sync"}), ("action cancel_sync", "POST", q + "/actions", {"action": "cancel_sync"}), ("action x", "POST", q + "/actions", {"action": "x"}),
        ("purge", "DELETE", q + "/contents", None), ("queue that is missing", "GET", "queues/{vhost}/dialect.none", None), ("delete one that is missing", "DELETE", "queues/{vhost}/dialect.none", None),
        ("queues of no virtual host", "GET", "queues/dialect.none", None), ("a path that is missing", "GET", "nothing", None), ("sort by x", "GET", "queues?sort=x", None),
        ("page 0", "GET", "queues?page=0", None), ("page 99", "GET", "queues?page=99", None), ("page size 501", "GET", "queues?page=1&page_size=501", None), ("name (a with use_regex", "GET", "queues?page=1&name=(a&use_regex=true", None),
        ("node that is missing", "GET", "nodes/dialect@none", None), ("connection that is missing", "DELETE", "connections/none", None),
        ("virtual host, tags 5", "PUT", "vhosts/dialect.v", {"tags": 5}), ("virtual host, description 5", "PUT", "vhosts/dialect.v", {"description": 5}),
        ("virtual host, tracing x", "PUT", "vhosts/dialect.v", {"tracing": "x"}), ("virtual host, default_queue_type x", "PUT", "vhosts/dialect.v", {"default_queue_type": "x"}),
        ("virtual host of 300 bytes", "PUT", "vhosts/" + "dialect" * 43, {}), ("its deletion", "DELETE", "vhosts/" + "dialect" * 43, None), ("virtual host deleted", "DELETE", "vhosts/dialect.v", None),
        ("user, tags 5", "PUT", "users/dialect.w", {"password": "p", "tags": 5}), ("user, no tags", "PUT", "users/dialect.w", {"password": "p"}), ("user, no password", "PUT", "users/dialect.w", {"tags": ""}),
        ("user, password empty", "PUT", "users/dialect.w", {"password": "", "tags": ""}), ("user, password 5", "PUT", "users/dialect.w", {"password": 5, "tags": ""}),
        ("user, password_hash empty", "PUT", "users/dialect.w", {"password_hash": "", "tags": ""}), ("user, password_hash #", "PUT", "users/dialect.w", {"password_hash": "#", "tags": ""}),
        ("user, hashing_algorithm x", "PUT", "users/dialect.w", {"password_hash": "abcd", "tags": "", "hashing_algorithm": "x"}),
        ("user of 300 bytes", "PUT", "users/" + "dialect" * 43, {"password": "p", "tags": ""}), ("its deletion", "DELETE", "users/" + "dialect" * 43, None),
        ("permissions, pattern (a", "PUT", "permissions/{vhost}/dialect.w", {"configure": "(a", "write": "", "read": ""}),
        ("permissions, pattern 5", "PUT", "permissions/{vhost}/dialect.w", {"configure": 5, "write": "", "read": ""}), ("permissions, no read", "PUT", "permissions/{vhost}/dialect.w", {"configure": "", "write": ""}),
        ("permissions of no user", "PUT", "permissions/{vhost}/dialect.none", {"configure": "", "write": "", "read": ""}),
        ("bulk-delete with one that is missing", "POST", "users/bulk-delete", {"users": ["dialect.w", "dialect.none"]}), ("is it there", "GET", "users/dialect.w", None),
        ("bulk-delete of a text", "POST", "users/bulk-delete", {"users": "x"}),
        ("limit", "PUT", "vhost-limits/{vhost}/max-connections", {"value": 1000}), ("limit x", "PUT", "vhost-limits/{vhost}/max-connections", {"value": "x"}), ("limit of another name", "PUT", "vhost-limits/{vhost}/x", {"value": 1}),
        ("limit -1", "PUT", "vhost-limits/{vhost}/max-queues", {"value": -1}), ("limit -2", "PUT", "vhost-limits/{vhost}/max-queues", {"value": -2}), ("limit 1.5", "PUT", "vhost-limits/{vhost}/max-queues", {"value": 1.5}),
        ("limits after the last is deleted", "DELETE", "vhost-limits/{vhost}/max-connections", None), ("and", "DELETE", "vhost-limits/{vhost}/max-queues", None), ("shown", "SHOW", "vhost-limits/{vhost}", None),
        ("limits as a parameter", "PUT", "parameters/vhost-limits/{vhost}/limits", {"value": {"max-queues": 1000}}), ("limits as a parameter x", "PUT", "parameters/vhost-limits/{vhost}/x", {"value": {"max-queues": 1000}}),
        ("its deletion", "DELETE", "parameters/vhost-limits/{vhost}/limits", None), ("and", "DELETE", "parameters/vhost-limits/{vhost}/x", None),
        ("policy as a parameter", "PUT", "parameters/policy/{vhost}/dialect.p", {"value": {"pattern": "^dialect.none$", "definition": {"max-length": 1}}}),
        ("delete it as a parameter", "DELETE", "parameters/policy/{vhost}/dialect.p", None), ("delete it", "DELETE", "policies/{vhost}/dialect.p", None),
        ("operator policy as a parameter without priority", "PUT", "parameters/operator_policy/{vhost}/dialect.p", {"value": {"pattern": "^dialect.none$", "definition": {"max-length": 1}}}),
        ("operator policy as a parameter", "PUT", "parameters/operator_policy/{vhost}/dialect.p", {"value": {"pattern": "^dialect.none$", "priority": 0, "definition": {"max-length": 1}}}),
        ("delete it", "DELETE", "operator-policies/{vhost}/dialect.p", None),
        ("parameter of an unknown component", "PUT", "parameters/x/{vhost}/dialect.p", {"value": {}}), ("global parameter", "PUT", "global-parameters/dialect.g", {"value": 1}), ("its deletion", "DELETE", "global-parameters/dialect.g", None),
        ("definitions of no virtual host", "GET", "definitions/dialect.none", None), ("rabbitmqadmin", "GET", "../cli/rabbitmqadmin", None), ("rebalance", "POST", "rebalance/queues", {}),
        ("reset", "DELETE", "reset", None), ("health check of a virtual host that is missing", "GET", "aliveness-test/dialect.none", None), ("queue-leader rebalance", "GET", "health/checks/node-is-mirror-sync-critical", None),
        ("auth/attempts", "GET", "auth/attempts/" + node(broker), None), ("feature flag x", "PUT", "feature-flags/x/enable", {}), ("body that is no JSON", "RAW", "queues/{vhost}/dialect.q", "{"),
        ("body that is a list", "PUT", q, [1]), ("delete the queue", "DELETE", q, None))
    for what, method, path, body in rows:
        if method == "SHOW":
            yield what, broker.http("GET", path).text[:200]
        elif method == "RAW":
            yield what, broker.told("PUT", path, data=body, headers={"content-type": "application/json"})
        else:
            yield what, broker.told(method, path, body)
    raw = http.client.HTTPConnection(broker.url.split("/")[2])
    authorization = {"Authorization": "Basic " + base64.b64encode(f"{broker.user}:{broker.password}".encode()).decode()}
    for what, path in (("raw byte 0xFF in a path", b"/api/queues/%2F/a\xff"), ("%FF in a path", b"/api/queues/%2F/a%FF"), ("UTF-8 in a path, not encoded", "/api/queues/%2F/\u00e4".encode()), ("% alone in a path", b"/api/queues/%2F/a%")):
        raw.close()
        raw.putrequest("GET", path.decode("latin-1"), skip_accept_encoding=True) if all(each < 128 for each in path) else None
        if all(each < 128 for each in path):
            raw.putheader(*next(iter(authorization.items())))
            raw.endheaders()
        else:
            raw.connect()
            raw.sock.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: " + authorization["Authorization"].encode() + b"\r\n\r\n")
            yield what, raw.sock.recv(100).split(b"\r\n")[0].decode()
            continue
        response = raw.getresponse()
        yield what, f"{response.status} {response.read(80)!r}"
    yield "a body of 70 MB", too_large(broker)
    yield "a change from another site's page", broker.told("PUT", "queues/{vhost}/dialect.o", {}, headers={"Origin": "http://other.example", "Sec-Fetch-Site": "cross-site"})
    yield "its deletion", broker.told("DELETE", "queues/{vhost}/dialect.o")
    yield "login by a form", login(broker, data={"username": broker.user, "password": broker.password})
    yield "login by a password", login(broker, auth=(broker.user, broker.password))
    for path in ("definitions", "users", "operator-policies/{vhost}/dialect.p", "policies/{vhost}/dialect.p", "vhost-limits/{vhost}/max-queues"):
        body = {"definitions": {}, "users": {}}.get(path, {"pattern": "^dialect.none$", "definition": {"max-length": 1}, "value": 1000})
        path = "users/dialect.w" if path == "users" else path
        method = "POST" if path == "definitions" else "PUT"
        body = {"password": "p", "tags": ""} if path.startswith("users") else body
        yield f"{method} {path} as text/plain", broker.told(method, path, data=json.dumps(body), headers={"content-type": "text/plain"})
    for path in ("users/dialect.w", "operator-policies/{vhost}/dialect.p", "policies/{vhost}/dialect.p", "vhost-limits/{vhost}/max-queues"):
        broker.http("DELETE", path)


def too_large(broker):
    try:
        return broker.told("PUT", "queues/{vhost}/dialect.q", data=b"{" + b" " * 70_000_000 + b"}", headers={"content-type": "application/json"})
    except requests.RequestException as error:
        return type(error).__name__


def login(broker, **options):
    session = requests.Session()
    response = session.post(broker.url + "login", **options, timeout=10)
    return f"{response.status_code}, cookies {sorted(session.cookies.keys())}"


def node(broker):
    return broker.http("GET", "overview").json()["node"]


def fields(broker):
    """Fields of what is shown."""
    connection = broker.connect()
    channel = connection.channel()
    channel.queue_delete("dialect.q")
    channel.queue_declare("dialect.q", durable=True)
    channel.queue_bind("dialect.q", "amq.direct", "k", {"a": 1})
    channel.basic_consume("dialect.q", lambda *_: None)
    channel.queue_delete("dialect.h")
    channel.queue_declare("dialect.h", durable=True)
    channel.confirm_delivery()
    for _ in range(3):
        channel.basic_publish("", "dialect.h", "m", pika.BasicProperties(timestamp=1000, delivery_mode=2))
    yield "messages of a queue at once", broker.http("GET", "queues/{vhost}/dialect.h").json().get("messages", "absent")
    until = time.monotonic() + 12
    while time.monotonic() < until and broker.http("GET", "queues/{vhost}/dialect.h").json().get("messages") != 3:
        connection.process_data_events(0.2)
    connection.process_data_events(6)
    yield "queue", shown(broker, "queues/{vhost}/dialect.h")
    yield "queue with a consumer", shown(broker, "queues/{vhost}/dialect.q")
    held = broker.http("GET", "queues/{vhost}/dialect.h").json()
    yield "some values of it", {each: held.get(each) for each in ("head_message_timestamp", "memory", "idle_since", "node", "state", "type", "storage_version", "messages_persistent")}
    yield "exchange", shown(broker, "exchanges/{vhost}/amq.direct")
    yield "binding", broker.http("GET", "bindings/{vhost}/e/amq.direct/q/dialect.q").json()
    yield "overview", shown(broker, "overview")
    overview = broker.http("GET", "overview").json()
    yield "versions", {each: value for each, value in overview.items() if "version" in each or "product" in each}
    name = node(broker)
    yield "node", shown(broker, "nodes/" + name)
    yield "node with samples", sorted(set(broker.http("GET", f"nodes/{name}?node_stats_age=60&node_stats_incr=5").json()) - set(broker.http("GET", "nodes/" + name).json()))[:20]
    yield "connection", shown(broker, "connections", 0)
    yield "channel", shown(broker, "channels", 0)
    yield "consumer", shown(broker, "consumers/{vhost}", 0)
    yield "user", shown(broker, "users", 0)
    yield "virtual host", shown(broker, "vhosts/{vhost}")
    yield "whoami", broker.http("GET", "whoami").json()
    yield "extensions", broker.http("GET", "extensions").json()
    yield "feature flags", sorted(each["name"] for each in broker.http("GET", "feature-flags").json())
    broker.run(lambda other: other.queue_declare("dialect.t"))
    yield "deprecated features", [{each: value for each, value in one.items() if each != "desc"} for one in broker.http("GET", "deprecated-features").json()][:2]
    yield "deprecated features used", [each["name"] for each in broker.http("GET", "deprecated-features/used").json()]
    yield "aliveness-test", broker.told("GET", "aliveness-test/{vhost}")
    yield "auth/attempts", broker.http("GET", "auth/attempts/" + name).text[:300]
    connection.close()
    for each in "qht":
        broker.run(lambda other: other.queue_delete("dialect." + each))


def shown(broker, path, index=None):
    got = broker.http("GET", path).json()
    if index is not None:
        got = got[index] if got else {}
    return " ".join(sorted(got))


def users(broker):
    """What users may do, and what becomes of their connections."""
    user(broker)
    connection = connected(broker)
    broker.http("PUT", "users/dialect.u", {"password": "other", "tags": ""})
    yield "connection of a user whose password is changed", ended(connection, 2)
    user(broker)
    connection = connected(broker)
    broker.http("DELETE", "users/dialect.u")
    yield "connection of a user who is deleted", ended(connection)
    user(broker)
    broker.http("PUT", "vhosts/dialect.v")
    broker.http("PUT", "permissions/dialect.v/dialect.u", {"configure": ".*", "write": ".*", "read": ".*"})
    connection = connected(broker, vhost="dialect.v")
    broker.http("DELETE", "vhosts/dialect.v")
    yield "connection of a virtual host that is deleted", ended(connection)

    def refused(case, configure="", write="", read=""):
        broker.http("PUT", "permissions/{vhost}/dialect.u", {"configure": configure, "write": write, "read": read})
        connection = connected(broker)
        channel = connection.channel()
        try:
            return case(channel) and "allowed"
        except pika.exceptions.AMQPError as error:
            return f"{error.reply_code} {error.reply_text}" if hasattr(error, "reply_code") else type(error).__name__
        finally:
            if connection.is_open:
                connection.close()

    queue(broker)
    for rights in ({}, {"configure": ".*"}, {"write": ".*"}, {"read": ".*"}):
        yield f"passive declaration of a queue with {sorted(rights)}", refused(lambda c: c.queue_declare("dialect.q", passive=True), **rights)
    yield "passive declaration of an exchange with none", refused(lambda c: c.exchange_declare("amq.direct", passive=True))

    def changed(channel):
        channel.confirm_delivery()
        channel.basic_publish("amq.fanout", "", "m")
        broker.http("PUT", "permissions/{vhost}/dialect.u", {"configure": "", "write": "", "read": ""})
        channel.basic_publish("amq.fanout", "", "m")
        return "still allowed on the same channel"

    yield "publish after the permission is withdrawn", refused(changed, write=".*")
    for headers in ({}, {"CC": ["secret.a"]}, {"BCC": ["secret.a"]}):
        def published(channel):
            channel.confirm_delivery()
            channel.basic_publish("amq.topic", "open.a", "m", pika.BasicProperties(headers=headers))
            return "allowed"

        broker.http("PUT", "topic-permissions/{vhost}/dialect.u", {"exchange": "amq.topic", "write": "^open", "read": "^{username}"})
        yield f"publish to a topic exchange with {headers}", refused(published, write=".*")
    queue(broker)

    def bound(channel, key):
        return channel.queue_bind("dialect.q", "amq.topic", key)

    for key in ("dialect.u.x", "dialectxu.x"):
        yield f"bind with the key {key} where ^{{username}} may be read", refused(lambda c: bound(c, key), write=".*", read=".*")
    for limit, case in (("max-connections", None), ("max-channels", None)):
        broker.http("PUT", f"user-limits/dialect.u/{limit}", {"value": 0})
        try:
            connected(broker).channel()
            told = "allowed"
        except pika.exceptions.AMQPError as error:
            told = f"{error.reply_code} {error.reply_text}" if hasattr(error, "reply_code") else str(error)
        yield f"{limit} 0 of a user", told
        broker.http("DELETE", f"user-limits/dialect.u/{limit}")
    broker.http("PUT", "vhost-limits/{vhost}/max-queues", {"value": 0})
    yield "max-queues 0 of a virtual host", broker.run(lambda c: c.queue_declare("dialect.new", durable=True))
    broker.http("DELETE", "vhost-limits/{vhost}/max-queues")
    broker.http("PUT", "vhost-limits/{vhost}/max-connections", {"value": 0})
    try:
        broker.connect()
        told = "allowed"
    except pika.exceptions.AMQPError as error:
        told = f"{error.reply_code} {error.reply_text}" if hasattr(error, "reply_code") else str(error)
    yield "max-connections 0 of a virtual host", told
    broker.http("DELETE", "vhost-limits/{vhost}/max-connections")
    user(broker, tags="policymaker")
    for what, path, body in (("operator policy", "operator-policies/{vhost}/dialect.p", {"pattern": "^dialect.none$", "priority": 0, "definition": {"max-length": 1}}),
                             ("operator policy as a parameter", "parameters/operator_policy/{vhost}/dialect.p", {"value": {"pattern": "^dialect.none$", "priority": 0, "definition": {"max-length": 1}}}),
                             ("policy", "policies/{vhost}/dialect.p", {"pattern": "^dialect.none$", "definition": {"max-length": 1}})):
        yield f"a policymaker sets: {what}", as_user(broker, "PUT", path, body)
    for path in ("operator-policies", "policies"):
        broker.http("DELETE", path + "/{vhost}/dialect.p")
    user(broker, tags="management")
    broker.http("PUT", f"user-limits/{broker.user}/max-channels", {"value": 100000})
    session, broker.session.auth = broker.session.auth, ("dialect.u", "p")
    yield "user-limits of all, for a user with the tag management", broker.http("GET", "user-limits").text[:200]
    yield "auth/attempts for that user", broker.told("GET", "auth/attempts/x")
    broker.session.auth = session
    broker.http("DELETE", f"user-limits/{broker.user}/max-channels")
    yield "login of a user without tags", (user(broker), as_user(broker, "GET", "whoami"))[1]
    broker.http("DELETE", "users/dialect.u")


def definitions(broker):
    base = {"rabbit_version": "4.3.6", "rabbitmq_version": "4.3.6"}

    def loaded(**body):
        response = broker.http("POST", "definitions", {**base, **body})
        return f"{response.status_code} {response.text[:250]}".replace("\n", " ")

    vhost = broker.vhost
    good = {"name": "dialect.good", "vhost": vhost, "durable": True, "auto_delete": False, "arguments": {}}
    bad = {**good, "name": "dialect.bad", "arguments": {"x-max-length": "x"}}
    yield "nothing", loaded()
    yield "a bad queue, then a good one", loaded(queues=[bad, good])
    yield "is the good one there", broker.told("GET", "queues/{vhost}/dialect.good")
    broker.http("DELETE", "queues/{vhost}/dialect.good")
    yield "a good queue, then a bad one", loaded(queues=[good, bad])
    yield "is the good one there", broker.told("GET", "queues/{vhost}/dialect.good")
    yield "a queue that exists with another property", loaded(queues=[{**good, "arguments": {"x-max-length": 5}}])
    binding = {"source": "amq.direct", "vhost": vhost, "destination": "dialect.none", "destination_type": "queue", "routing_key": "k", "arguments": {}}
    yield "a binding of a queue that is missing", loaded(bindings=[binding])
    yield "a parameter of an unknown component", loaded(parameters=[{"component": "x", "vhost": vhost, "name": "dialect.p", "value": {}}])
    yield "an exchange of an unknown type", loaded(exchanges=[{"name": "dialect.x", "vhost": vhost, "type": "x", "durable": True, "auto_delete": False, "internal": False, "arguments": {}}])
    yield "a policy that is wrong", loaded(policies=[{"vhost": vhost, "name": "dialect.p", "pattern": "x", "apply-to": "all", "priority": 0, "definition": {"max-length": "x"}}])
    yield "a user without a password", loaded(users=[{"name": "dialect.d", "tags": ""}])
    yield "a virtual host that is missing", loaded(queues=[{**good, "vhost": "dialect.none"}])
    yield "queues that are an object", loaded(queues={"a": 1})
    yield "a list", broker.told("POST", "definitions", [1])
    yield "a form", broker.told("POST", "definitions", files={"file": ("d.json", json.dumps(base), "application/json")})
    yield "keys of an export", sorted(broker.http("GET", "definitions").json())
    yield "keys of an export of a virtual host", sorted(broker.http("GET", "definitions/{vhost}").json())
    broker.http("DELETE", "queues/{vhost}/dialect.good")
    broker.http("DELETE", "users/dialect.d")


def clean(broker):
    for path in ("users/dialect.u", "users/dialect.w", "vhosts/dialect.v", "queues/{vhost}/dialect.q", "queues/{vhost}/dialect.n", "exchanges/{vhost}/dialect.x"):
        broker.http("DELETE", path)


GROUPS = {each.__name__: each for each in (objects, fields, users, definitions)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS, clean)
