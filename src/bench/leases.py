#!/usr/bin/env python3
"""Measures how late queues with x-expires are deleted, and fails if a goal is missed.

    mvn -q -DskipTests package
    src/bench/leases.py                        1,000 queues whose leases end within two seconds, three rounds

A client hears of each deletion from the event exchange, so the way to the client is in what is measured. It starts a broker of
its own on a free port, with data in a new directory below --directory, which it removes. Needs Linux, for /proc.
"""

import argparse
import random
import re
import socket
import sys
import time

from amqp import Client, short, table
from brokers import add_arguments, one_mayfly
from report import Table

GOAL_MS = 50
NAME = re.compile(rb"lease-(\d+)-(\d+)")


def one_round(port, number, count):
    """Returns the lateness of each deletion in ms, sorted, and how many were early."""
    events = Client(port)
    queue = f"events-{number}"
    events.declare(queue)
    events.bind(queue, "amq.rabbitmq.event", "queue.deleted")
    events.consume(queue)
    due = {}
    with Client(port) as client:
        for each in range(count):
            lease = random.randrange(200, 2_000)
            before = time.monotonic()
            arguments = table(x_expires=lease)
            client.method(1, 50, 10, b"\0\0" + short(f"lease-{number}-{each}") + b"\0" + arguments)
            client.expect(50, 11)
            due[each] = (before + lease / 1e3, time.monotonic() + lease / 1e3)
        late, early = [], 0
        events.socket.settimeout(30)
        buffer = b""
        while due:
            buffer += events.socket.recv(1 << 20)
            now = time.monotonic()
            for of_round, each in NAME.findall(buffer):
                if int(of_round) == number and int(each) in due:
                    earliest, latest = due.pop(int(each))
                    early += now < earliest
                    late.append((now - latest) * 1e3)
            buffer = buffer[-300:]
    events.socket.close()
    return sorted(late), early


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--queues", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    out = Table()
    with one_mayfly(args, ["event_exchange.vhost=/"]) as broker:
        broker.start()
        for number in range(args.rounds):
            try:
                late, early = one_round(broker.port, number, args.queues)
            except socket.timeout:
                sys.exit("not all queues are gone")
            p99 = late[int(0.99 * (len(late) - 1))]
            # The first round makes the broker warm.
            goal = f"< {GOAL_MS} ms" if number else ""
            out.row(f"round {number + 1}: 99 % deleted within", f"{p99:.1f} ms", goal, p99 < GOAL_MS)
            out.row(f"round {number + 1}: the latest, the median", f"{late[-1]:.1f} ms, {late[len(late) // 2]:.1f} ms")
            out.row(f"round {number + 1}: deleted early", f"{early}", "0", early == 0)
    return 1 if out.missed else 0


if __name__ == "__main__":
    sys.exit(main())
