"""kombu: the messaging library beneath Celery, in Python."""

import os
import time

import amqp.exceptions
import kombu
from kombu import Connection, Consumer, Exchange, Queue
from kombu.mixins import ConsumerMixin

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")
ORDERS = Queue("orders", Exchange("orders", "direct", durable=True), "new", durable=True)


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def drain(connection, done, seconds=5):
    """Handles what comes in until `done` says so."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        try:
            connection.drain_events(timeout=0.2)
        except TimeoutError:
            pass
    return True


def declare(connection):
    ORDERS(connection).declare()
    with Connection(URL) as other:
        try:
            Queue("orders", durable=False)(other).queue_declare()
        except amqp.exceptions.PreconditionFailed:
            ok("declare", "a redeclaration that differs is refused")


def confirms(connection):
    # With the transport option confirm_publish each publish waits for its confirm.
    producer = connection.Producer()
    for number in range(100):
        producer.publish(number, exchange=ORDERS.exchange, routing_key="new", delivery_mode=2)
    ok("confirms", "100 persistent messages are confirmed")
    returned = []
    producer = connection.Producer(on_return=lambda *arguments: returned.append(arguments))
    producer.publish("lost", exchange=ORDERS.exchange, routing_key="nowhere", mandatory=True)
    assert drain(connection, lambda: returned), "nothing came back"
    ok("returns", "a message without a route comes back")


def prefetch(connection):
    held = []
    with Consumer(connection, ORDERS, on_message=held.append, prefetch_count=10):
        assert not drain(connection, lambda: len(held) > 10, 0.5), "more than the prefetch count"
        assert len(held) == 10, len(held)
        taken = 0
        while taken < 100:
            assert drain(connection, lambda: len(held) > taken), f"only {taken} came"
            held[taken].ack()
            taken += 1
    assert [message.decode() for message in held] == list(range(100))
    ok("prefetch", "10 at a time, and all in order")


def time_to_live(connection):
    dead = Queue("dead", routing_key="dead")(connection)
    dead.declare()
    Queue(
        "mortal",
        queue_arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"},
    )(connection).declare()
    start = time.monotonic()
    # Seconds here; the library makes the milliseconds of AMQP out of them.
    connection.Producer().publish("brief", routing_key="mortal", expiration=0.2)
    died = []
    with Consumer(connection, dead, on_message=died.append, no_ack=True):
        assert drain(connection, lambda: died), "no dead letter came"
    lived = time.monotonic() - start
    [message] = died
    assert message.decode() == "brief"
    assert lived >= 0.199, lived
    ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
    death = message.headers["x-death"][0]
    assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
    assert death["original-expiration"] == "200", death
    assert "expiration" not in message.properties, "it would die again"
    ok("dead-letter", "x-death tells where and why")


def simple_queue(connection):
    """The library's queue for when nothing but put and get is wanted."""
    with connection.SimpleQueue("simple", queue_opts={"max_length": 2}) as queue:
        for number in range(3):
            queue.put({"number": number})
        kept = []
        for _ in range(2):
            message = queue.get(timeout=60)
            kept.append(message.payload["number"])
            message.ack()
        assert kept == [1, 2], kept
    ok("simple-queue", "put and get, and its max_length drops the oldest")


class Worker(ConsumerMixin):
    """Consumes for ever; the mixin connects again, declares and consumes after a loss."""

    def __init__(self, connection):
        self.connection = connection
        self.bodies = []

    def get_consumers(self, consumer, channel):
        return [consumer(ORDERS, on_message=self.take)]

    def take(self, message):
        self.bodies.append(message.decode())
        message.ack()
        if self.bodies == ["before"]:
            print("restart", flush=True)
            input()
            with Connection(URL) as other:
                other.Producer().publish("after", exchange=ORDERS.exchange, routing_key="new")
        self.should_stop = "after" in self.bodies


def restart(connection):
    connection.Producer().publish(
        "before", exchange=ORDERS.exchange, routing_key="new", delivery_mode=2
    )
    worker = Worker(connection.clone())
    worker.run()
    ok("restart", "the worker is back after the broker's restart")


def main():
    print(f"version {kombu.__version__}", flush=True)
    with Connection(URL, transport_options={"confirm_publish": True}) as connection:
        declare(connection)
        confirms(connection)
        prefetch(connection)
        time_to_live(connection)
        simple_queue(connection)
        restart(connection)


if __name__ == "__main__":
    main()
