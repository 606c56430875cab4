#!/usr/bin/env python3
"""Measures queues whose messages have priorities beside those whose messages have none, by turns; fails if they are slower than the goal.

    mvn -q -DskipTests package
    src/bench/priorities.py
    src/bench/priorities.py --messages 200000 --backlog 100000 --rounds 3      a trial

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. One publisher and one
consumer; messages are persistent, confirmed and acknowledged. With a backlog as many messages stay in the queue. The rate and the CPU time
of the broker are those of the best round, as a busy machine only makes them worse.
"""

import argparse
import sys

from amqp import Client
from brokers import add_arguments, one_mayfly
from load import Load, compile_generator
from report import Table

GOAL = 0.9
LOAD = "--size 100 --persistent --durable --timeout 600"
QUORUM = "--arg-str x-queue-type=quorum"
# Name, arguments without and with priorities, how many of them.
QUEUES = (("quorum", QUORUM, QUORUM, 32), ("classic", "", "--arg-int x-max-priority=9", 10))


def measure(args, broker, load, name, arguments, priorities, backlog):
    """Figures of one round."""
    queue = f"--queue {name} {arguments} {LOAD}" + (f" --priorities {priorities}" if priorities else "")
    if backlog:
        load.run(broker, f"{queue} --publishers 1 --consumers 0 --confirm 5000 --messages {backlog}")
    figures = load.run(broker, f"{queue} --publishers 1 --consumers 1 --confirm 1000 --ack 50 --prefetch 500 --messages {args.messages}")
    with Client(broker.port) as client:
        client.purge(name)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--backlog", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5, help="that are measured, after one to warm up")
    add_arguments(parser)
    args = parser.parse_args()
    table = Table()
    with one_mayfly(args) as broker:
        load = Load(compile_generator(broker.directory))
        broker.start()
        for backlog in (0, args.backlog):
            for kind, plain, mixed, count in QUEUES:
                rates, cpu = {0: 0, count: 0}, {0: float("inf"), count: float("inf")}
                for number in range(args.rounds + 1):
                    for priorities, arguments in ((0, plain), (count, mixed)):
                        name = f"{kind}-{priorities}-{backlog}"
                        figures = measure(args, broker, load, name, arguments, priorities, backlog)
                        if number > 0:
                            rates[priorities] = max(rates[priorities], figures["received_per_s"])
                            cpu[priorities] = min(cpu[priorities], figures["broker_cpu_us_per_msg"])
                ratio = rates[count] / rates[0]
                what = f"{kind}, {count} priorities, backlog {backlog:,}"
                table.row(what, f"{rates[count]:,.0f}/s of {rates[0]:,.0f}/s: {ratio:.2f}", f">= {GOAL}", ratio >= GOAL)
                table.row("  CPU of the broker", f"{cpu[count]:.2f} us of {cpu[0]:.2f} us a message")
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
