#!/usr/bin/env python3
"""Measures how long messages are under way at half of the most that goes, and the longest stalls while the broker has other
work; fails if a goal is missed that the machine itself keeps.

    mvn -q -DskipTests package && src/bench/latency.py --write
    src/bench/latency.py --scale 0.05 stalls           one of the two parts, quickly

The part "rates" finds the most that goes, and sends half of it: open-loop, which means that each message has its time from
the rate alone, and latency counts from that time, so that a broker which stops for a moment is seen to be late for all that
was due meanwhile. The part "stalls" has a message every millisecond go through a queue of its own, open-loop too, and tells
the worst gap between two deliveries for each kind of other work; in its first row there is none.

Beside each figure stands that of a bare relay, a thread that passes on the same messages from one socket to another: what the
machine adds by itself in the same minute. The part "rates" takes turns with it, and tells the medians of the rounds; the part "stalls" has it
run at the same time.

It starts a broker of its own on a free port, with data in a new directory. Needs Linux and a C compiler.
"""

import argparse
import pathlib
import statistics
import sys
import time

import report
from amqp import Client
from brokers import MIB, ROOT, add_arguments, one_mayfly
from load import Load, compile_generator
from management import put_policy
from rows import MassExpiry

KINDS = {
    "transient": ("--size 1000", "", ""),
    # Unconfirmed messages are not limited when the loop is open: who waits for confirms sends late.
    "persistent, confirmed": (
        "--size 1000 --persistent --durable --ack 100 --prefetch 1000",
        "--confirm 1000",
        "--confirm 1000000",
    ),
}
LATENCY_GOALS_US = {"p50": 150, "p99": 2_000, "p999": 10_000, "max": None}
STALL_GOAL_MS = 20
WAIT_SECONDS = 120


class Rates:
    """Latency at half of the most that goes."""

    def __init__(self, args, broker, load):
        self.args, self.broker, self.load, self.table = args, broker, load, report.Table("bare relay")

    def run(self):
        for number, (kind, (options, closed, opened)) in enumerate(KINDS.items()):
            options += f" --queue rates-{number} --timeout 300"
            messages = max(2000, int(1_000_000 * self.args.scale))
            runs = [self.load.run(self.broker, f"{options} {closed} --messages {messages}") for _ in range(4)]
            most = statistics.median(run["received_per_s"] for run in runs[1:])
            self.table.row(f"{kind}, 1 KB: the most that goes", f"{most:,.0f}/s")
            self.half(int(most / 2), f"{options} {opened}")
        return self.table

    def half(self, rate, options):
        """The first round makes the broker warm, as its code is compiled in the background for as long."""
        open_loop = f"--rate {rate} --messages {max(2000, int(rate * self.args.seconds))}"
        ours, bare = [], []
        for _ in range(1 + self.args.rounds):
            ours.append(self.load.run(self.broker, f"{options} {open_loop}"))
            bare.append(self.load.relay(f"--size 1000 {open_loop}"))
        for what in ("latency", "confirm"):
            if f"{what}_us_p50" in ours[0]:
                self.rows(f"{what if what == 'confirm' else 'delivery'} at {rate:,}/s", what, ours[1:], bare[1:])

    def rows(self, title, what, ours, bare):
        for part, goal in LATENCY_GOALS_US.items():
            value = statistics.median(run[f"{what}_us_{part}"] for run in ours)
            floor = statistics.median(run[f"latency_us_{part}"] for run in bare)
            name = {"p999": "99.9 %", "p99": "99 %", "p50": "median", "max": "most"}[part]
            goal_text = f"< {goal:,} us" if goal else ""
            self.table.row(
                f"{title}, {name}", f"{value:,.0f} us", goal_text, not goal or value < goal, f"{floor:,.0f} us", not goal or floor < goal
            )


class Stalls:
    """The worst gap in a steady stream while something else is done."""

    QUEUES = 10_000
    EXPIRING = 500_000
    ROLLING = "50,000 persistent messages of 1 KB a second, which begin new segments"

    def __init__(self, args, broker, load):
        self.args, self.broker, self.load, self.table = args, broker, load, report.Table("bare relay")

    def run(self):
        self.watch_cold()
        self.watch("nothing", lambda n: time.sleep(2))
        self.watch(self.ROLLING, self.roll)
        self.watch("compaction of segments of which a tenth is needed", self.compact, self.sparse)
        self.watch("500,000 expire into a dead-letter queue", self.expire, self.publish_expiring)
        self.watch("`queue.declare` one by one", self.declare)
        self.watch("`queue.declare` of 10,000 at once", self.declare_at_once)
        self.watch("a policy that changes 10,000 queues", self.change_policy)
        return self.table

    def watch_cold(self):
        """Once, while Java compiles what the first messages need: not a goal, but what a user sees after a start."""
        seconds, gap, floor = self.round(self.roll, 0)
        self.table.row(f"worst gap in the first {seconds:.0f} s of a broker: {self.ROLLING}", f"{gap:.1f} ms", "", True, f"{floor:.1f} ms")

    def watch(self, what, action, prepare=lambda n: None):
        """A row with the worst of all rounds but the first, which makes the broker warm for this work."""
        rounds = [self.round(action, number, prepare) for number in range(1 + self.args.rounds)][1:]
        seconds, gaps, floors = zip(*rounds)
        gap, floor = max(gaps), max(floors)
        title = f"worst gap in {statistics.median(seconds):.1f} s: {what}"
        self.table.row(
            title, f"{gap:.1f} ms", f"< {STALL_GOAL_MS} ms", gap < STALL_GOAL_MS, f"{floor:.1f} ms", floor < STALL_GOAL_MS
        )

    def round(self, action, number, prepare=lambda n: None):
        """How many seconds it took, and the worst gaps in ms, the broker's and the relay's. What is prepared is not watched."""
        prepared = prepare(number)
        with self.load.heartbeat(self.broker) as heartbeat, self.load.relayed_heartbeat() as relay:
            start = time.monotonic()
            action(number if prepared is None else prepared)
            seconds = time.monotonic() - start
            return seconds, heartbeat.stopped()["gap_us_max"] / 1000, relay.stopped()["gap_us_max"] / 1000

    def scaled(self, count):
        return max(1000, int(count * self.args.scale))

    def roll(self, number):
        options = "--queue roll --size 1000 --persistent --durable --confirm 5000 --ack 100 --prefetch 1000"
        self.load.run(self.broker, f"{options} --rate 50000 --messages {self.scaled(500_000)} --timeout 300")

    def sparse(self, number):
        """Messages go to twenty queues in turn."""
        options = f"--queue sparse-{number} --queues 20 --size 1000 --persistent --durable --confirm 5000"
        messages = self.scaled(2_000_000)
        self.load.run(self.broker, f"{options} --consumers 0 --messages {messages} --timeout 300")
        return number, messages

    def compact(self, prepared):
        """All but one of the queues are emptied, so that each segment of one shard keeps some messages that are needed. Ends
        when that shard's log has the bound again that docs/durability.md promises, which it has by compaction only."""
        number, messages = prepared
        bound = 4 * self.broker.segment_bytes() + 2 * messages // 20 * 1100
        queues = [f"sparse-{number}-{each}" for each in range(20)]
        with Client(self.broker.port) as client:
            for queue in queues[1:]:
                client.purge(queue)
            end = time.monotonic() + WAIT_SECONDS
            while max(self.broker.disk()) > bound:
                if time.monotonic() > end:
                    sys.exit(f"a shard has {max(self.broker.disk()) // MIB} MiB, which should be {bound // MIB} at most")
                client.publish(queues[0], b"one more")
                time.sleep(0.01)
            client.delete(*queues)

    def publish_expiring(self, number):
        messages = self.scaled(self.EXPIRING)
        expiry = MassExpiry("", messages)
        return expiry, messages, *expiry.publish(self.broker, self.load, messages, str(number))

    def expire(self, prepared):
        expiry, messages, deadline, dead = prepared
        time.sleep(max(0, deadline - time.time()))
        with Client(self.broker.port) as client:
            expiry.wait_for(client, dead, messages)
            client.purge(dead)

    def declare(self, number):
        self.load.run(self.broker, f"--queue storm-{number} --declares {self.scaled(self.QUEUES)}")

    def declare_at_once(self, number):
        with Client(self.broker.port) as client:
            client.declare_many([f"policed-{number}-{each}" for each in range(self.scaled(self.QUEUES))])

    def change_policy(self, number):
        put_policy(self.broker, "latency", f"^policed-{number}-", {"max-length": 100 + number})


PARTS = {"rates": Rates, "stalls": Stalls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=3, help="of each stall, of which the worst counts beside one more to get warm, and of the open loop, of which the median does")
    parser.add_argument("--seconds", type=float, default=10, help="that a round of the open loop takes")
    parser.add_argument("--scale", type=float, default=1, help="of the numbers of messages and queues; less is a trial")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    add_arguments(parser)
    args = parser.parse_args()
    if set(args.what) - set(PARTS):
        sys.exit(f"there is no part {' '.join(args.what)} but {', '.join(PARTS)}")
    tables = []
    for name in args.what or PARTS:
        with one_mayfly(args) as broker:
            broker.start()
            tables.append(PARTS[name](args, broker, Load(compile_generator(broker.directory))).run())
            print()
    if args.write:
        text = "\n\n".join("\n".join(table.lines) for table in tables)
        report.write_section(args.page, "latency", f"{report.machine(args.scale)}\n\n{text}")
    sys.exit(1 if any(table.missed for table in tables) else 0)


if __name__ == "__main__":
    main()
