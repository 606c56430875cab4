#!/usr/bin/env python3
"""Measures how fast the control command is, and how little it disturbs, and fails if a goal is missed.

    mvn -q -DskipTests package && src/bench/control.py

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes, and
declares 10,000 queues. Then it times commands of mayflyctl, each the median of --rounds, while a message every
millisecond goes through a queue of its own to a consumer. For each command it tells the worst gap between two deliveries,
and in the first row that of as long a time in which nothing else happens: what the machine itself is good for.
"""

import argparse
import statistics
import subprocess
import sys
import time

from amqp import Client
from brokers import ROOT, add_arguments, one_mayfly
from load import Load, compile_generator
from management import put_policy
from report import Table


class Bench:
    def __init__(self, args, broker, load):
        self.args, self.broker, self.load, self.table = args, broker, load, Table()
        self.script = ROOT / "broker-server/target/mayfly/bin/mayflyctl"

    def ctl(self, *arguments):
        done = subprocess.run(
            [str(self.script), "--data-dir", str(self.broker.data), *arguments], capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(f"mayflyctl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def time(self, what, goal, action, gap_goal=None):
        """A row with the median time of an action, and the median of the worst gaps meanwhile."""
        seconds, gaps = [], []
        for number in range(self.args.rounds):
            with self.load.heartbeat(self.broker) as heartbeat:
                start = time.monotonic()
                action(number)
                seconds.append(time.monotonic() - start)
                gaps.append(heartbeat.stopped()["gap_us_max"])
        median, gap = statistics.median(seconds), statistics.median(gaps) / 1000
        goals = ([f"< {goal} s"] if goal else []) + ([f"gap < {gap_goal} ms"] if gap_goal else [])
        met = (not goal or median < goal) and (not gap_goal or gap < gap_goal)
        self.table.row(what, f"{median:.2f} s, worst gap {gap:.0f} ms", ", ".join(goals), met)

    def run(self):
        queues = self.args.queues
        self.ctl("ping")
        self.time("nothing", None, lambda n: time.sleep(1))
        self.time("ping", 0.7, lambda n: self.ctl("ping"))
        self.time(
            f"set_policy that touches {queues:,} queues",
            1,
            lambda n: self.ctl("set_policy", "bench", "^bench-", f'{{"max-length":{100 + n}}}', "--apply-to", "queues"),
            20,
        )
        self.time("the same by HTTP, without the start of a Java", None, self.put_policy, 20)
        self.time(f"list_queues of {queues:,}", 2, lambda n: self.check_list(queues))
        return self.table.missed

    def put_policy(self, number):
        put_policy(self.broker, "bench", "^bench-", {"max-length": 200 + number})

    def check_list(self, queues):
        listed = self.ctl("list_queues", "name", "messages", "policy").count("\tbench\n")
        if listed != queues:
            sys.exit(f"list_queues shows {listed} queues with the policy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queues", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    add_arguments(parser)
    args = parser.parse_args()
    with one_mayfly(args) as broker:
        broker.start()
        with Client(broker.port) as client:
            client.declare_many([f"bench-{number}" for number in range(args.queues)])
        missed = Bench(args, broker, Load(compile_generator(broker.directory))).run()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
