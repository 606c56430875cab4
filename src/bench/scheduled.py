#!/usr/bin/env python3
"""Measures how late scheduled messages arrive, and what memory they take while they wait; fails if a goal is missed.

    mvn -q -DskipTests package
    src/bench/scheduled.py                             a million messages, all of them due within a minute
    src/bench/scheduled.py --kill                      the same with kill -9 before the first is due

It publishes persistent messages through a delayed exchange, in random order of their due times, and a consumer takes them. With
--kill the broker starts anew in between, and is as slow as any Java process at first: lateness has no goal then.

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Needs
Linux, for /proc.
"""

import argparse
import multiprocessing
import random
import select
import struct
import sys
import time

import lateness
from amqp import Client, message, table
from brokers import MIB, add_arguments, one_mayfly
from report import Table

EXCHANGE = "later"
QUEUE = "scheduled"
WARM_UP = "warm-up"
BATCH = 100
WINDOW = 500


def declare(client):
    """Durable queues behind a durable delayed exchange."""
    client.declare_exchange(EXCHANGE, "x-delayed-message", x_delayed_type="direct")
    for queue in (QUEUE, WARM_UP):
        client.declare(queue)
        client.bind(queue, EXCHANGE, queue)
    client.confirm()


def publish(client, args, queue, due_times, confirmed):
    """Publishes messages and waits for their confirms; returns how many there have been on this channel."""
    before = confirmed
    begin = time.monotonic()
    for start in range(0, len(due_times), BATCH):
        time.sleep(max(0, begin + start / args.rate - time.monotonic()))
        frames = []
        now = time.time_ns()
        for number in range(start, min(start + BATCH, len(due_times))):
            delay = max(1, due_times[number] - now // 1_000_000)
            body = lateness.body(number, now + delay * 1_000_000, args.size)
            frames.append(message(EXCHANGE, queue, body, headers=table(x_delay=delay), delivery_mode=2))
        client.socket.sendall(b"".join(frames))
        while before + start + BATCH - confirmed > WINDOW or select.select([client.socket], [], [], 0)[0]:
            confirmed = struct.unpack(">Q", client.expect(60, 80)[:8])[0]
    while confirmed < before + len(due_times):
        confirmed = struct.unpack(">Q", client.expect(60, 80)[:8])[0]
    return confirmed


def measure(args, broker):
    measured = Table()
    broker.start()
    client = Client(broker.port)
    declare(client)
    warm = publish(client, args, WARM_UP, [int(time.time() * 1000) + i // 50 for i in range(50_000)], 0)
    time.sleep(2)
    client.purge(WARM_UP)
    start = time.time()
    first_due = int(start * 1000) + args.lead * 1000
    due_times = [first_due + i * args.seconds * 1_000 // args.messages for i in range(args.messages)]
    random.Random(1).shuffle(due_times)
    publish(client, args, QUEUE, due_times, warm)
    took = time.time() - start
    measured.row("published and confirmed", f"{args.messages / took:,.0f}/s")
    broker.note_peak()
    measured.row("resident at most, publishing", f"{broker.peak_mb:.0f} MB", "< 300 MB", broker.peak_mb < 300)
    measured.row("on disk", f"{sum(broker.disk()) / MIB:,.0f} MiB")
    if args.kill:
        broker.kill()
        measured.row("ready after kill -9", f"{broker.start():.1f} s")
    left = first_due / 1000 - time.time()
    if left < 1:
        sys.exit(f"the first messages were due {-left:.0f} s ago: give a longer --lead")
    results = multiprocessing.Queue()
    consumer = multiprocessing.Process(
        target=lateness.consume, args=(broker.port, QUEUE, args.messages, left + 30, results), daemon=True
    )
    consumer.start()
    late, lost, doubled = results.get()
    consumer.join()
    broker.note_peak()
    p50, p99, most = (lateness.quantile_ms(late, lost, part) for part in (0.5, 0.99, 1))
    early = sum(1 for each in late if each < 0)
    measured.row("due within", f"{args.seconds} s, {args.messages / args.seconds:,.0f}/s")
    measured.row("late, median", f"{p50:.1f} ms")
    measured.row("late, 99 % of them at most", f"{p99:.1f} ms", "" if args.kill else "< 20 ms", args.kill or p99 < 20)
    measured.row("late, at most", f"{most:.1f} ms")
    measured.row("lost, early, doubled", f"{lost}, {early}, {doubled}", "none", lost == early == doubled == 0)
    measured.row("resident at most, altogether", f"{broker.peak_mb:.0f} MB", "< 300 MB", broker.peak_mb < 300)
    return measured.missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, jvm="-Xmx128m")
    parser.add_argument("--kill", action="store_true", help="kill -9 before the first is due")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=100, help="bytes of a body, 16 or more")
    parser.add_argument("--rate", type=int, default=25_000, help="messages a second that are published")
    parser.add_argument("--seconds", type=int, default=60, help="within which all are due")
    parser.add_argument("--lead", type=int, default=60, help="seconds until the first is due")
    args = parser.parse_args()
    with one_mayfly(args) as broker:
        missed = measure(args, broker)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
