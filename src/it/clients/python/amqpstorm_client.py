"""AMQPStorm: a thread-safe client that blocks, in Python."""

import os
import time

import amqpstorm
from amqpstorm import Message, UriConnection

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def declare(channel):
    channel.exchange.declare("orders", "direct", durable=True)
    channel.queue.declare("orders", durable=True)
    channel.queue.bind("orders", "orders", "new")
    with UriConnection(URL) as other:
        try:
            other.channel().queue.declare("orders", durable=False)
            raise AssertionError("the redeclaration was taken")
        except amqpstorm.AMQPChannelError as refused:
            assert refused.error_code == 406, refused
    ok("declare", "a redeclaration that differs is refused")


def confirms(channel):
    channel.confirm_deliveries()
    for number in range(100):
        message = Message.create(channel, str(number), {"delivery_mode": 2})
        assert message.publish("new", "orders", mandatory=True)
    ok("confirms", "100 persistent messages are confirmed")
    try:
        channel.basic.publish("lost", "nowhere", "orders", mandatory=True)
        raise AssertionError("the message was taken")
    except amqpstorm.AMQPMessageError as returned:
        assert returned.error_code == 312, returned
    ok("returns", "a message without a route comes back")


def collect(channel, queue, **options):
    """Consumes into a list, which `process_data_events` fills."""
    messages = []
    channel.basic.consume(messages.append, queue, **options)
    return messages


def await_count(channel, messages, count, seconds=5):
    deadline = time.monotonic() + seconds
    while len(messages) < count:
        assert time.monotonic() < deadline, f"{len(messages)} of {count} messages came"
        channel.process_data_events()
        time.sleep(0.005)


def prefetch(connection):
    with connection.channel() as channel:
        channel.basic.qos(10)
        held = collect(channel, "orders")
        await_count(channel, held, 10)
        time.sleep(0.2)
        channel.process_data_events()
        assert len(held) == 10, "more than the prefetch count"
        channel.basic.ack(held[-1].delivery_tag, multiple=True)
        for number in range(10, 100):
            await_count(channel, held, number + 1)
            held[number].ack()
        assert [int(message.body) for message in held] == list(range(100))
    ok("prefetch", "10 at a time, and all in order")


def time_to_live(connection):
    with connection.channel() as channel:
        channel.queue.declare("dead", durable=True)
        dead_letters = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
        channel.queue.declare("mortal", durable=True, arguments=dead_letters)
        letters = collect(channel, "dead", no_ack=True)
        start = time.monotonic()
        channel.basic.publish("brief", "mortal", properties={"expiration": "200"})
        await_count(channel, letters, 1)
        lived = time.monotonic() - start
        assert lived >= 0.199, lived
        ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
        [letter] = letters
        death = letter.properties["headers"]["x-death"][0]
        assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
        assert not letter.expiration, "it would die again"
    ok("dead-letter", "x-death tells where and why")


def management():
    """The library's client of the HTTP API, if there is such an API."""
    if "HTTP_URL" not in os.environ:
        return
    from amqpstorm.management import ManagementApi

    credentials, host = os.environ["HTTP_URL"].removeprefix("http://").split("@")
    api = ManagementApi("http://" + host, *credentials.split(":"))
    assert api.queue.get("orders")["durable"]
    api.queue.declare("by-http", durable=True)
    api.basic.publish("posted", "by-http")
    [message] = api.basic.get("by-http", requeue=False)
    assert message.body == "posted", message
    api.queue.delete("by-http")
    ok("management", "its client of the HTTP API declares, publishes and gets")


def restart(channel):
    channel.basic.publish("kept", "orders", properties={"delivery_mode": 2})
    print("restart", flush=True)
    input()
    try:
        channel.basic.get("orders")
        raise AssertionError("the connection outlived its broker")
    except amqpstorm.AMQPError:
        connection = UriConnection(URL)
    message = connection.channel().basic.get("orders", no_ack=True)
    assert message.body == "kept", message
    connection.close()
    ok("restart", "the persistent message is there after the broker's restart")


def main():
    print(f"version {amqpstorm.__version__}", flush=True)
    connection = UriConnection(URL)
    channel = connection.channel()
    declare(channel)
    confirms(channel)
    prefetch(connection)
    time_to_live(connection)
    management()
    restart(channel)


if __name__ == "__main__":
    main()
