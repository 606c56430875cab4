#!/usr/bin/env python3
"""Measures how soon those who asked are told that a deadline is over; fails if the goal is missed.

    mvn -q -DskipTests package
    src/bench/deadlines.py                             1,000 deadlines a second for 20 s, told to a reply queue
    src/bench/deadlines.py --direct                    the same, told by direct reply-to
    src/bench/deadlines.py --type quorum               the same for requests in a quorum queue

Persistent requests wait in a durable queue without consumers, and die at the deadlines in their headers, which are not in
the order of the queue. What is measured is what the client sees: from the deadline, which is before the death, to the time
at which the notice has been read.

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Needs
Linux, for /proc.
"""

import argparse
import multiprocessing
import random
import re
import sys
import time

import lateness
from amqp import Client, message, table
from brokers import add_arguments, one_mayfly
from report import Table

QUEUE = "requests"
ANSWERS = "answers"
DIRECT = "amq.rabbitmq.reply-to"

# A notice has the correlation_id of its request: here the deadline in ns, as a short string of 19 digits.
DEADLINE = re.compile(rb"\x13(\d{19})")


def read(client, count, patience, results):
    """Reads so many notices; tells how late each was, in ns. It gives up after so many seconds without any."""
    late = []
    for now, kind, payload in client.frames(patience):
        if kind == 2:
            late.append(now - int(DEADLINE.search(payload)[1]))
            if len(late) == count:
                break
    results.put(late)


def publish(client, args, count, reply_to):
    """Publishes requests whose deadlines are spread evenly, each some time ahead and in no order."""
    chosen = random.Random(1)
    begin_ms = int(time.time() * 1000)
    spread_ms = args.ahead
    for number in range(count):
        due_ms = begin_ms + number * 1000 // args.rate
        time.sleep(max(0, due_ms / 1000 - time.time()))
        deadline = due_ms + spread_ms // 2 + chosen.randrange(spread_ms)
        client.socket.sendall(
            message(
                "",
                QUEUE,
                b"request",
                headers=table(x_deadline=deadline),
                delivery_mode=2,
                correlation_id=str(deadline * 1_000_000),
                reply_to=reply_to,
            )
        )


def told(client, args, count):
    """Has so many requests die; returns how late each notice was."""
    forked = multiprocessing.get_context("fork")
    results = forked.Queue()
    reader = client if args.direct else Client(args.port)
    reader.consume(DIRECT if args.direct else ANSWERS)
    process = forked.Process(target=read, args=(reader, count, 30, results), daemon=True)
    process.start()
    publish(client, args, count, DIRECT if args.direct else ANSWERS)
    late = results.get()
    process.join()
    reader.socket.close()
    return late


def measure(args, broker):
    measured = Table()
    broker.start()
    args.port = broker.port
    with Client(broker.port) as client:
        client.declare(
            QUEUE, x_queue_type=args.type, x_deadline_header="x-deadline", x_deadline_notify="reply-to"
        )
        client.declare(ANSWERS)
    for count in (args.rate * args.warm_up, args.rate * args.seconds):
        late = told(Client(broker.port), args, count)
    never = count - len(late)
    p50, p99, most = (lateness.quantile_ms(late, never, part) for part in (0.5, 0.99, 1))
    measured.row("deadlines", f"{args.rate:,}/s for {args.seconds} s, {args.type}")
    measured.row("told after, median", f"{p50:.1f} ms")
    measured.row("told after, 99 % of them at most", f"{p99:.1f} ms", "< 5 ms", p99 < 5)
    measured.row("told after, at most", f"{most:.1f} ms")
    early = sum(1 for each in late if each < 0)
    measured.row("never told, told too early", f"{never}, {early}", "none", never == early == 0)
    return measured.missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, jvm="-Xmx128m")
    parser.add_argument("--direct", action="store_true", help="tell by direct reply-to")
    parser.add_argument("--type", choices=("classic", "quorum"), default="classic", help="of the queue of requests")
    parser.add_argument("--rate", type=int, default=1000, help="deadlines a second")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=10, help="seconds before that which are not measured")
    parser.add_argument("--ahead", type=int, default=1000, help="ms from a request to its deadline, in the mean")
    args = parser.parse_args()
    with one_mayfly(args) as broker:
        missed = measure(args, broker)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
