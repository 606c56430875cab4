#!/usr/bin/env python3
"""Measures quorum queues of three nodes: those of MayflyMQ beside those of an installed RabbitMQ, by turns in the same run.

    mvn -q -DskipTests package && src/bench/quorum.py --write
    src/bench/quorum.py --scale 0.2 --only MayflyMQ rates         one part, quickly

The parts are rates (with latencies), outages and lag (a node that catches up, and many idle queues; MayflyMQ only). Each
broker has three nodes on loopback, on free ports, with data in a new directory. Prints tables; --write puts them into
docs/benchmarks.md. Needs Linux, a C compiler and rabbitmq-server. All parts take about 13 minutes.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import statistics
import sys
import time

import lag
import outages
import report
from amqp import Client
from brokers import ROOT, add_arguments, add_rabbitmq_root, scratch, train
from load import Load, compile_generator
from replicas import MayflyCluster, RabbitCluster

PARTS = ("rates", "outages", "lag")
RATE = "--size 1000 --confirm 1000 --persistent --durable --ack 50 --prefetch 500 --timeout 300"
MANY = 100_000_000

RATE_GOAL_TIMES = 6
RATE_GOAL = 100_000
CPU_GOAL_US = 17
LATENCY_GOALS_MS = (1.5, 8)
DELIVERY_GOAL_SHARE = 0.5
DELIVERY_GOAL_MS = 30
PLACES = ("clients on the leader's node", "clients on another node")


@dataclasses.dataclass
class Place:
    """What was measured with the clients on one of the nodes, in each round: the rate, CPU time of all nodes per message, waits for
    a delivery at that rate in ms (median, 99 %), resident memory of each node in MB at its end; and latencies at half of it in ms."""

    rates: list = dataclasses.field(default_factory=list)
    cpu_us: list = dataclasses.field(default_factory=list)
    waits: list = dataclasses.field(default_factory=list)
    memory: list = dataclasses.field(default_factory=list)
    latency: dict = dataclasses.field(default_factory=dict)

    @property
    def rate(self):
        return statistics.median(self.rates)

    @property
    def half(self):
        return int(self.rate / 2)

    @property
    def wait(self):
        return medians(self.waits)

    @property
    def resident(self):
        return medians(self.memory)

    def cost(self):
        return f"{self.rate:,.0f}/s, {statistics.median(self.cpu_us):.1f} us"


@dataclasses.dataclass
class Measured:
    """What a broker has done in the rounds so far."""

    places: dict = dataclasses.field(default_factory=lambda: {name: Place() for name in PLACES})
    outages: dict = dataclasses.field(default_factory=dict)


class Comparison:
    """Rounds of all brokers, by turns; the first ones warm up, until Java has compiled what they do."""

    SECONDS = 8
    LATENCY_SECONDS = 8
    WARM_UP = 2

    def __init__(self, args, directory, load):
        self.args, self.directory, self.load = args, directory, load
        self.measured = {}

    def run(self):
        """Returns the tables."""
        tables = []
        with contextlib.ExitStack() as running:
            clusters = []
            if self.args.only in (None, "MayflyMQ"):
                clusters.append(running.enter_context(MayflyCluster(self.args, self.directory / "mayfly")))
            if self.args.only in (None, "RabbitMQ"):
                clusters.append(running.enter_context(RabbitCluster(self.directory / "rabbit", self.args.rabbitmq_root)))
            self.measured = {cluster.name: Measured() for cluster in clusters}
            if "rates" in self.args.parts:
                self.rates(clusters)
                tables.append(self.rates_table())
            if "outages" in self.args.parts:
                measure = outages.Outages(self.args, self.load, RATE)
                for cluster in clusters:
                    self.measured[cluster.name].outages = measure.measure(cluster)
                tables.append(self.outages_table())
        return tables

    def rates(self, clusters):
        """Queues take the partitions of a node by turns: a further one in each round gives each place all of them."""
        for number in range(-self.WARM_UP, self.args.rounds):
            for cluster in clusters:
                self.round(cluster, number)
        for cluster in clusters:
            for clients, place in zip(cluster.nodes, PLACES):
                self.latency(cluster, clients, place)

    def round(self, cluster, number):
        measured = self.measured[cluster.name] if number >= 0 else Measured()
        seconds = self.SECONDS if number >= 0 else cluster.WARM_UP_SECONDS
        for clients, name in zip(cluster.nodes, PLACES):
            place = measured.places[name]
            self.traffic(cluster, clients, seconds * self.args.scale, place)
            told(
                f"{cluster.name}, round {number}, {name}: {place.rates[-1]:,.0f}/s, {place.cpu_us[-1]:.1f} us,"
                f" deliveries {milliseconds(place.waits[-1])}, {megabytes(place.memory[-1])}"
            )
        with self.queue(cluster):
            pass

    def traffic(self, cluster, clients, seconds, place):
        """Adds what was measured for a queue that the first node leads to a place."""
        with self.queue(cluster) as options:
            before = cluster.cpu_seconds()
            with self.load.start(clients, f"{options} --messages {MANY}") as running:
                time.sleep(seconds)
                place.memory.append([node.resident_mb() for node in cluster.nodes])
                figures = running.stopped()
            place.cpu_us.append((cluster.cpu_seconds() - before) * 1e6 / figures["received"])
        place.rates.append(figures["received_per_s"])
        place.waits.append([figures[f"latency_us_{part}"] / 1000 for part in ("p50", "p99")])

    @contextlib.contextmanager
    def queue(self, cluster):
        """A queue for one round; gives the options for it."""
        first = cluster.nodes[0]
        cluster.declare("measured", first)
        yield f"--queue measured --no-declare {RATE}"
        with Client(first.port) as client:
            client.delete("measured")

    def latency(self, cluster, clients, name):
        """Of confirms and deliveries, at half of the broker's own rate."""
        place = self.measured[cluster.name].places[name]
        messages = max(1000, int(place.half * self.LATENCY_SECONDS * self.args.scale))
        with self.queue(cluster) as options:
            figures = self.load.run(clients, f"{options} --rate {place.half} --messages {messages}")
        for what in ("confirm", "latency"):
            place.latency[what] = [figures[f"{what}_us_{part}"] / 1000 for part in ("p50", "p99")]
        told(f"{cluster.name}, {name}, at {place.half:,}/s: {place.latency}")

    def rates_table(self):
        rows = []
        for name in PLACES:
            rows += [
                (f"{name}: rate, CPU of all nodes", lambda of, name=name: of.places[name].cost()),
                ("deliveries at that rate: median, 99 %", lambda of, name=name: milliseconds(of.places[name].wait)),
                ("memory at that rate: leader, others", lambda of, name=name: megabytes(of.places[name].resident)),
                ("half of that rate", lambda of, name=name: f"{of.places[name].half:,}/s"),
                ("confirms at half of it: median, 99 %", lambda of, name=name: milliseconds(of.places[name].latency["confirm"])),
                ("deliveries at half of it: median, 99 %", lambda of, name=name: milliseconds(of.places[name].latency["latency"])),
            ]
        return self.table("1 KB, persistent, confirmed (window 1,000), acknowledged", rows)

    def outages_table(self):
        return self.table(
            "1,000 messages a second: longest wait of a consumer, of a confirm",
            [(row, lambda of, row=row: outages.cell(of.outages.get(row))) for row in outages.ROWS],
        )

    def table(self, title, rows):
        names = list(self.measured)
        lines = [f"| {title} | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
        for what, cell in rows:
            lines.append(f"| {what} | {' | '.join(cell(of) for of in self.measured.values())} |")
        return "\n".join(lines)

    def compare(self, table):
        """Adds the goals of MayflyMQ to a table."""
        ours, other = self.measured.get("MayflyMQ"), self.measured.get("RabbitMQ")
        if ours and "rates" in self.args.parts:
            for name, place in ours.places.items():
                self.compare_place(table, name, place, other and other.places[name])
        if ours and "outages" in self.args.parts:
            outages.compare(table, ours.outages)

    @staticmethod
    def compare_place(table, name, place, other):
        times = place.rate / other.rate if other else place.rate / (RATE_GOAL / RATE_GOAL_TIMES)
        cpu_us = statistics.median(place.cpu_us)
        goal = f"{RATE_GOAL_TIMES} times RabbitMQ's, as {RATE_GOAL:,}/s"
        table.row(f"{name}: rate", f"{times:.1f} times, {place.rate:,.0f}/s", goal, times >= RATE_GOAL_TIMES)
        table.row(f"{name}: CPU of all nodes", f"{cpu_us:.1f} us a message", f"{CPU_GOAL_US} us", cpu_us <= CPU_GOAL_US)
        allowed = DELIVERY_GOAL_SHARE * other.wait[0] if other else DELIVERY_GOAL_MS
        goal = f"half of RabbitMQ's, as {DELIVERY_GOAL_MS} ms"
        table.row(f"{name}: median delivery at that rate", f"{place.wait[0]:.1f} ms", goal, place.wait[0] <= allowed)
        if other:
            met = place.resident[0] < other.resident[0]
            table.row(f"{name}: memory of the leader", f"{place.resident[0]:.0f} MB", f"< {other.resident[0]:.0f} MB, RabbitMQ's", met)
        met = all(time <= goal for time, goal in zip(place.latency["confirm"], LATENCY_GOALS_MS))
        at = f"{name}: confirms at {place.half:,}/s: median, 99 %"
        table.row(at, milliseconds(place.latency["confirm"]), milliseconds(LATENCY_GOALS_MS), met)


def milliseconds(times):
    return ", ".join(f"{each:.1f} ms" for each in times)


def megabytes(sizes):
    return ", ".join(f"{each:,.0f} MB" for each in sizes)


def medians(rows):
    """Of each column."""
    return [statistics.median(column) for column in zip(*rows)]


def told(line):
    print(line, file=sys.stderr, flush=True)


def goals(args, directory, load, comparison):
    """The table of all goals; the rows of the part lag are measured with it."""
    with contextlib.redirect_stdout(sys.stderr):
        table = report.Table()
        comparison.compare(table)
        if "lag" in args.parts and args.only in (None, "MayflyMQ"):
            lag.measure(args, directory, load, RATE, table)
    return "\n".join(["#### Compared with the goals", "", *table.lines])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    add_arguments(parser)
    add_rabbitmq_root(parser)
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after some to warm up")
    parser.add_argument("--kills", type=int, default=3, help="of each kind; also of the other outages, but at most two")
    parser.add_argument("--scale", type=float, default=1, help="of times, messages and queues; less is a trial")
    parser.add_argument("--only", choices=("MayflyMQ", "RabbitMQ"), help="measures one broker")
    parser.add_argument("--write", action="store_true", help="the results into the documentation; all parts")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    args = parser.parse_args()
    for part in args.parts:
        if part not in PARTS:
            sys.exit(f"there is no part {part}; the parts are {', '.join(PARTS)}")
    if args.write and args.parts:
        sys.exit("--write needs all parts")
    args.parts = args.parts or PARTS
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        if args.only != "RabbitMQ" and args.jar.is_dir():
            train(args.jar, clustered=True)
        comparison = Comparison(args, directory, load)
        tables = comparison.run() if {"rates", "outages"} & set(args.parts) else []
        tables.append(goals(args, directory, load, comparison))
    text = "\n\n".join(tables)
    print(text, flush=True)
    if args.write:
        report.write_section(args.page, "quorum", f"{report.machine(args.scale)}\n\n{text}")


if __name__ == "__main__":
    main()
