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
import struct
import sys
import threading
import time

from amqp import Client, message, short, table
from brokers import add_arguments, one_mayfly
from load import Load, compile_generator
from report import Table

GOAL_MILLIS = 10
GOAL_RATE = 0.9
SMALL = 500
LOAD = "--size 100 --persistent --durable --timeout 600"
FAIR = "--arg-str x-fair-by=tenant"
TYPES = ("classic", "quorum")


class Consumer(threading.Thread):
    """Takes messages with a prefetch limit of 10, acknowledges each, and notes how long those with a time in them have waited."""

    def __init__(self, port, queue):
        super().__init__(daemon=True)
        self.port, self.queue = port, queue
        self.waits, self.taken, self.ends = [], 0, False

    def run(self):
        with Client(self.port) as client:
            client.method(1, 60, 10, struct.pack(">IHB", 0, 10, 0))
            client.expect(60, 11)
            client.method(1, 60, 20, b"\0\0" + short(self.queue) + short("") + b"\0" + table())
            client.expect(60, 21)
            while not self.ends:
                delivery = client.expect(60, 60)
                tag = struct.unpack(">Q", delivery[1 + delivery[0] :][:8])[0]
                header = client.stream.read(7)
                client.stream.read(struct.unpack(">BHI", header)[2] + 1)
                size = struct.unpack(">BHI", client.stream.read(7))[2]
                body = client.stream.read(size + 1)[:-1]
                if body.startswith(b"small"):
                    self.waits.append(time.monotonic_ns() - int(body[5:]))
                self.taken += 1
                client.method(1, 60, 80, struct.pack(">QB", tag, 0))


def waits(broker, load, flood, kind):
    """How long single messages waited behind a flood, in ms and in order; and how many messages came meanwhile."""
    queue = f"flood-{kind}"
    with Client(broker.port) as client:
        client.declare(queue, x_queue_type=kind, x_fair_by="tenant")
    if flood:
        options = f"--arg-str x-queue-type={kind} {FAIR} {LOAD} --tenants 1 --publishers 1 --consumers 0 --confirm 5000"
        load.run(broker, f"--queue {queue} {options} --messages {flood}")
    consumer = Consumer(broker.port, queue)
    consumer.start()
    with Client(broker.port) as client:
        headers = table(tenant="small")
        for _ in range(SMALL):
            body = b"small%d" % time.monotonic_ns()
            client.socket.sendall(message("", queue, body, headers, delivery_mode=2))
            time.sleep(0.01)
        while len(consumer.waits) < SMALL:
            time.sleep(0.01)
        consumer.ends = True
        client.publish(queue, b"end")
        consumer.join()
        client.delete(queue)
    return sorted(wait / 1e6 for wait in consumer.waits), consumer.taken


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
                found, taken = waits(broker, load, flood, kind)
                median, most = found[len(found) // 2], found[-1]
                measured = f"{median:.2f} ms, 99 % {found[len(found) * 99 // 100]:.2f} ms, at most {most:.2f} ms"
                if flood:
                    results.row(f"{kind}, single message behind {flood:,}", measured, f"<= {GOAL_MILLIS} ms", most <= GOAL_MILLIS)
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
