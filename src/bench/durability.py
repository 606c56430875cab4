#!/usr/bin/env python3
"""Measures what durability promises about time, memory and disk, and fails if a goal is missed.

    mvn -q -DskipTests package
    src/bench/durability.py backlog                    10 million messages, kill -9, recovery, all of them out again
    src/bench/durability.py churn --gigabytes 50       through a queue that stays short, beside a message that stays

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Needs
Linux, for /proc. See the functions for the goals.
"""

import argparse
import sys
import threading
import time

from amqp import Client
from brokers import MIB, add_arguments, one_mayfly
from load import Load, compile_generator
from report import Table

SEGMENT = 64 * MIB


def backlog(args, broker, load):
    """A backlog far larger than the heap: recovered within 10 s, resident memory below 900 MB throughout, all of it there."""
    table = Table()
    broker.start()
    seconds = args.messages // 20_000 + 60
    options = f"--queue backlog --messages {args.messages} --size {args.size} --durable --timeout {seconds}"
    figures = load.run(broker, options + " --publishers 1 --consumers 0 --persistent --confirm 5000")
    table.row("published and confirmed", f"{figures['confirmed_per_s']:,.0f}/s", "all", figures["nacked"] == 0)
    broker.note_peak()
    table.row("resident at most, publishing", f"{broker.peak_mb:.0f} MB", "< 900 MB", broker.peak_mb < 900)
    broker.kill()
    table.row("on disk", f"{sum(broker.disk()) / MIB:,.0f} MiB")
    ready = broker.start()
    table.row("ready after kill -9", f"{ready:.1f} s", "<= 10 s", ready <= 10)
    start = time.monotonic()
    count = Client(broker.port).declare("backlog", passive=True)
    table.row("the queue tells its length", f"{time.monotonic() - start:.2f} s later")
    table.row("messages recovered", f"{count:,}", f"{args.messages:,}", count == args.messages)
    if count != args.messages:
        return table.missed
    figures = load.run(broker, options + " --publishers 0 --consumers 1 --no-declare --ack 100 --prefetch 1000")
    drained = int(figures["received"])
    table.row("drained", f"{figures['received_per_s']:,.0f}/s", f"{args.messages:,}", drained == args.messages)
    left = Client(broker.port).declare("backlog", passive=True)
    table.row("left in the queue", f"{left:,}", "0", left == 0)
    broker.note_peak()
    table.row("resident at most, altogether", f"{broker.peak_mb:.0f} MB", "< 900 MB", broker.peak_mb < 900)
    return table.missed


def churn(args, broker, load):
    """Many bytes through a short queue, beside messages that stay: each shard's disk stays below four segments and twice the
    live bytes. One message stays in the queue itself, unacknowledged, and one in another queue."""
    table = Table()
    broker.start()
    holder = Client(broker.port)
    for queue in ("churn", "beside"):
        holder.declare(queue)
        holder.publish(queue, b"stays")
    holder.take("churn")
    messages = int(args.gigabytes * 1e9 / args.size)
    bound = 4 * SEGMENT + 2 * args.live * (args.size + 100)
    samples = []
    done = threading.Event()

    def sample():
        while not done.wait(1):
            samples.append(max(broker.disk()))

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        # What is delivered and not acknowledged yet is live too: at most 100 here.
        options = f"--queue churn --messages {messages} --size {args.size} --live {args.live - 100} --timeout 36000"
        options += " --persistent --no-declare --confirm 5000 --ack 100 --prefetch 1000"
        figures = load.run(broker, options)
    finally:
        done.set()
        sampler.join()
    samples.append(max(broker.disk()))
    broker.note_peak()
    table.row("through the queue", f"{messages:,} of {args.size} B, {figures['received_per_s']:,.0f}/s")
    table.row("disk of a shard, median", f"{sorted(samples)[len(samples) // 2] / MIB:.0f} MiB")
    table.row(
        f"disk of a shard, largest of {len(samples)} samples",
        f"{max(samples) / MIB:.0f} MiB",
        f"< {bound / MIB:.0f} MiB",
        max(samples) < bound,
    )
    table.row("resident at most", f"{broker.peak_mb:.0f} MB")
    broker.kill()
    broker.start()
    client = Client(broker.port)
    left = [client.declare(queue, passive=True) for queue in ("churn", "beside")]
    # The last acknowledgements may have been under way when the broker was killed.
    met = 1 <= left[0] <= 1101 and left[1] == 1
    table.row("messages after kill -9", f"{left[0]} and {left[1]}", "those that stay", met)
    return table.missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, jvm="-Xmx512m")
    parser.add_argument("--load", help="the compiled amqpload.c, instead of compiling it")
    commands = parser.add_subparsers(required=True, metavar="backlog|churn")
    command = commands.add_parser("backlog", help=backlog.__doc__)
    command.set_defaults(run=backlog)
    command.add_argument("--messages", type=int, default=10_000_000)
    command.add_argument("--size", type=int, default=100, help="bytes of a body")
    command = commands.add_parser("churn", help=churn.__doc__)
    command.set_defaults(run=churn)
    command.add_argument("--gigabytes", type=float, default=2)
    command.add_argument("--live", type=int, default=10_000, help="messages in the queue at most")
    command.add_argument("--size", type=int, default=1000, help="bytes of a body")
    args = parser.parse_args()
    with one_mayfly(args) as broker:
        missed = args.run(args, broker, Load(args.load or compile_generator(broker.directory)))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
