#!/usr/bin/env python3
"""Measures fair shares: how long the single message of one value waits behind a flood of another one, and what they cost.

    mvn -q -DskipTests package
    src/bench/fair.py
    src/bench/fair.py --messages 200000 --flood 200000 --rounds 2      a trial

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Messages are persistent,
confirmed and acknowledged; the consumer beside the flood has a prefetch limit of 10. The rate and the CPU time of the broker are those of
the best round, as a busy machine only makes them worse.
"""

import argparse
import sys

from amqp import Client
from brokers import add_arguments, one_mayfly
from load import Load, compile_generator
from report import Table

GOAL_MILLIS = 10
GOAL_RATE = 0.9
SMALL = 500
LOAD = "--size 100 --persistent --durable --timeout 600"
FAIR = "--arg-str x-fair-by=tenant"
TYPES = ("classic", "quorum")


def waits(broker, load, flood, kind):
    """Figures of single messages that are published behind a flood, one in 10 ms; and how many messages came meanwhile."""
    queue = f"flood-{kind}"
    with Client(broker.port) as client:
        client.declare(queue, x_queue_type=kind, x_fair_by="tenant")
        if flood:
            load.run(broker, f"--queue {queue} --no-declare {LOAD} --tenants 1 --publishers 1 --consumers 0 --confirm 5000 --messages {flood}")
        # They have no such header, which is another value.
        single = f"--queue {queue} --no-declare {LOAD} --since-start --rate 100 --prefetch 10 --ack 1 --publishers 1 --consumers 1"
        figures = load.run(broker, f"{single} --messages {SMALL}")
        left = client.purge(queue)
        client.delete(queue)
    return figures, flood - left


def rate(args, broker, load, name, arguments, tenants, backlog):
    """Figures of one round."""
    queue = f"--queue {name} {arguments} {LOAD} --tenants {tenants}"
    if backlog:
        load.run(broker, f"{queue} --publishers 1 --consumers 0 --confirm 5000 --messages {backlog}")
    figures = load.run(broker, f"{queue} --publishers 1 --consumers 1 --confirm 1000 --ack 50 --prefetch 500 --messages {args.messages}")
    with Client(broker.port) as client:
        client.purge(name)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--flood", type=int, default=1_000_000, help="messages of one value, and the backlog of the rates")
    parser.add_argument("--tenants", type=int, default=100, help="values of the header that the rates are measured with")
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after one to warm up")
    add_arguments(parser)
    args = parser.parse_args()
    results = Table()
    with one_mayfly(args) as broker:
        load = Load(compile_generator(broker.directory))
        broker.start()
        for kind in TYPES:
            for flood in (0, args.flood):
                figures, taken = waits(broker, load, flood, kind)
                median, high, most = (figures[f"latency_us_{at}"] / 1000 for at in ("p50", "p99", "max"))
                measured = f"{median:.2f} ms, 99 % {high:.2f} ms, at most {most:.2f} ms"
                if flood:
                    results.row(f"{kind}, single message behind {flood:,}", measured, f"99 % <= {GOAL_MILLIS} ms", high <= GOAL_MILLIS)
                    results.row("  messages that were consumed meanwhile", f"{taken:,}")
                else:
                    results.row(f"{kind}, single message in an empty queue", measured)
        for backlog in (0, args.flood):
            for kind in TYPES:
                arguments = f"--arg-str x-queue-type={kind}"
                rates, cpu = {False: 0, True: 0}, {False: float("inf"), True: float("inf")}
                for number in range(args.rounds + 1):
                    for fair in (False, True):
                        name = f"{kind}-{fair}-{backlog}"
                        figures = rate(args, broker, load, name, f"{arguments} {FAIR if fair else ''}", args.tenants, backlog)
                        if number > 0:
                            rates[fair] = max(rates[fair], figures["received_per_s"])
                            cpu[fair] = min(cpu[fair], figures["broker_cpu_us_per_msg"])
                ratio = rates[True] / rates[False]
                what = f"{kind}, {args.tenants} values, backlog {backlog:,}"
                results.row(what, f"{rates[True]:,.0f}/s of {rates[False]:,.0f}/s: {ratio:.2f}", f">= {GOAL_RATE}", ratio >= GOAL_RATE)
                results.row("  CPU of the broker", f"{cpu[True]:.2f} us of {cpu[False]:.2f} us a message")
    return 1 if results.missed else 0


if __name__ == "__main__":
    sys.exit(main())
