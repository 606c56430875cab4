#!/usr/bin/env python3
"""Prints what a broker answers to AMQP methods: "AMQP methods", "Extensions" and exchange types of docs/compatibility.md.

    src/it/dialects/methods.py --port 5672
    src/it/dialects/methods.py --port 45672 --vhost try channels      RabbitMQ, one group only

It needs pika and requests, and a user who may do anything in the virtual host. Names of what it declares begin with "dialect.".
"""

import time
from datetime import datetime, timezone

import pika

import broker as peer
import queues as queues_of


def call(broker, case):
    """Runs the case; what it returns is told by the name of the method."""
    told = broker.run(case)
    if isinstance(told, pika.frame.Method):
        told = told.method
    return told if isinstance(told, str) else type(told).NAME if hasattr(type(told), "NAME") else str(told)


def rpc(channel, method, *replies, content=None):
    """Sends a method that pika has no call for, or would not send like this. Without replies it returns what the broker makes of the next method."""
    if replies:
        answers = []
        for reply in replies:
            channel._impl.add_callback(lambda frame: answers.append(frame.method), [reply])
        channel._impl._send_method(method)
        while not answers:
            channel.connection.process_data_events(1)
            if not channel.is_open:
                raise channel._closing_reason or channel.connection._impl._error
        return answers[0]
    channel._impl._send_method(method, content)
    channel.queue_declare("dialect.next")
    return "no error"


def queue(channel, name="dialect.q", **options):
    channel.queue_delete(name)
    channel.queue_declare(name, durable=True, **options)
    return name


def exchanges(broker):
    ex = "dialect.x"

    def declare(channel, kind="direct", **options):
        channel.exchange_delete(ex)
        return channel.exchange_declare(ex, kind, **options)

    def again(channel, first, second):
        declare(channel, **first)
        return channel.exchange_declare(ex, **second)

    def bound(channel):
        declare(channel)
        channel.queue_bind(queue(channel), ex, "k")
        return channel.exchange_delete(ex, if_unused=True)

    def internal(channel):
        declare(channel, internal=True)
        channel.basic_publish(ex, "k", "m")
        return channel.queue_declare("dialect.next") and "no error"

    def binds(channel, key="k", arguments=None, kind="direct"):
        declare(channel, kind)
        return channel.queue_bind(queue(channel), ex, key, arguments)

    def returned(channel):
        declare(channel, "fanout")
        got = []
        channel.confirm_delivery()
        try:
            channel.basic_publish(ex, "k", "m", mandatory=True)
        except pika.exceptions.UnroutableError as error:
            got = [(each.method.reply_code, each.method.reply_text) for each in error.messages]
        return str(got)

    def alternate(channel):
        channel.exchange_delete("dialect.y")
        declare(channel, "direct", arguments={"alternate-exchange": "dialect.y"})
        channel.exchange_declare("dialect.y", "fanout")
        channel.queue_bind(queue(channel), "dialect.y")
        channel.basic_publish(ex, "nobody", "m")
        time.sleep(0.2)
        return str(channel.basic_get("dialect.q", auto_ack=True)[2])

    def chain(channel):
        channel.exchange_delete("dialect.y")
        declare(channel, "fanout")
        channel.exchange_declare("dialect.y", "topic")
        channel.exchange_bind("dialect.y", ex)
        channel.exchange_bind(ex, "dialect.y", "#")
        channel.queue_bind(queue(channel), "dialect.y", "a.*")
        channel.basic_publish(ex, "a.b", "m")
        time.sleep(0.2)
        return f"{channel.queue_declare('dialect.q', passive=True).method.message_count} in a cycle of two exchanges"

    def headers(channel, value, sent, match="all"):
        declare(channel, "headers")
        channel.queue_bind(queue(channel), ex, arguments={"x-match": match, "h": value})
        channel.basic_publish(ex, "", "m", pika.BasicProperties(headers={"h": sent}))
        time.sleep(0.2)
        return "matches" if channel.basic_get("dialect.q", auto_ack=True)[0] else "does not match"

    stamp = datetime.fromtimestamp(1000, timezone.utc)
    for what, case in (
            ("exchange.declare", declare), ("exchange.declare, unknown type", lambda c: declare(c, "bogus")),
            ("exchange.declare amq.x", lambda c: c.exchange_declare("amq.x")),
            ("exchange.declare, another type", lambda c: again(c, {"kind": "direct"}, {"exchange_type": "fanout"})),
            ("exchange.declare, durable", lambda c: again(c, {}, {"durable": True})),
            ("exchange.declare, auto-delete", lambda c: again(c, {}, {"auto_delete": True})),
            ("exchange.declare, internal", lambda c: again(c, {}, {"internal": True})),
            ("exchange.declare, another alternate", lambda c: again(c, {}, {"arguments": {"alternate-exchange": "y"}})),
            ("exchange.declare, an unknown argument", lambda c: again(c, {}, {"arguments": {"x-other": 1}})),
            ("exchange.declare, alternate 5", lambda c: declare(c, arguments={"alternate-exchange": 5})),
            ("exchange.declare passive, missing", lambda c: c.exchange_declare("dialect.none", passive=True)),
            ("exchange.declare passive, default", lambda c: rpc(c, pika.spec.Exchange.Declare(exchange="", passive=True), pika.spec.Exchange.DeclareOk)),
            ("exchange.declare, default", lambda c: rpc(c, pika.spec.Exchange.Declare(exchange="", type="direct"), pika.spec.Exchange.DeclareOk)),
            ("exchange.declare, name with a line feed", lambda c: c.exchange_declare("dialect\n.x")),
            ("exchange.delete, missing", lambda c: c.exchange_delete("dialect.none")),
            ("exchange.delete, default", lambda c: rpc(c, pika.spec.Exchange.Delete(exchange=""), pika.spec.Exchange.DeleteOk)),
            ("exchange.delete amq.direct", lambda c: c.exchange_delete("amq.direct")),
            ("exchange.delete if-unused, bound", bound),
            ("exchange.bind, no source", lambda c: c.exchange_bind("amq.direct", "dialect.none")),
            ("exchange.bind, no destination", lambda c: c.exchange_bind("dialect.none", "amq.direct")),
            ("exchange.bind, from default", lambda c: c.exchange_bind("amq.direct", "")),
            ("exchange.unbind, missing", lambda c: c.exchange_unbind("amq.direct", "amq.fanout", "none")),
            ("queue.bind, no exchange", lambda c: c.queue_bind(queue(c), "dialect.none")),
            ("queue.bind, no queue", lambda c: c.queue_bind("dialect.none", "amq.direct")),
            ("queue.bind, default exchange", lambda c: c.queue_bind(queue(c), "")),
            ("queue.unbind, no queue, no exchange", lambda c: c.queue_unbind("dialect.none", "dialect.none")),
            ("queue.unbind, default exchange", lambda c: c.queue_unbind(queue(c), "")),
            ("queue.bind, key of three #", lambda c: binds(c, "#.a.#.#", kind="topic")),
            ("queue.bind, x-match bogus", lambda c: binds(c, arguments={"x-match": "bogus"}, kind="headers")),
            ("queue.bind, x-match 1", lambda c: binds(c, arguments={"x-match": 1}, kind="headers")),
            ("publish to an internal exchange", internal), ("publish to no exchange", lambda c: c.basic_publish("dialect.none", "k", "m") or c.queue_declare("dialect.next")),
            ("mandatory, unroutable", returned), ("alternate exchange", alternate), ("bindings of exchanges", chain),
            ("headers: timestamp bound, same timestamp", lambda c: headers(c, stamp, stamp)),
            ("headers: timestamp bound, integer", lambda c: headers(c, stamp, 1000)),
            ("headers: integer bound, timestamp", lambda c: headers(c, 1000, stamp)),
            ("headers: integer bound, text", lambda c: headers(c, 1, "1")),
            ("headers: void bound, any", lambda c: headers(c, None, "1")),
            ("headers: any-with-x", lambda c: headers(c, 1, 1, "any-with-x"))):
        yield what, call(broker, case)


def types(broker):
    """Exchange types of plugins."""
    ex = "dialect.x"

    def declare(channel, kind, arguments=None):
        channel.exchange_delete(ex)
        channel.exchange_declare(ex, kind, arguments=arguments)

    def bind(channel, key, kind="x-consistent-hash", arguments=None):
        declare(channel, kind, arguments)
        return channel.queue_bind(queue(channel), ex, key)

    def hashed(channel, properties, arguments):
        bind(channel, "1", arguments=arguments)
        channel.basic_publish(ex, "k", "m", properties)
        time.sleep(0.2)
        return "routed" if channel.basic_get("dialect.q", auto_ack=True)[0] else "not routed"

    def history(channel, length, sent=4, **headers):
        declare(channel, "x-recent-history", {"x-recent-history-length": length} if length is not None else None)
        for number in range(sent):
            channel.basic_publish(ex, "", str(number), pika.BasicProperties(headers=headers))
        channel.queue_bind(queue(channel), ex)
        time.sleep(0.2)
        bodies = []
        while (got := channel.basic_get("dialect.q", auto_ack=True))[0]:
            bodies.append(got[2].decode())
        return str(bodies)

    def spread(channel, kind):
        declare(channel, kind)
        names = [queue(channel, "dialect." + each) for each in "abc"]
        for name in names:
            channel.queue_bind(name, ex)
        for number in range(90):
            channel.basic_publish(ex, str(number), "m")
        time.sleep(0.3)
        counts = [channel.queue_declare(name, passive=True).method.message_count for name in names]
        for name in names:
            channel.queue_delete(name)
        return f"{sum(counts)} of 90 in three queues, {sum(each > 0 for each in counts)} have some"

    for kind in ("x-consistent-hash", "x-modulus-hash", "x-random", "x-local-random", "x-recent-history", "x-jms-topic", "x-delayed-message"):
        yield kind, call(broker, lambda c: (declare(c, kind, {"x-delayed-type": "direct"} if "delayed" in kind else None), "declared")[1])
    for kind in ("x-modulus-hash", "x-random", "x-local-random"):
        yield kind, call(broker, lambda c: spread(c, kind))
    for key in ("1", "0", "-1", "x", "10000", "10001", "1.5", ""):
        yield f"x-consistent-hash, weight {key!r}", call(broker, lambda c: bind(c, key))
    for what, arguments in (("hash-header 5", {"hash-header": 5}), ("hash-property bogus", {"hash-property": "bogus"}), ("hash-property 5", {"hash-property": 5}),
                            ("both", {"hash-header": "h", "hash-property": "message_id"})):
        yield "x-consistent-hash, " + what, call(broker, lambda c: (declare(c, "x-consistent-hash", arguments), "declared")[1])
    yield "x-consistent-hash, message without the hash-header", call(broker, lambda c: hashed(c, None, {"hash-header": "h"}))
    yield "x-consistent-hash, message without the hash-property", call(broker, lambda c: hashed(c, None, {"hash-property": "message_id"}))
    yield "x-recent-history, length 2", call(broker, lambda c: history(c, 2))
    yield "x-recent-history, no length, 25 messages", call(broker, lambda c: history(c, None, 25))
    yield "x-recent-history, no-store", call(broker, lambda c: history(c, 2, **{"x-recent-history-no-store": True}))
    yield "x-recent-history, length 0", call(broker, lambda c: history(c, 0))
    yield "x-recent-history, length x", call(broker, lambda c: history(c, "x"))


def queues(broker):
    def again(channel, first=None, second=None, **options):
        queue(channel, arguments=first)
        return channel.queue_declare("dialect.q", **{"durable": True, **options}, arguments=second)

    def locked(channel):
        channel.queue_delete("dialect.q")
        channel.queue_declare("dialect.q", exclusive=True)
        return broker.run(lambda other: other.queue_declare("dialect.q", passive=True))

    def deleted(channel, **options):
        name = queue(channel)
        channel.basic_publish("", name, "m")
        channel.basic_consume(name, lambda *_: None)
        channel.basic_qos(prefetch_count=1)
        return channel.queue_delete(name, **options)

    for what, case in (
            ("queue.declare", lambda c: c.queue_declare("dialect.q", durable=True)), ("queue.declare amq.q", lambda c: c.queue_declare("amq.q")),
            ("queue.declare, not durable, not exclusive", lambda c: c.queue_declare("dialect.next")),
            ("queue.declare, empty name", lambda c: c.queue_declare("", exclusive=True).method.queue[:8]),
            ("queue.declare passive, missing", lambda c: c.queue_declare("dialect.none", passive=True)),
            ("queue.declare, not durable", lambda c: again(c, durable=False)), ("queue.declare, auto-delete", lambda c: again(c, auto_delete=True)),
            ("queue.declare, exclusive", lambda c: again(c, exclusive=True)),
            ("queue.declare, another x-message-ttl", lambda c: again(c, {"x-message-ttl": 1}, {"x-message-ttl": 2})),
            ("queue.declare, without x-message-ttl", lambda c: again(c, {"x-message-ttl": 1})),
            ("queue.declare, with x-message-ttl", lambda c: again(c, None, {"x-message-ttl": 1})),
            ("queue.declare, another x-max-length", lambda c: again(c, {"x-max-length": 1}, {"x-max-length": 2})),
            ("queue.declare, another x-queue-type", lambda c: again(c, {"x-queue-type": "classic"}, {"x-queue-type": "quorum"})),
            ("queue.declare, another unknown argument", lambda c: again(c, {"x-other": 1}, {"x-other": 2})),
            ("queue.declare, another x-consumer-timeout of a quorum queue", lambda c: again(
                c, {"x-queue-type": "quorum", "x-consumer-timeout": 60000}, {"x-queue-type": "quorum", "x-consumer-timeout": 70000})),
            ("queue.declare, without x-consumer-timeout of a quorum queue", lambda c: again(
                c, {"x-queue-type": "quorum", "x-consumer-timeout": 60000}, {"x-queue-type": "quorum"})),
            ("queue.declare, another x-delivery-limit of a quorum queue", lambda c: again(
                c, {"x-queue-type": "quorum", "x-delivery-limit": 6}, {"x-queue-type": "quorum", "x-delivery-limit": 7})),
            ("queue.declare, another x-consumer-disconnected-timeout", lambda c: again(
                c, {"x-queue-type": "quorum", "x-consumer-disconnected-timeout": 60000}, {"x-queue-type": "quorum", "x-consumer-disconnected-timeout": 70000})),
            ("queue.declare, another x-delayed-retry-min", lambda c: again(
                c, {"x-queue-type": "quorum", "x-delayed-retry-min": 60000}, {"x-queue-type": "quorum", "x-delayed-retry-min": 70000})),
            ("queue.declare, another x-single-active-consumer", lambda c: again(c, {"x-single-active-consumer": True}, {"x-single-active-consumer": False})),
            ("queue.declare, x-message-ttl as text", lambda c: queue(c, arguments={"x-message-ttl": "1"})),
            ("queue.declare, x-expires 0", lambda c: queue(c, arguments={"x-expires": 0})),
            ("queue.declare, x-dead-letter-routing-key alone", lambda c: queue(c, arguments={"x-dead-letter-routing-key": "k"})),
            ("queue.declare, exclusive quorum", lambda c: c.queue_declare("dialect.e", durable=True, exclusive=True, arguments={"x-queue-type": "quorum"})),
            ("queue.declare, transient quorum", lambda c: c.queue_declare("dialect.e", arguments={"x-queue-type": "quorum"})),
            ("queue.declare, auto-delete quorum", lambda c: c.queue_declare("dialect.e", durable=True, auto_delete=True, arguments={"x-queue-type": "quorum"})),
            ("queue.declare, exclusive stream", lambda c: c.queue_declare("dialect.e", durable=True, exclusive=True, arguments={"x-queue-type": "stream"})),
            ("a locked queue", locked), ("queue.purge, missing", lambda c: c.queue_purge("dialect.none")),
            ("queue.delete, missing", lambda c: c.queue_delete("dialect.none").method.message_count),
            ("queue.delete if-unused, used", lambda c: deleted(c, if_unused=True)), ("queue.delete if-empty, not empty", lambda c: deleted(c, if_empty=True)),
            ("no name, none declared", lambda c: c.queue_purge(""))):
        yield what, call(broker, case)


OTHER = {  # A second value for what queues.py declares.
    "x-queue-leader-locator": "balanced", "x-queue-master-locator": "min-masters", "x-queue-mode": "default", "x-dead-letter-exchange": "amq.fanout", "x-dead-letter-routing-key": "other",
    "x-max-age": "2h", "x-overflow": "drop-head", "x-dead-letter-strategy": "at-most-once", "x-delayed-retry-type": "failed", "x-single-active-consumer": False, "x-queue-version": 1,
    "x-initial-cluster-size": 3, "x-quorum-initial-group-size": 3, "x-stream-max-segment-size-bytes": 600000, "x-consumer-timeout-action": "cancel", "x-message-ttl-retroactive": False,
    "x-expires-activity": "publish", "x-expires-condition": "unused", "x-expires-action": "drop", "x-delayed-retry-backoff": "constant", "x-delayed-retry-delays": "100,300",
    "x-message-ttl-mode": "queue-only", "x-expiry-mode": "head", "x-max-length-drop": "highest-priority", "x-max-length-scope": "ready", "x-dead-letter-on": "none",
    "x-dead-letter-routing-key-rejected": "other", "x-dead-letter-refused": "wait", "x-dead-letter-queue": "none", "x-dead-letter-headers": "x-death,service-bus",
}


def equivalence(broker):
    """What a declaration with another value of an argument, and one without it, is answered."""
    def again(channel, kind, name, first, second):
        beside = {"x-queue-type": kind, **{"x-dead-letter-routing-key": {"x-dead-letter-exchange": ""}, "x-delayed-retry-type": {"x-delayed-retry-min": 100},
                                           "x-delayed-retry-max": {"x-delayed-retry-min": 100}}.get(name, {})}
        queue(channel, arguments={**beside, **first})
        channel.queue_declare("dialect.q", durable=True, arguments={**beside, **second})
        return "ok"

    for name, value in queues_of.ARGUMENTS.items():
        other = OTHER.get(name, value + 1 if isinstance(value, int) else "other")
        row = {}
        for kind in queues_of.TYPES:
            if broker.run(again, kind, name, {name: value}, {name: value}) == "ok":
                told = [broker.run(again, kind, name, {name: value}, second) for second in ({name: other}, {})]
                row[kind] = " and ".join("taken" if each == "ok" else each[:38] for each in told)
        for told in sorted(set(row.values())):
            yield name, ", ".join(kind for kind in row if row[kind] == told), "another, none: " + told


def channels(broker):
    spec = pika.spec

    def got(channel):
        name = queue(channel)
        channel.basic_publish("", name, "m")
        until = time.monotonic() + 5
        while not (method := channel.basic_get(name)[0]) and time.monotonic() < until:
            time.sleep(0.02)
        return method.delivery_tag

    def twice(channel):
        tag = got(channel)
        channel.basic_ack(tag)
        channel.basic_ack(tag)
        return channel.queue_declare("dialect.next") and "no error"

    def tags(channel):
        name = queue(channel)
        for _ in range(2):
            rpc(channel, spec.Basic.Consume(queue=name, consumer_tag="same"), spec.Basic.ConsumeOk)
        return "no error"

    def tx_then(channel, method, reply):
        channel.tx_select()
        return rpc(channel, method, reply)

    def publish(channel, **properties):
        name = queue(channel)
        channel.basic_publish("", name, "m", pika.BasicProperties(**properties))
        return channel.queue_declare("dialect.next") and "no error"

    def tx_queue(channel, how):
        """A message that is published in a transaction, to a queue that is declared, or deleted and declared, before the commit."""
        channel.queue_delete("dialect.later")
        if how != "declared between":
            channel.queue_declare("dialect.later")
        channel.tx_select()
        channel.basic_publish("", "dialect.later", "m")
        channel.queue_delete("dialect.later")
        if how != "deleted":
            channel.queue_declare("dialect.later")
        channel.tx_commit()
        if how == "deleted":
            return "committed"
        time.sleep(0.3)
        count = channel.queue_delete("dialect.later").method.message_count
        return f"{count} in the queue"

    def ended(channel):
        """basic.cancel by the broker."""
        name = queue(channel)
        ends = []
        channel.add_on_cancel_callback(ends.append)
        channel.basic_consume(name, lambda *_: None)
        broker.run(lambda other: other.queue_delete(name))
        until = time.monotonic() + 3
        while not ends and time.monotonic() < until:
            channel.connection.process_data_events(0.1)
        return "basic.cancel" if ends else "none"

    def exclusive(channel):
        name = queue(channel)
        channel.basic_consume(name, lambda *_: None)
        return broker.run(lambda other: other.basic_consume(name, lambda *_: None, exclusive=True))

    def copies(channel, header):
        first, second = queue(channel, "dialect.a"), queue(channel, "dialect.b")
        channel.basic_publish("", first, "m", pika.BasicProperties(headers={header: [second]}))
        time.sleep(0.3)
        told = []
        for name in (first, second):
            method, properties, _ = channel.basic_get(name, auto_ack=True)
            told.append("nothing" if not method else f"a message with {sorted(properties.headers)}")
            channel.queue_delete(name)
        return "; ".join(told)

    def reply_to(channel):
        replies = []
        channel.basic_consume("amq.rabbitmq.reply-to", lambda *given: replies.append(given[3]), auto_ack=True)
        name = queue(channel)
        channel.basic_publish("", name, "m", pika.BasicProperties(reply_to="amq.rabbitmq.reply-to"))
        time.sleep(0.3)
        other = broker.connect()
        answers = other.channel()
        properties = answers.basic_get(name, auto_ack=True)[1]
        answers.basic_publish("", properties.reply_to, "reply")
        channel.connection.process_data_events(1)
        channel.basic_cancel(channel.consumer_tags[0])
        answers.confirm_delivery()
        try:
            answers.basic_publish("", properties.reply_to, "late", mandatory=True)
            late = "confirmed"
        except pika.exceptions.UnroutableError:
            late = "returned"
        other.close()
        return f"{replies}, one too late with mandatory is {late}"

    for what, case in (
            ("channel.flow true", lambda c: rpc(c, spec.Channel.Flow(active=True), spec.Channel.FlowOk)),
            ("channel.flow false", lambda c: rpc(c, spec.Channel.Flow(active=False), spec.Channel.FlowOk)),
            ("access.request", lambda c: rpc(c, spec.Access.Request(realm="/data"), spec.Access.RequestOk)),
            ("basic.qos, prefetch size", lambda c: c.basic_qos(prefetch_size=1)), ("basic.qos, global", lambda c: c.basic_qos(prefetch_count=1, global_qos=True)),
            ("basic.publish, immediate", lambda c: rpc(c, spec.Basic.Publish(routing_key="x", immediate=True), content=(pika.BasicProperties(), b"m"))),
            ("basic.recover, requeue", lambda c: c.basic_recover(requeue=True)), ("basic.recover, not requeue", lambda c: rpc(c, spec.Basic.Recover(requeue=False), spec.Basic.RecoverOk)),
            ("basic.recover-async", lambda c: rpc(c, spec.Basic.RecoverAsync(requeue=True))),
            ("basic.ack, unknown tag", lambda c: rpc(c, spec.Basic.Ack(delivery_tag=99))), ("basic.ack, tag 0, not multiple", lambda c: rpc(c, spec.Basic.Ack(delivery_tag=0))),
            ("basic.ack, tag 0, multiple, nothing", lambda c: rpc(c, spec.Basic.Ack(delivery_tag=0, multiple=True))),
            ("basic.ack, twice", twice), ("basic.nack, unknown tag", lambda c: rpc(c, spec.Basic.Nack(delivery_tag=99))),
            ("basic.reject, unknown tag", lambda c: rpc(c, spec.Basic.Reject(delivery_tag=99))),
            ("basic.get, missing queue", lambda c: c.basic_get("dialect.none")), ("basic.get, empty queue", lambda c: c.basic_get(queue(c))[0] or "nothing"),
            ("basic.consume, missing queue", lambda c: c.basic_consume("dialect.none", lambda *_: None)),
            ("basic.consume, tag twice", tags), ("basic.consume, exclusive beside another", exclusive),
            ("basic.consume, x-priority as text", lambda c: c.basic_consume(queue(c), lambda *_: None, arguments={"x-priority": "1"})),
            ("basic.consume, x-consumer-timeout -1", lambda c: c.basic_consume(queue(c, arguments={"x-queue-type": "quorum"}), lambda *_: None, arguments={"x-consumer-timeout": -1})),
            ("basic.consume, x-cancel-on-ha-failover", lambda c: c.basic_consume(queue(c), lambda *_: None, arguments={"x-cancel-on-ha-failover": True}) and "accepted"),
            ("basic.consume from a stream, no prefetch", lambda c: c.basic_consume(queue(c, arguments={"x-queue-type": "stream"}), lambda *_: None)),
            ("basic.consume from a stream, no-ack", lambda c: c.basic_qos(prefetch_count=1) and c.basic_consume(queue(c, arguments={"x-queue-type": "stream"}), lambda *_: None, auto_ack=True)),
            ("basic.consume from a stream, offset x", lambda c: c.basic_qos(prefetch_count=1) and c.basic_consume(
                queue(c, arguments={"x-queue-type": "stream"}), lambda *_: None, arguments={"x-stream-offset": "x"})),
            ("basic.get from a stream", lambda c: c.basic_get(queue(c, arguments={"x-queue-type": "stream"}))),
            ("basic.cancel, unknown tag", lambda c: rpc(c, spec.Basic.Cancel(consumer_tag="none"), spec.Basic.CancelOk)),
            ("basic.cancel by the broker", ended),
            ("confirm.select after tx.select", lambda c: tx_then(c, spec.Confirm.Select(), spec.Confirm.SelectOk)),
            ("tx.select after confirm.select", lambda c: c.confirm_delivery() or rpc(c, spec.Tx.Select(), spec.Tx.SelectOk)),
            ("tx.commit without tx.select", lambda c: rpc(c, spec.Tx.Commit(), spec.Tx.CommitOk)), ("tx.rollback without tx.select", lambda c: rpc(c, spec.Tx.Rollback(), spec.Tx.RollbackOk)),
            ("transaction, queue declared between", lambda c: tx_queue(c, "declared between")), ("transaction, queue deleted and declared between", lambda c: tx_queue(c, "both")), ("transaction, queue deleted between", lambda c: tx_queue(c, "deleted")),
            ("user_id of another", lambda c: publish(c, user_id="other")), ("expiration x", lambda c: publish(c, expiration="x")), ("expiration -1", lambda c: publish(c, expiration="-1")),
            ("expiration of ten digits", lambda c: publish(c, expiration="9999999999")), ("expiration of 30 digits", lambda c: publish(c, expiration="9" * 30)),
            ("CC that is no array", lambda c: publish(c, headers={"CC": "x"})), ("CC with a number", lambda c: publish(c, headers={"CC": [1]})),
            ("BCC that is no array", lambda c: publish(c, headers={"BCC": "x"})), ("BCC with a number", lambda c: publish(c, headers={"BCC": [1]})),
            ("CC", lambda c: copies(c, "CC")), ("BCC", lambda c: copies(c, "BCC")),
            ("delivery_mode 5", lambda c: publish(c, delivery_mode=5)), ("priority 255", lambda c: publish(c, priority=255)),
            ("direct reply-to", reply_to),
            ("direct reply-to, no consumer", lambda c: c.basic_publish("", queue(c), "m", pika.BasicProperties(reply_to="amq.rabbitmq.reply-to")) or c.queue_declare("dialect.next")),
            ("direct reply-to, with acknowledgements", lambda c: c.basic_consume("amq.rabbitmq.reply-to", lambda *_: None)),
            ("queue.declare passive amq.rabbitmq.reply-to", lambda c: c.queue_declare("amq.rabbitmq.reply-to", passive=True)),
            ("queue.declare amq.rabbitmq.reply-to", lambda c: c.queue_declare("amq.rabbitmq.reply-to")),
            ("queue.bind amq.rabbitmq.reply-to", lambda c: c.queue_bind("amq.rabbitmq.reply-to", "amq.direct", "k")),
            ("basic.get amq.rabbitmq.reply-to", lambda c: c.basic_get("amq.rabbitmq.reply-to", auto_ack=True)),
            ("queue.delete amq.rabbitmq.reply-to", lambda c: c.queue_delete("amq.rabbitmq.reply-to")),
            ("queue.purge amq.rabbitmq.reply-to", lambda c: c.queue_purge("amq.rabbitmq.reply-to"))):
        yield what, call(broker, case)


def clean(broker):
    for name in ("q", "next", "e", "a", "b", "later"):
        broker.run(lambda channel: channel.queue_delete("dialect." + name))
    for name in "xy":
        broker.run(lambda channel: channel.exchange_delete("dialect." + name))


GROUPS = {each.__name__: each for each in (exchanges, types, queues, equivalence, channels)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS, clean)
