"""Celery: tasks with retry, eta, expiry, dead letters and a chord, in Python.

The program starts the workers itself; usually they are of their own:

    celery -A celery_client:app worker -Q tasks
"""

import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

import celery
import kombu.pools
from celery import Celery, chord
from celery.exceptions import Reject
from kombu import Connection, Exchange, Queue

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")
DEAD_LETTERS = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}


def application(name, backend, queue_type="classic"):
    made = Celery("celery_client", broker=URL, backend=backend)
    made.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options={"confirm_publish": True},
        result_expires=60,
        task_acks_late=True,
        task_default_queue=name,
        # No worker consumes the second queue, so tasks there can only expire.
        task_queues=[
            Queue(
                queue, Exchange(queue), queue, queue_arguments={"x-queue-type": kind, **DEAD_LETTERS}
            )
            for queue, kind in ((name, queue_type), ("idle", "classic"))
        ],
        worker_prefetch_multiplier=1,
    )
    return made


# Results come back through a queue of the caller's.
app = application("tasks", "rpc://")
# Chords need results that a worker can look up, which that backend has not.
RESULTS = os.environ.setdefault("CELERY_RESULTS", tempfile.mkdtemp() + "/results.sqlite")
# With a quorum queue Celery delays tasks in the broker: through 28 queues, whose TTLs are powers of two,
# and which dead-letter to one another.
chords = application("chords", "db+sqlite:///" + RESULTS, "quorum")


@app.task(bind=True, max_retries=3)
def flaky(self):
    if self.request.retries < 2:
        raise self.retry(countdown=0.2)
    return self.request.retries


@app.task
def now():
    return time.time()


@app.task
def refuse():
    raise Reject("never", requeue=False)


@chords.task
def square(number):
    return number * number


@chords.task
def ran_at():
    return time.time()


@chords.task
def total(numbers):
    return sum(numbers)


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


def start_worker(name, queue):
    options = ("-Q", queue, "-P", "threads", "-c", "2", "-l", "ERROR", "-n", f"{queue}@localhost")
    command = [sys.executable, "-m", "celery", "-A", f"celery_client:{name}", "worker", *options]
    return subprocess.Popen(command, stdout=sys.stderr, stdin=subprocess.DEVNULL)


def await_workers(app, count, seconds=40):
    """Remote control: a broadcast, and the workers' answers."""
    deadline = time.monotonic() + seconds
    while len(app.control.ping(timeout=0.5)) < count:
        assert time.monotonic() < deadline, f"there are no {count} workers"
    ok("control", f"{count} workers answer a ping")


def next_dead_letter(connection):
    with connection.SimpleQueue(Queue("dead", routing_key="dead")) as queue:
        message = queue.get(timeout=60)
        message.ack()
        return message


def tasks(connection):
    assert flaky.delay().get(timeout=60) == 2
    ok("retry", "a task succeeds at its third try, and its result comes by rpc")

    eta = datetime.now(timezone.utc) + timedelta(seconds=1)
    assert now.apply_async(eta=eta).get(timeout=60) >= eta.timestamp()
    ok("eta", "a task runs at its time")

    refuse.delay()
    death = next_dead_letter(connection).headers["x-death"][0]
    assert (death["queue"], death["reason"], death["count"]) == ("tasks", "rejected", 1), death
    ok("dead-letter", "a rejected task is in the dead letter queue")

    start = time.monotonic()
    now.apply_async(queue="idle", expiration=0.2)
    death = next_dead_letter(connection).headers["x-death"][0]
    lived = time.monotonic() - start
    assert (death["queue"], death["reason"]) == ("idle", "expired"), death
    assert lived >= 0.199, lived
    ok("ttl", f"a task without a worker lived for {lived * 1000:.0f} ms of 200")

    asked = time.time()
    delayed = ran_at.apply_async(countdown=3)
    with Connection(URL).channel() as channel:
        # Of the bits of three seconds the second one is waited out first.
        channel.queue_declare("celery_delayed_1", passive=True)
    assert delayed.get(timeout=60) - asked >= 2.999
    ok("delayed-delivery", "a task waits in the broker for its three seconds")

    result = chord(square.s(number) for number in range(10))(total.s())
    assert result.get(timeout=60) == 285
    ok("chord", "a task runs when ten others are done")


def restart():
    print("restart", flush=True)
    input()
    # The workers connect again by themselves. Here the pooled connections are gone, and with them the
    # queue for results: a caller begins anew.
    kombu.pools.reset()
    caller = application("tasks", "rpc://")
    await_workers(caller, 2)
    result = caller.send_task("celery_client.now")
    assert result.get(timeout=60)
    ok("restart", "the workers go on after the broker's restart")


def main():
    print(f"version {celery.__version__}", flush=True)
    workers = [start_worker("app", "tasks"), start_worker("chords", "chords")]
    try:
        with Connection(URL) as connection:
            Queue("dead", routing_key="dead")(connection).declare()
            await_workers(app, 2)
            tasks(connection)
        restart()
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(20)


if __name__ == "__main__":
    main()
