#!/usr/bin/env python3
"""Measures what a cluster costs: a queue on another node beside one on the client's node, a node that has nothing to do, changes of
metadata, and how long these wait when the node ends that leads them.

    mvn -q -DskipTests package && src/bench/cluster.py --write
    src/bench/cluster.py --scale 0.1 rates         one part, quickly

Each part starts three nodes of its own on loopback, on free ports, with data in a new directory. Prints
tables; --write puts them into docs/benchmarks.md. Needs Linux and a C compiler.
"""

import argparse
import contextlib
import dataclasses
import pathlib
import re
import statistics
import sys
import time

import report
from amqp import Client
from brokers import ROOT, add_arguments, free_port, mayfly, scratch
from load import Load, compile_generator
from metadata import Metadata
from rows import ROWS

NAMES = ("a@localhost", "b@localhost", "c@localhost")


class Cluster:
    """Three nodes that find one another, and are ended with the block."""

    LEADS = re.compile(r"this node leads the cluster's metadata in term (\d+)")

    def __init__(self, args, directory):
        ports = {name: free_port() for name in NAMES}
        listed = [
            f"cluster_formation.classic_config.nodes.{number}={name}:127.0.0.1:{port}"
            for number, (name, port) in enumerate(ports.items(), 1)
        ]
        patience = ["cluster_formation.discovery_retry_interval=100", "cluster_formation.discovery_retry_limit=600"]
        common = ["cluster.secret=measured", *patience, *listed]
        self.args, self.directory, self.common = args, directory, common
        self.nodes = [self.node(name, port) for name, port in ports.items()]

    def node(self, name, port):
        """A node that is not started."""
        settings = [f"node_name={name}", f"cluster.listener=127.0.0.1:{port}", *self.common, *self.args.set]
        return mayfly(self.directory / name.partition("@")[0], self.args.jar, self.args.jvm, settings)

    def add(self, name):
        """Has a node that was not there join, which is ended with the block; returns it, started."""
        self.nodes.append(self.node(name, free_port()))
        self.nodes[-1].start()
        return self.nodes[-1]

    def __enter__(self):
        with contextlib.ExitStack() as stopped_if_it_fails:
            stopped_if_it_fails.callback(self._stop)
            # All at once: none is ready before a majority is there.
            for node in self.nodes:
                node.launch()
            for node in self.nodes:
                node.await_ready()
            stopped_if_it_fails.pop_all()
        return self

    def __exit__(self, *_):
        self._stop()

    def _stop(self):
        with contextlib.ExitStack() as each:  # also if one of them fails
            for node in reversed(self.nodes):
                each.callback(node.stop)

    def cpu_seconds(self):
        """Of all nodes together."""
        return sum(node.cpu_seconds() for node in self.nodes)

    def metadata_leader(self):
        """The node that was the last one to say that it leads the cluster's metadata."""
        terms = [self.LEADS.findall(node.log.read_text(errors="replace")) for node in self.nodes]
        led = [max(map(int, found), default=0) for found in terms]
        return self.nodes[led.index(max(led))]


class Rates:
    """A publisher and a consumer on the first node. Their queue is there, or on the second node, by turns; CPU is that of all
    three nodes."""

    ROWS = "abc"

    # Java compiles what a link does for longer than what one node does: it takes a third of the CPU at first.
    WARM_UP = 3

    def __init__(self, args, directory):
        self.args, self.directory = args, directory
        self.load = Load(compile_generator(directory))

    def table(self):
        lines = ["| row | work | queue on the clients' node | on another node | rate | CPU |", "|---|---|---|---|---|---|"]
        with Cluster(self.args, self.directory) as cluster:
            for key in self.ROWS:
                home, away = (Cost.median(costs) for costs in self.measure(cluster, key))
                ratios = f"{away.rate / home.rate:.0%} | {away.cpu_us / home.cpu_us:.2f} times"
                lines.append(f"| {key} | {ROWS[key].work} | {home} | {away} | {ratios} |")
                print(lines[-1], file=sys.stderr, flush=True)
        return "\n".join(lines)

    def measure(self, cluster, key):
        """The costs of each round, at home and away; the first ones warm up."""
        costs = ([], [])
        for number in range(-self.WARM_UP, self.args.rounds):
            for node, measured in zip(cluster.nodes, costs):
                cost = self.traffic(cluster, node, ROWS[key], f"{key}-{node.port}-{number}")
                if number >= 0:
                    measured.append(cost)
        return costs

    def traffic(self, cluster, home, row, queue):
        """What clients of the first node pay for a queue on a node."""
        with Client(home.port) as client:
            client.declare(queue)
            messages = max(row.least, int(row.messages * self.args.scale))
            before = cluster.cpu_seconds()
            figures = self.load.run(
                cluster.nodes[0], f"--queue {queue} --no-declare --messages {messages} {row.options} --timeout 300"
            )
            cpu_us = (cluster.cpu_seconds() - before) * 1e6 / messages
            client.delete(queue)
        return Cost(figures["received_per_s"], cpu_us)


@dataclasses.dataclass(frozen=True)
class Cost:
    """Messages a second, and CPU time of each."""

    rate: float
    cpu_us: float

    @staticmethod
    def median(costs):
        return Cost(statistics.median(each.rate for each in costs), statistics.median(each.cpu_us for each in costs))

    def __str__(self):
        return f"{self.rate:,.0f}/s, {self.cpu_us:.2f} us"


class Idle:
    """A broker that is alone and the nodes of a cluster at the same time, without clients."""

    # Java compiles for a while what an idle broker does.
    REST_SECONDS = 120
    WATCHED_SECONDS = 60

    def __init__(self, args, directory):
        self.args, self.directory = args, directory

    def table(self):
        alone = mayfly(self.directory / "alone", self.args.jar, self.args.jvm, self.args.set)
        with contextlib.ExitStack() as running:
            running.callback(alone.stop)
            alone.start()
            members = running.enter_context(Cluster(self.args, self.directory)).nodes
            time.sleep(self.REST_SECONDS * self.args.scale)
            brokers = {"alone": alone} | {f"member {name}": node for name, node in zip(NAMES, members)}
            before = {label: broker.cpu_seconds() for label, broker in brokers.items()}
            start = time.monotonic()
            time.sleep(self.WATCHED_SECONDS * self.args.scale)
            seconds = time.monotonic() - start
            lines = ["| broker | CPU | resident |", "|---|---|---|"]
            for label, broker in brokers.items():
                share = (broker.cpu_seconds() - before[label]) / seconds
                lines.append(f"| {label} | {share:.2%} of a core | {broker.resident_mb():,.0f} MB |")
        return "\n".join(lines)


class Changes:
    """Changes of metadata in a cluster and by a broker that is alone; a node that joins, and one that starts again."""

    def __init__(self, args, directory):
        self.args, self.directory = args, directory

    def table(self):
        alone = mayfly(self.directory / "alone", self.args.jar, self.args.jvm, self.args.set)
        with contextlib.ExitStack() as running:
            running.callback(alone.stop)
            alone.start()
            cluster = running.enter_context(Cluster(self.args, self.directory))
            with contextlib.redirect_stdout(sys.stderr):
                lines = Metadata(self.args.scale, cluster, alone).run().lines
        return "\n".join(lines)


class Failover:
    """The node that leads the decisions of the cluster is ended by kill -9: how long a declaration by another node waits."""

    KILLS = 9

    def __init__(self, args, directory):
        self.args, self.directory = args, directory

    def table(self):
        waited = []
        with Cluster(self.args, self.directory) as cluster:
            for number in range(max(1, round(self.KILLS * self.args.scale))):
                waited.append(self.wait(cluster, number))
                print(f"{waited[-1]:.3f} s", file=sys.stderr, flush=True)
        return "\n".join(
            [
                "| what | shortest | median | longest |",
                "|---|---|---|---|",
                f"| `kill -9` of the node that leads, until a durable queue is declared by another one, {len(waited)} times"
                f" | {min(waited):.2f} s | {statistics.median(waited):.2f} s | {max(waited):.2f} s |",
            ]
        )

    def wait(self, cluster, number):
        """Seconds, once all nodes are there again."""
        leader = cluster.metadata_leader()
        other = next(node for node in cluster.nodes if node is not leader)
        with Client(other.port) as client:
            for warm in range(50):
                client.declare(f"warm-{number}-{warm}")
            leader.kill()
            start = time.monotonic()
            client.declare(f"failover-{number}")
            seconds = time.monotonic() - start
        leader.start()
        time.sleep(3)  # So that the nodes are connected again, and have been for a while.
        return seconds


PARTS = {"rates": Rates, "idle": Idle, "metadata": Changes, "failover": Failover}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after some to warm up")
    parser.add_argument("--scale", type=float, default=1, help="of numbers of messages and of times; less is a trial")
    add_arguments(parser)
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    args = parser.parse_args()
    for part in args.parts or PARTS:
        if part not in PARTS:
            sys.exit(f"there is no part {part}; the parts are {', '.join(PARTS)}")
    for part in args.parts or PARTS:
        with scratch(args.directory) as directory:
            table = PARTS[part](args, directory).table()
        print(table, flush=True)
        if args.write:
            report.write_section(args.page, f"cluster {part}", f"{report.machine(args.scale)}\n\n{table}")


if __name__ == "__main__":
    main()
