"""Declares, publishes with confirms, consumes with prefetch, and lets messages die: with pika."""

import os
import time

import pika
import pika.exceptions

PARAMETERS = pika.ConnectionParameters(
    host=os.environ["AMQP_HOST"],
    port=int(os.environ["AMQP_PORT"]),
    credentials=pika.PlainCredentials("guest", "guest"),
    client_properties={"connection_name": "pika_check"},
)
PREFIX = f"pika-check-{os.getpid()}-"


def check(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"    pika: {what}")


def confirms_and_prefetch(connection):
    queue = PREFIX + "work"
    channel = connection.channel()
    channel.queue_declare(queue, auto_delete=True)
    channel.confirm_delivery()
    for number in range(100):
        channel.basic_publish("", queue, str(number).encode(), mandatory=True)
    try:
        channel.basic_publish("", PREFIX + "nowhere", b"lost", mandatory=True)
        check(False, "an unroutable message is returned")
    except pika.exceptions.UnroutableError:
        check(True, "an unroutable message is returned")

    channel.basic_qos(prefetch_count=5)
    bodies = []
    for method, _, body in channel.consume(queue, inactivity_timeout=5):
        if method is None:
            raise AssertionError(f"no delivery within 5 s after {len(bodies)}")
        bodies.append(int(body))
        channel.basic_ack(method.delivery_tag)
        if len(bodies) == 100:
            break
    channel.cancel()
    check(bodies == list(range(100)), "100 confirmed messages are consumed in order")
    channel.close()


def time_to_live_and_dead_letters(connection):
    channel = connection.channel()
    dead = channel.queue_declare("", exclusive=True).method.queue
    queue = PREFIX + "ttl"
    channel.queue_declare(
        queue,
        arguments={
            "x-message-ttl": 200,
            "x-expires": 60000,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": dead,
        },
    )
    start = time.monotonic()
    channel.basic_publish("", queue, b"mortal", pika.BasicProperties(message_id="one"))
    for method, properties, body in channel.consume(dead, auto_ack=True, inactivity_timeout=5):
        check(method is not None and body == b"mortal", "an expired message is dead-lettered")
        break
    lived = time.monotonic() - start
    death = properties.headers["x-death"][0]
    check(0.199 <= lived < 5, "it lived for its TTL")
    check(properties.message_id == "one", "it kept its properties")
    check(
        (death["queue"], death["reason"], death["count"]) == (queue, "expired", 1),
        "x-death tells what happened",
    )
    channel.cancel()
    channel.queue_delete(queue)
    channel.close()


def channel_errors(connection):
    channel = connection.channel()
    try:
        channel.queue_declare(PREFIX + "absent", passive=True)
        check(False, "a missing queue closes the channel with 404")
    except pika.exceptions.ChannelClosedByBroker as closed:
        check(closed.reply_code == 404, "a missing queue closes the channel with 404")


def main():
    connection = pika.BlockingConnection(PARAMETERS)
    confirms_and_prefetch(connection)
    time_to_live_and_dead_letters(connection)
    channel_errors(connection)
    connection.close()


if __name__ == "__main__":
    main()
