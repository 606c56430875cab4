#!/usr/bin/env python3
"""Measures the memory that a broker takes for what it holds, and fails if a goal is missed.

    mvn -q -DskipTests package
    src/bench/memory.py connections               10,000 of them, idle, with a channel each
    src/bench/memory.py queues                    100,000 of them, empty: durable, then transient ones
    src/bench/memory.py bursts                    a backlog in memory, and out again; then one on the disk
    src/bench/memory.py backlog --messages 100000000

It starts brokers of its own by bin/mayfly, on free ports, with data in a new directory below --directory, which it removes. Heap is
what is alive after a full collection, resident what Linux counts for the process. Needs Linux, for /proc, a JDK whose
jcmd fits the broker's Java (--java), and as many file descriptors as connections.
"""

import argparse
import pathlib
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import time

from amqp import Client, short
from brokers import MIB, Launched, add_arguments, jdk_tool, scratch
from load import Load, compile_generator
from report import Table

BATCH = 500
REST = 75  # seconds after which an idle broker has collected


class Watched(Launched):
    """A broker whose memory is looked at."""

    def __init__(self, args, directory):
        super().__init__(directory, args.jar.resolve(), args.java, args.jvm, args.set)
        self.jcmd = jdk_tool(args.java, "jcmd")
        self.load = Load(args.load)

    def resident(self):
        """Megabytes that are in memory, and the most that ever were."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return [int(re.search(rf"{key}:\s+(\d+) kB", status)[1]) / 1024 for key in ("VmRSS", "VmHWM")]

    def rested(self):
        """Megabytes that are in memory once the broker has had nothing to do for a while."""
        time.sleep(REST)
        return self.resident()[0]

    def alive(self, histogram=None):
        """Bytes of the heap that are alive; what they are goes to a file, if one is named."""
        done = subprocess.run(
            [str(self.jcmd), str(self.pid), "GC.class_histogram"], capture_output=True, text=True, check=True
        )
        if histogram:
            histogram.write_text(done.stdout)
        return int(re.search(r"^Total\s+\d+\s+(\d+)", done.stdout, re.MULTILINE)[1])


def open_idle(broker, count):
    """Connections with a channel that do nothing any more, opened in batches: all is said before an answer is read."""
    frames = (
        (0, 10, 11, b"\0\0\0\0" + short("PLAIN") + struct.pack(">I", 12) + b"\0guest\0guest" + short("en_US")),
        (0, 10, 31, struct.pack(">HIH", 2047, 131072, 0)),
        (0, 10, 40, short("/") + b"\0\0"),
        (1, 20, 10, b"\0"),
    )
    greeting = b"AMQP\0\0\x09\x01"
    for channel, class_id, method_id, rest in frames:
        payload = struct.pack(">HH", class_id, method_id) + rest
        greeting += struct.pack(">BHI", 1, channel, len(payload)) + payload + b"\xce"
    opened = []
    while len(opened) < count:
        batch = [socket.create_connection(("127.0.0.1", broker.port), 60) for _ in range(min(50, count - len(opened)))]
        for one in batch:
            one.sendall(greeting)
        for one in batch:
            answers = b""
            while b"\0\x14\0\x0b" not in answers:  # channel.open-ok
                answer = one.recv(4096)
                if not answer:
                    sys.exit(f"the broker closed a connection:\n{broker.log.read_text()[-2000:]}")
                answers += answer
        opened += batch
    return opened


def connections(args, broker, table):
    """Idle connections with a channel each: below 10 KB of heap for one, below 200 MB resident for 10,000."""
    warm = open_idle(broker, 100)
    before = broker.alive(args.histogram and args.histogram / "connections-0")
    idle = open_idle(broker, args.connections)
    resident = broker.rested()
    each = (broker.alive(args.histogram and args.histogram / "connections-n") - before) / args.connections
    table.row(f"{args.connections:,} idle connections, heap of each", f"{each:,.0f} B", "< 10 KB", each < 10_000)
    bound = 200 * max(1, args.connections / 10_000)
    table.row(f"resident with {len(idle) + len(warm):,}, a while later", f"{resident:.0f} MB", f"< {bound:.0f} MB", resident < bound)


def declare_many(clients, prefix, first, count, durable):
    """Declares queues, by many clients at once: what is durable waits for the disk, and so waits together."""
    flags = bytes([(2 if durable else 0) | 16])
    for start in range(first, first + count, BATCH * len(clients)):
        for place, client in enumerate(clients):
            low = start + place * BATCH
            for number in range(low, min(low + BATCH, first + count)):
                client.method(1, 50, 10, b"\0\0" + short(f"{prefix}-{number}") + flags + b"\0\0\0\0")
            client.method(1, 50, 10, b"\0\0" + short("fence") + b"\0" + b"\0\0\0\0")
        for client in clients:
            client.expect(50, 11)


def queues(args, broker, table):
    """Empty queues: below 1 KB of heap for each, durable or transient."""
    clients = [Client(broker.port) for _ in range(50)]
    for durable in (True, False):
        what = "durable" if durable else "transient"
        declare_many(clients, what, 0, 1000, durable)
        before = broker.alive(args.histogram and args.histogram / f"{what}-0")
        declare_many(clients, what, 1000, args.queues, durable)
        each = (broker.alive(args.histogram and args.histogram / f"{what}-n") - before) / args.queues
        table.row(f"{args.queues:,} {what} queues, heap of each", f"{each:,.0f} B", "< 1 KB", each < 1000)
    table.row("resident with both, a while later", f"{broker.rested():.0f} MB")


def bursts(args, broker, table):
    """Resident memory of a fresh broker below 100 MB, and what is left of it after a burst."""
    fresh = broker.rested()
    table.row("resident, fresh", f"{fresh:.0f} MB", "< 100 MB", fresh < 100)
    for what, count, mode in (
        ("transient", 1_000_000, ""),
        ("persistent", args.messages, " --durable --persistent"),
    ):
        options = f"--queue {what} --messages {count} --size 100 --timeout 600{mode}"
        confirm = " --confirm 5000" if mode else ""
        broker.load.run(broker, f"{options} --publishers 1 --consumers 0{confirm}")
        inside = broker.resident()[0]
        broker.load.run(broker, f"{options} --publishers 0 --consumers 1 --no-declare --ack 100 --prefetch 1000")
        out = broker.resident()
        table.row(f"resident with {count:,} {what} messages", f"{inside:.0f} MB")
        table.row("with them out again; a while later; at most", f"{out[0]:.0f}; {broker.rested():.0f}; {out[1]:.0f} MB")


def backlog(args, broker, table):
    """A backlog far larger than memory: below 512 MB resident throughout, all of it out again."""
    options = f"--queue backlog --messages {args.messages} --size 100 --durable --timeout {args.messages // 20_000 + 60}"
    figures = broker.load.run(broker, options + " --publishers 1 --consumers 0 --persistent --confirm 5000")
    table.row("published and confirmed", f"{figures['confirmed_per_s']:,.0f}/s", "all", figures["nacked"] == 0)
    resident, most = broker.resident()
    table.row(f"resident with {args.messages:,}; at most", f"{resident:.0f}; {most:.0f} MB", "< 512 MB", most < 512)
    each = broker.alive(args.histogram and args.histogram / "backlog") / args.messages
    table.row("heap altogether, by message", f"{each:.1f} B", "< 32 B", each < 32)
    table.row("on disk", f"{sum(broker.disk()) / MIB:,.0f} MiB")
    if args.kill:
        broker.kill()
        table.row("ready after kill -9", f"{broker.start():.1f} s")
        count = Client(broker.port).declare("backlog", passive=True)
        table.row("messages recovered", f"{count:,}", f"{args.messages:,}", count == args.messages)
        table.row("resident then", f"{broker.resident()[0]:.0f} MB")
    figures = broker.load.run(broker, options + " --publishers 0 --consumers 1 --no-declare --ack 100 --prefetch 1000")
    drained = int(figures["received"])
    table.row("drained", f"{figures['received_per_s']:,.0f}/s", f"{args.messages:,}", drained == args.messages)
    most = broker.resident()[1]
    table.row("resident at most, altogether", f"{most:.0f} MB", "< 512 MB", most < 512)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    runs = {run.__name__: run for run in (connections, queues, bursts, backlog)}
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(runs)}; all but backlog by default")
    add_arguments(parser)
    parser.add_argument("--java", help="the directory of the JDK; that on the PATH by default")
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--queues", type=int, default=100_000)
    parser.add_argument("--messages", type=int, default=10_000_000, help="of the persistent backlogs")
    parser.add_argument("--kill", action="store_true", help="kill -9 with the backlog, and start again")
    parser.add_argument("--histogram", type=pathlib.Path, help="a directory where histograms of the heap go")
    args = parser.parse_args()
    for what in args.what:
        if what not in runs:
            parser.error(f"'{what}': expected one of {', '.join(runs)}")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    table = Table()
    with scratch(args.directory) as directory:
        args.load = compile_generator(directory)
        for what in args.what or ["connections", "queues", "bursts"]:
            broker = Watched(args, directory / what)
            try:
                broker.start()
                runs[what](args, broker, table)
            finally:
                broker.stop()
                shutil.rmtree(broker.directory)
    sys.exit(1 if table.missed else 0)


if __name__ == "__main__":
    main()
