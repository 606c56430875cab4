"""rabbitpy: objects for queues and exchanges, and one-liners, in Python."""

import os
import threading
import time

import rabbitpy
import rabbitpy.exceptions

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def declare(channel):
    exchange = rabbitpy.DirectExchange(channel, "orders", durable=True)
    exchange.declare()
    queue = rabbitpy.Queue(channel, "orders", durable=True)
    queue.declare()
    queue.bind(exchange, "new")
    try:
        with rabbitpy.Connection(URL) as other, other.channel() as doomed:
            rabbitpy.Queue(doomed, "orders", durable=False).declare()
        raise AssertionError("the redeclaration was taken")
    except rabbitpy.exceptions.AMQPPreconditionFailed:
        ok("declare", "a redeclaration that differs is refused")
    return exchange, queue


def message(channel, body, **properties):
    return rabbitpy.Message(channel, body, {"delivery_mode": 2, **properties})


def confirms(channel, exchange):
    channel.enable_publisher_confirms()
    for number in range(100):
        assert message(channel, str(number)).publish(exchange, "new", mandatory=True)
    ok("confirms", "100 persistent messages are confirmed")
    try:
        message(channel, "lost").publish(exchange, "nowhere", mandatory=True)
        raise AssertionError("the message was taken")
    except rabbitpy.exceptions.MessageReturnedException:
        ok("returns", "a message without a route comes back")


def prefetch(connection):
    with connection.channel() as channel:
        queue = rabbitpy.Queue(channel, "orders", durable=True)
        messages = queue.consume(prefetch=10)
        held = [next(messages) for _ in range(10)]
        with connection.channel() as other:
            ready, _ = rabbitpy.Queue(other, "orders", durable=True).declare(passive=True)
        assert ready == 90, f"{ready} are ready, so more than the prefetch count is delivered"
        held[-1].ack(all_previous=True)
        for _ in range(90):
            held.append(next(messages))
            held[-1].ack()
        queue.stop_consuming()
        assert [int(each.body) for each in held] == list(range(100))
    ok("prefetch", "10 at a time, and all in order")


def time_to_live(connection):
    with connection.channel() as channel:
        dead = rabbitpy.Queue(channel, "dead", durable=True)
        dead.declare()
        # The library leaves out an empty name, so the default exchange cannot be the one.
        graves = rabbitpy.FanoutExchange(channel, "graves", durable=True)
        graves.declare()
        dead.bind(graves)
        mortal = rabbitpy.Queue(channel, "mortal", durable=True, dead_letter_exchange="graves")
        mortal.declare()
        start = time.monotonic()
        message(channel, "brief", expiration="200").publish("", "mortal")
        deadline = start + 5
        while (letter := dead.get(acknowledge=False)) is None:
            assert time.monotonic() < deadline, "no dead letter came"
        lived = time.monotonic() - start
        assert lived >= 0.199, lived
        ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
        [death] = letter.properties["headers"]["x-death"]
        assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
        assert not letter.properties.get("expiration"), "it would die again"
    ok("dead-letter", "x-death tells where and why")


def transaction(connection):
    with connection.channel() as channel:
        queue = rabbitpy.Queue(channel, "books", durable=True)
        queue.declare()
        with rabbitpy.Tx(channel):
            message(channel, "kept").publish("", "books")
        try:
            with rabbitpy.Tx(channel):
                message(channel, "rolled back").publish("", "books")
                raise KeyError("a fault of the program")
        except KeyError:
            pass
        ready, _ = queue.declare(passive=True)
        assert ready == 1, ready
        queue.delete()
    ok("transaction", "a block that fails is rolled back")


def one_liners():
    """Each opens a connection of its own."""
    rabbitpy.create_queue(URL, "simple")
    rabbitpy.publish(URL, "", "simple", "one")
    got = rabbitpy.get(URL, "simple")
    assert got.body == b"one", got.body
    rabbitpy.delete_queue(URL, "simple")
    ok("simple", "a queue is created, filled, read and deleted by one-liners")


def restart(connection, exchange):
    # On a channel of its own: the confirm of a message that was returned is taken for that of the next one.
    with connection.channel() as channel:
        channel.enable_publisher_confirms()
        assert message(channel, "kept").publish(exchange.name, "new", mandatory=True)
    print("restart", flush=True)
    input()
    with rabbitpy.Connection(URL) as connection, connection.channel() as again:
        kept = rabbitpy.Queue(again, "orders", durable=True).get(acknowledge=False)
        assert kept.body == b"kept", kept
    ok("restart", "the persistent message is there after the broker's restart")


def main():
    from importlib.metadata import version

    print(f"version {version('rabbitpy')}", flush=True)
    connection = rabbitpy.Connection(URL)
    channel = connection.channel()
    exchange, _ = declare(channel)
    confirms(channel, exchange)
    prefetch(connection)
    time_to_live(connection)
    transaction(connection)
    one_liners()
    restart(connection, exchange)


if __name__ == "__main__":
    main()
    # The threads of the connection that was lost must not keep the program.
    os._exit(0) if threading.active_count() > 1 else None
