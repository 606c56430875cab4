#!/usr/bin/env python3
"""Measures how fast the control command is, and how little it disturbs, and fails if a goal is missed.

    mvn -q -DskipTests package && src/bench/control.py

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes, and
declares 10,000 queues. Then it times commands of mayflyctl, each the median of --rounds, while a message every
millisecond goes through a queue of its own to a consumer in a process of its own. For each command it tells the worst
gap between two deliveries, and in the first row that of as long a time in which nothing else happens: what the machine
itself is good for.
"""

import argparse
import json
import multiprocessing
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

from durability import ROOT, Broker, Client, Table, short

PACE_SECONDS = 0.001
BATCH = 500


def declare(broker, queues):
    """Declares queues that no longer wait for each other: a batch, then an answer."""
    client = Client(broker.port)
    for first in range(0, queues, BATCH):
        for number in range(first, min(first + BATCH, queues)):
            arguments = b"\0\0" + short(f"bench-{number}") + bytes([2 | 16]) + struct.pack(">I", 0)
            client.method(1, 50, 10, arguments)
        client.declare("bench-0")


class Steady(Client):
    """A client that publishes what need not be kept."""

    def publish_transient(self, queue, body):
        method = struct.pack(">HH", 60, 40) + b"\0\0" + short("") + short(queue) + b"\0"
        header = struct.pack(">HHQH", 60, 0, len(body), 0)
        frames = ((1, method), (2, header), (3, body))
        self.socket.sendall(b"".join(struct.pack(">BHI", k, 1, len(p)) + p + b"\xce" for k, p in frames))


def publish_steadily(port):
    client = Steady(port)
    client.declare("steady")
    due = time.monotonic()
    while True:
        client.publish_transient("steady", b"x")
        due += PACE_SECONDS
        time.sleep(max(0, due - time.monotonic()))


def watch(port, pipe):
    """Consumes, and answers each request with the worst gap since the last one."""
    client = Client(port)
    client.declare("steady")
    client.method(1, 60, 20, b"\0\0" + short("steady") + short("") + b"\2" + struct.pack(">I", 0))
    client.expect(60, 21)
    last, worst = time.monotonic(), 0.0
    while True:
        client.expect(60, 60)
        now = time.monotonic()
        worst, last = max(worst, now - last), now
        if pipe.poll():
            pipe.recv()
            pipe.send(worst)
            worst = 0.0


class Bench:
    def __init__(self, args, broker, pipe):
        self.args, self.broker, self.pipe, self.table = args, broker, pipe, Table()
        self.script = ROOT / "broker-server/target/mayfly/bin/mayflyctl"

    def worst_gap(self):
        self.pipe.send("worst")
        return self.pipe.recv()

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
            self.worst_gap()
            start = time.monotonic()
            action(number)
            seconds.append(time.monotonic() - start)
            gaps.append(self.worst_gap())
        median, gap = statistics.median(seconds), statistics.median(gaps) * 1000
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
        control = json.loads((self.broker.data / "mayfly.control").read_text())
        body = {"pattern": "^bench-", "definition": {"max-length": 200 + number}, "apply-to": "queues"}
        request = urllib.request.Request(
            control["url"] + "/api/policies/%2F/bench",
            data=json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + control["token"]},
            method="PUT",
        )
        urllib.request.urlopen(request).close()

    def check_list(self, queues):
        listed = self.ctl("list_queues", "name", "messages", "policy").count("\tbench\n")
        if listed != queues:
            sys.exit(f"list_queues shows {listed} queues with the policy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queues", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jar", type=pathlib.Path, default=ROOT / "broker-server/target/mayfly.jar")
    parser.add_argument("--jvm", default="", help="options of the broker's Java")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the broker")
    parser.add_argument("--directory", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    args = parser.parse_args()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-control", dir=args.directory))
    broker = Broker(args, directory)
    ours, theirs = multiprocessing.Pipe()
    missed = True
    try:
        broker.start()
        declare(broker, args.queues)
        helpers = [
            multiprocessing.Process(target=watch, args=(broker.port, theirs), daemon=True),
            multiprocessing.Process(target=publish_steadily, args=(broker.port,), daemon=True),
        ]
        for helper in helpers:
            helper.start()
        missed = Bench(args, broker, ours).run()
    finally:
        for helper in multiprocessing.active_children():
            helper.terminate()
        broker.kill()
        shutil.rmtree(directory)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
