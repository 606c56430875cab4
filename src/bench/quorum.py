#!/usr/bin/env python3
"""Compares quorum queues of three nodes: those of MayflyMQ beside those of an installed RabbitMQ, by turns in the same run.

    mvn -q -DskipTests package && src/bench/quorum.py --write
    src/bench/quorum.py --scale 0.1 --only MayflyMQ         quickly, without RabbitMQ

Each broker has three nodes on loopback, on free ports, with data in a new directory. Clients are on the node that leads the
queue, or on another one. Prints a table; --write puts it into docs/benchmarks.md. Needs Linux, a C compiler and
rabbitmq-server.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import statistics
import subprocess
import sys
import time

import report
from amqp import Client
from brokers import ROOT, RabbitMQ, add_arguments, free_port, scratch
from cluster import Cluster
from load import Load, compile_generator

QUORUM = {"x-queue-type": "quorum"}
RATE = "--size 1000 --confirm 1000 --persistent --durable --ack 50 --prefetch 500"


class RabbitNode(RabbitMQ):
    """One of several nodes that find one another by a list of names; they share an epmd and a cookie."""

    def __init__(self, directory, number, names, epmd_port):
        super().__init__(directory)
        self.names, self.nodename, self.epmd_port = names, names[number], epmd_port

    def environment(self):
        own = {"RABBITMQ_NODENAME": self.nodename, "HOME": str(self.directory.parent)}
        return super().environment() | own

    def launch(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        listed = [f"cluster_formation.classic_config.nodes.{i} = {name}" for i, name in enumerate(self.names, 1)]
        backend = "cluster_formation.peer_discovery_backend = classic_config"
        (self.directory / "rabbitmq.conf").write_text("\n".join([backend, *listed, ""]))
        super().launch()


class RabbitCluster:
    """Three nodes of RabbitMQ, which are ended with the block."""

    name = "RabbitMQ"

    def __init__(self, directory):
        self.epmd_port = free_port()
        names = [f"bench-{self.epmd_port}-{letter}@localhost" for letter in "abc"]
        self.nodes = [RabbitNode(directory / name, number, names, self.epmd_port) for number, name in enumerate(names)]

    def __enter__(self):
        self.epmd = subprocess.Popen(
            ["epmd", "-address", "127.0.0.1", "-port", str(self.epmd_port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        for node in self.nodes:
            node.epmd = self.epmd
            node.start()
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.epmd = None
            node.stop()
        self.epmd.kill()
        self.epmd.wait()

    def cpu_seconds(self):
        """Of all nodes together."""
        return sum(node.cpu_seconds() for node in self.nodes)


class MayflyCluster(Cluster):
    """Three nodes of MayflyMQ, which are ended with the block."""

    name = "MayflyMQ"


@dataclasses.dataclass
class Measured:
    """What a broker has done in the rounds so far."""

    rates: list = dataclasses.field(default_factory=list)
    cpu_us: list = dataclasses.field(default_factory=list)
    away: list = dataclasses.field(default_factory=list)
    away_cpu_us: list = dataclasses.field(default_factory=list)
    confirms: list = dataclasses.field(default_factory=list)
    failovers: list = dataclasses.field(default_factory=list)


class Comparison:
    """Rounds of all brokers, by turns; the first ones warm up."""

    MESSAGES = 200_000
    LATENCY_SECONDS = 10
    FAILOVER_RATE = 1000
    FAILOVER_SECONDS = 6
    WARM_UP = 2

    def __init__(self, args, directory):
        self.args, self.directory = args, directory
        self.load = Load(compile_generator(directory))
        self.measured = {}

    def run(self):
        """Returns the table."""
        with contextlib.ExitStack() as running:
            clusters = []
            if self.args.only in (None, "MayflyMQ"):
                clusters.append(running.enter_context(MayflyCluster(self.args, self.directory / "mayfly")))
            if self.args.only in (None, "RabbitMQ"):
                clusters.append(running.enter_context(RabbitCluster(self.directory / "rabbit")))
            self.measured = {cluster.name: Measured() for cluster in clusters}
            for number in range(-self.WARM_UP, self.args.rounds):
                for cluster in clusters:
                    self.round(cluster, number)
            for cluster in clusters:
                self.latency(cluster)
            for number in range(self.args.kills):
                for cluster in clusters:
                    self.failover(cluster, number)
        return self.table()

    def round(self, cluster, number):
        measured = self.measured[cluster.name] if number >= 0 else Measured()
        rate, cpu_us = self.traffic(cluster, cluster.nodes[0], f"home-{number}")
        measured.rates.append(rate)
        measured.cpu_us.append(cpu_us)
        rate, cpu_us = self.traffic(cluster, cluster.nodes[1], f"away-{number}")
        measured.away.append(rate)
        measured.away_cpu_us.append(cpu_us)
        print(f"{cluster.name}, round {number}: {measured}", file=sys.stderr, flush=True)

    def traffic(self, cluster, clients, queue):
        """The rate, and CPU time of all nodes per message, for a queue that the first node leads."""
        with Client(cluster.nodes[0].port) as client:
            client.declare(queue, **QUORUM)
            messages = int(self.MESSAGES * self.args.scale)
            before = cluster.cpu_seconds()
            figures = self.load.run(clients, f"--queue {queue} --no-declare --messages {messages} {RATE} --timeout 300")
            cpu_us = (cluster.cpu_seconds() - before) * 1e6 / messages
            client.delete(queue)
        return figures["received_per_s"], cpu_us

    def latency(self, cluster):
        """Of confirms, at half of the broker's own rate."""
        measured = self.measured[cluster.name]
        rate = int(statistics.median(measured.rates) / 2)
        with Client(cluster.nodes[0].port) as client:
            client.declare("latency", **QUORUM)
            figures = self.load.run(
                cluster.nodes[0],
                f"--queue latency --no-declare --rate {rate} --messages {int(rate * self.LATENCY_SECONDS)} {RATE}",
            )
            client.delete("latency")
        measured.confirms = [rate, figures["confirm_us_p50"] / 1000, figures["confirm_us_p99"] / 1000]

    def failover(self, cluster, number):
        """The longest that a consumer on another node waits when the leader of its queue is ended by kill -9."""
        leader, clients = cluster.nodes[0], cluster.nodes[1]
        queue = f"failover-{number}"
        with Client(leader.port) as client:
            client.declare(queue, **QUORUM)
        messages = self.FAILOVER_RATE * self.FAILOVER_SECONDS
        options = f"--queue {queue} --no-declare --rate {self.FAILOVER_RATE} --messages {messages} {RATE} --timeout 100"
        with self.load.start(clients, options) as traffic:
            time.sleep(self.FAILOVER_SECONDS / 3)
            leader.kill()
            figures = traffic.figures()
        self.measured[cluster.name].failovers.append((figures["gap_us_max"] / 1e6, figures["confirm_us_max"] / 1e6))
        leader.start()
        time.sleep(5)  # So that its replicas are in sync again.
        with Client(clients.port) as client:
            client.delete(queue)

    def table(self):
        rows = {
            "clients on the leader's node: rate, CPU of all nodes": lambda of: cost(of.rates, of.cpu_us),
            "clients on another node: rate, CPU of all nodes": lambda of: cost(of.away, of.away_cpu_us),
            "confirms at half of that rate: median, 99 %": lambda of: "%.1f ms, %.1f ms (%s/s)"
            % (of.confirms[1], of.confirms[2], f"{of.confirms[0]:,}"),
            "kill -9 of the leader: longest wait of a consumer, of a confirm (median, longest)": lambda of: waits(of.failovers),
        }
        names = list(self.measured)
        lines = [f"| 1 KB, persistent, confirmed (window 1,000), acknowledged | {' | '.join(names)} |"]
        lines.append("|---|" + "---|" * len(names))
        for what, cell in rows.items():
            lines.append(f"| {what} | {' | '.join(cell(of) for of in self.measured.values())} |")
        return "\n".join(lines)


def cost(rates, cpu_us):
    return f"{statistics.median(rates):,.0f}/s, {statistics.median(cpu_us):.1f} us"


def waits(failovers):
    if not failovers:
        return "-"
    gaps, confirms = zip(*failovers)
    return (
        f"{statistics.median(gaps):.2f} s, {statistics.median(confirms):.2f} s;"
        f" {max(gaps):.2f} s, {max(confirms):.2f} s ({len(gaps)} times)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after some to warm up")
    parser.add_argument("--kills", type=int, default=5, help="of the leader's node")
    parser.add_argument("--scale", type=float, default=1, help="of numbers of messages; less is a trial")
    parser.add_argument("--only", choices=("MayflyMQ", "RabbitMQ"), help="measures one broker")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    args = parser.parse_args()
    with scratch(args.directory) as directory:
        table = Comparison(args, directory).run()
    print(table, flush=True)
    if args.write:
        report.write_section(args.page, "quorum", f"{report.machine(args.scale)}\n\n{table}")


if __name__ == "__main__":
    main()
