"""pika: blocking connections, in Python."""

import os
import time

import pika
import pika.exceptions

PARAMETERS = pika.URLParameters(os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f"))


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def declare(channel):
    channel.exchange_declare("orders", "direct", durable=True)
    channel.queue_declare("orders", durable=True)
    channel.queue_bind("orders", "orders", "new")
    try:
        pika.BlockingConnection(PARAMETERS).channel().queue_declare("orders", durable=False)
    except pika.exceptions.ChannelClosedByBroker as closed:
        assert closed.reply_code == 406, closed
        ok("declare", "a redeclaration that differs is refused")


def confirms(channel):
    channel.confirm_delivery()
    persistent = pika.BasicProperties(delivery_mode=pika.DeliveryMode.Persistent)
    for number in range(100):
        channel.basic_publish("orders", "new", str(number).encode(), persistent, mandatory=True)
    ok("confirms", "100 persistent messages are confirmed")
    try:
        channel.basic_publish("orders", "nowhere", b"lost", mandatory=True)
    except pika.exceptions.UnroutableError:
        ok("returns", "a message without a route comes back")


def prefetch(channel):
    channel.basic_qos(prefetch_count=10)
    # Nothing is acknowledged at first, so no more than the prefetch count comes.
    consumer = channel.consume("orders", inactivity_timeout=0.5)
    held = [next(consumer) for _ in range(10)]
    assert next(consumer) == (None, None, None), "more than the prefetch count"
    channel.basic_ack(held[-1][0].delivery_tag, multiple=True)
    bodies = [int(body) for _, _, body in held]
    while len(bodies) < 100:
        method, _, body = next(consumer)
        bodies.append(int(body))
        channel.basic_ack(method.delivery_tag)
    channel.cancel()
    assert bodies == list(range(100)), bodies
    ok("prefetch", "10 at a time, and all in order")


def time_to_live(channel):
    channel.queue_declare("dead", durable=True)
    dead_letters = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
    channel.queue_declare("mortal", durable=True, arguments=dead_letters)
    start = time.monotonic()
    channel.basic_publish("", "mortal", b"brief", pika.BasicProperties(expiration="200"))
    _, properties, body = next(channel.consume("dead", auto_ack=True, inactivity_timeout=60))
    lived = time.monotonic() - start
    channel.cancel()
    assert body == b"brief", "no dead letter came"
    assert lived >= 0.199, lived
    ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
    death = properties.headers["x-death"][0]
    assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
    assert death["original-expiration"] == "200", death
    assert properties.expiration is None, "it would die again"
    ok("dead-letter", "x-death tells where and why")


def reply_to(channel):
    """Direct reply-to: the answer comes without a queue of its own."""
    answers = []
    channel.basic_consume(
        "amq.rabbitmq.reply-to",
        lambda _channel, _method, properties, body: answers.append((properties, body)),
        auto_ack=True,
    )
    question = pika.BasicProperties(reply_to="amq.rabbitmq.reply-to", correlation_id="1")
    channel.basic_publish("orders", "new", b"ping", question)
    _, asked, body = channel.basic_get("orders", auto_ack=True)
    channel.basic_publish(
        "", asked.reply_to, b"pong", pika.BasicProperties(correlation_id=asked.correlation_id)
    )
    deadline = time.monotonic() + 5
    while not answers and time.monotonic() < deadline:
        channel.connection.process_data_events(0.1)
    [(properties, body)] = answers
    assert (properties.correlation_id, body) == ("1", b"pong")
    ok("reply-to", "a question is answered through amq.rabbitmq.reply-to")


def secret(connection):
    """Renews the credentials of an open connection, as a program does whose token expires."""
    connection.update_secret("renewed", "the old one expires")
    connection.channel().queue_declare("orders", passive=True)
    ok("secret", "the connection goes on with a new secret")


def restart(connection, channel):
    channel.basic_publish(
        "orders", "new", b"kept", pika.BasicProperties(delivery_mode=pika.DeliveryMode.Persistent)
    )
    print("restart", flush=True)
    input()
    # pika does not reconnect by itself: notice the end, and connect again.
    try:
        channel.basic_get("orders")
        raise AssertionError("the connection outlived its broker")
    except pika.exceptions.AMQPConnectionError:
        connection = pika.BlockingConnection(PARAMETERS)
    channel = connection.channel()
    _, _, body = channel.basic_get("orders", auto_ack=True)
    assert body == b"kept", body
    ok("restart", "the persistent message is there after the broker's restart")
    return connection


def main():
    print(f"version {pika.__version__}", flush=True)
    connection = pika.BlockingConnection(PARAMETERS)
    channel = connection.channel()
    declare(channel)
    confirms(channel)
    prefetch(channel)
    time_to_live(channel)
    reply_to(connection.channel())
    secret(connection)
    connection = restart(connection, channel)
    connection.close()


if __name__ == "__main__":
    main()
