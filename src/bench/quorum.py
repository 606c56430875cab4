#!/usr/bin/env python3
"""Measures quorum queues of three nodes: those of MayflyMQ beside those of an installed RabbitMQ, by turns in the same run.

    mvn -q -DskipTests package && src/bench/quorum.py --write
    src/bench/quorum.py --scale 0.1 --only MayflyMQ rates         one part, quickly

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

import lag
import outages
import report
from amqp import Client
from brokers import ROOT, add_arguments, scratch
from load import Load, compile_generator
from replicas import MayflyCluster, RabbitCluster

PARTS = ("rates", "outages", "lag")
RATE = "--size 1000 --confirm 1000 --persistent --durable --ack 50 --prefetch 500"


@dataclasses.dataclass
class Measured:
    """What a broker has done in the rounds so far: rates, CPU time of all nodes per message, latencies in ms."""

    rates: list = dataclasses.field(default_factory=list)
    cpu_us: list = dataclasses.field(default_factory=list)
    away: list = dataclasses.field(default_factory=list)
    away_cpu_us: list = dataclasses.field(default_factory=list)
    half: int = 0
    latency: dict = dataclasses.field(default_factory=dict)
    outages: dict = dataclasses.field(default_factory=dict)


class Comparison:
    """Rounds of all brokers, by turns; the first ones warm up, until Java has compiled what they do."""

    SECONDS = 8
    PROBE_MESSAGES = 20_000
    WARM_UP = 2

    def __init__(self, args, directory, load):
        self.args, self.directory, self.load = args, directory, load
        self.measured, self.expected = {}, {}

    def run(self):
        """Returns the tables."""
        tables = []
        with contextlib.ExitStack() as running:
            clusters = []
            if self.args.only in (None, "MayflyMQ"):
                clusters.append(running.enter_context(MayflyCluster(self.args, self.directory / "mayfly")))
            if self.args.only in (None, "RabbitMQ"):
                clusters.append(running.enter_context(RabbitCluster(self.directory / "rabbit")))
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
        for number in range(-self.WARM_UP, self.args.rounds):
            for cluster in clusters:
                self.round(cluster, number)
        for cluster in clusters:
            self.latency(cluster)

    def round(self, cluster, number):
        measured = self.measured[cluster.name] if number >= 0 else Measured()
        rate, cpu_us = self.traffic(cluster, cluster.nodes[0], f"home-{number}")
        measured.rates.append(rate)
        measured.cpu_us.append(cpu_us)
        rate, cpu_us = self.traffic(cluster, cluster.nodes[1], f"away-{number}")
        measured.away.append(rate)
        measured.away_cpu_us.append(cpu_us)
        cells = cost(measured.rates[-1:], measured.cpu_us[-1:]), cost(measured.away[-1:], measured.away_cpu_us[-1:])
        print(f"{cluster.name}, round {number}: {cells[0]}; {cells[1]}", file=sys.stderr, flush=True)

    def traffic(self, cluster, clients, queue):
        """The rate, and CPU time of all nodes per message, for a queue that the first node leads."""
        # As many messages as the broker does in some seconds, by the round before.
        key = cluster.name, clients
        messages = int(self.expected.get(key, self.PROBE_MESSAGES / self.args.scale) * self.args.scale)
        cluster.declare(queue, cluster.nodes[0])
        before = cluster.cpu_seconds()
        figures = self.load.run(clients, f"--queue {queue} --no-declare --messages {messages} {RATE} --timeout 300")
        cpu_us = (cluster.cpu_seconds() - before) * 1e6 / messages
        with Client(clients.port) as client:
            client.delete(queue)
        self.expected[key] = figures["received_per_s"] * self.SECONDS
        return figures["received_per_s"], cpu_us

    def latency(self, cluster):
        """Of confirms and deliveries, at half of the broker's own rate."""
        measured = self.measured[cluster.name]
        measured.half = int(statistics.median(measured.rates) / 2)
        cluster.declare("latency", cluster.nodes[0])
        messages = max(1000, int(measured.half * self.SECONDS * self.args.scale))
        figures = self.load.run(
            cluster.nodes[0], f"--queue latency --no-declare --rate {measured.half} --messages {messages} {RATE} --timeout 300"
        )
        with Client(cluster.nodes[0].port) as client:
            client.delete("latency")
        for what in ("confirm", "latency"):
            measured.latency[what] = [figures[f"{what}_us_{part}"] / 1000 for part in ("p50", "p99")]
        print(f"{cluster.name}, at {measured.half:,}/s: {measured.latency}", file=sys.stderr, flush=True)

    def rates_table(self):
        return self.table(
            "1 KB, persistent, confirmed (window 1,000), acknowledged",
            {
                "clients on the leader's node: rate, CPU of all nodes": lambda of: cost(of.rates, of.cpu_us),
                "clients on another node: rate, CPU of all nodes": lambda of: cost(of.away, of.away_cpu_us),
                "half of the first rate": lambda of: f"{of.half:,}/s",
                "confirms at that rate: median, 99 %": lambda of: milliseconds(of.latency["confirm"]),
                "deliveries at that rate: median, 99 %": lambda of: milliseconds(of.latency["latency"]),
            },
        )

    def outages_table(self):
        return self.table(
            "1,000 messages a second: longest wait of a consumer, of a confirm",
            {row: lambda of, row=row: outages.cell(of.outages.get(row)) for row in outages.ROWS},
        )

    def table(self, title, rows):
        names = list(self.measured)
        lines = [f"| {title} | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
        for what, cell in rows.items():
            lines.append(f"| {what} | {' | '.join(cell(of) for of in self.measured.values())} |")
        return "\n".join(lines)


def cost(rates, cpu_us):
    return f"{statistics.median(rates):,.0f}/s, {statistics.median(cpu_us):.1f} us"


def milliseconds(times):
    return ", ".join(f"{each:.1f} ms" for each in times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    add_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after some to warm up")
    parser.add_argument("--kills", type=int, default=3, help="of each kind; also of the other outages, but at most two")
    parser.add_argument("--scale", type=float, default=1, help="of numbers of messages and queues; less is a trial")
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
        tables = Comparison(args, directory, load).run() if {"rates", "outages"} & set(args.parts) else []
        if "lag" in args.parts and args.only in (None, "MayflyMQ"):
            tables.append(lag.rows(args, directory, load, RATE))
    text = "\n\n".join(tables)
    print(text, flush=True)
    if args.write:
        report.write_section(args.page, "quorum", f"{report.machine(args.scale)}\n\n{text}")


if __name__ == "__main__":
    main()
