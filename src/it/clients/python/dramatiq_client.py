"""dramatiq: background tasks with retries, delays and dead letters, on pika, in Python.

The workers are threads of this program; usually they are of their own: dramatiq dramatiq_client
"""

import os
import queue
import time
from importlib.metadata import version

import dramatiq
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from dramatiq.middleware import CurrentMessage

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")

# Its queues: one by the name, NAME.DQ with what is delayed, NAME.XQ with what has failed for good.
broker = RabbitmqBroker(url=URL, confirm_delivery=True, max_priority=10)
broker.add_middleware(CurrentMessage())
dramatiq.set_broker(broker)
done = queue.Queue()


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


@dramatiq.actor(queue_name="sums")
def add(a, b):
    done.put(a + b)


@dramatiq.actor(queue_name="sums", max_retries=3, min_backoff=100, max_backoff=200)
def flaky():
    retries = CurrentMessage.get_current_message().options.get("retries", 0)
    if retries < 2:
        raise RuntimeError("not yet")
    done.put(retries)


@dramatiq.actor(queue_name="sums", max_retries=0)
def broken():
    raise RuntimeError("never")


@dramatiq.actor(queue_name="sums")
def at():
    done.put(time.monotonic())


def confirms():
    for number in range(100):
        add.send(number, number)
    got = [done.get(timeout=60) for _ in range(100)]
    assert sorted(got) == [2 * number for number in range(100)], got
    ok("confirms", "100 tasks are confirmed, and done")


def retry():
    flaky.send()
    assert done.get(timeout=60) == 2
    ok("retry", "a task succeeds at its third try")


def delay():
    start = time.monotonic()
    at.send_with_options(delay=500)
    waited = done.get(timeout=60) - start
    assert waited >= 0.499, waited
    ok("delay", f"a task ran after {waited * 1000:.0f} ms of 500")


def dead_letters():
    broken.send()
    deadline = time.monotonic() + 20
    while (dead := broker.get_queue_message_counts("sums")[2]) == 0:
        assert time.monotonic() < deadline, "no dead letter came"
        time.sleep(0.05)
    assert dead == 1, dead
    ok("dead-letter", "a task that fails for good is in the dead letter queue")


def restart():
    print("restart", flush=True)
    input()
    # Both the publisher and the workers come back by themselves.
    add.send(20, 22)
    assert done.get(timeout=60) == 42
    ok("restart", "the connections are back, and the workers go on")


def main():
    print(f"version {version('dramatiq')}", flush=True)
    worker = dramatiq.Worker(broker, worker_threads=4, worker_timeout=100)
    worker.start()
    try:
        confirms()
        retry()
        delay()
        dead_letters()
        restart()
    finally:
        worker.stop(timeout=5000)
        broker.close()


if __name__ == "__main__":
    main()
