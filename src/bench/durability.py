#!/usr/bin/env python3
"""Measures what durability promises about time, memory and disk, and fails if a goal is missed.

    mvn -q -DskipTests package && cc -O2 -pthread -o /tmp/amqpload src/bench/amqpload.c
    src/bench/durability.py backlog                    10 million messages, kill -9, recovery, all of them out again
    src/bench/durability.py churn --gigabytes 50       through a queue that stays short, beside a message that stays

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Needs
Linux, for /proc. See the functions for the goals.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
SEGMENT = 64 * MIB


class Client:
    """The few methods of AMQP that are needed beside the load, on one channel."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.socket.sendall(b"AMQP\0\0\x09\x01")
        self.expect(10, 10)
        self.method(0, 10, 11, struct.pack(">I", 0) + short("PLAIN") + long("\0guest\0guest") + short("en_US"))
        self.expect(10, 30)
        self.method(0, 10, 31, struct.pack(">HIH", 2047, 131072, 0))
        self.method(0, 10, 40, short("/") + b"\0\0")
        self.expect(10, 41)
        self.method(1, 20, 10, b"\0")
        self.expect(20, 11)

    def frame(self, kind, channel, payload):
        self.socket.sendall(struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce")

    def method(self, channel, class_id, method_id, arguments):
        self.frame(1, channel, struct.pack(">HH", class_id, method_id) + arguments)

    def expect(self, class_id, method_id):
        """Skips frames up to a method's, and returns its arguments."""
        while True:
            header = self.stream.read(7)
            if len(header) < 7:
                raise ConnectionError(f"connection closed while waiting for {class_id}.{method_id}")
            kind, _, size = struct.unpack(">BHI", header)
            payload = self.stream.read(size + 1)[:-1]
            if kind == 1 and payload[:4] == struct.pack(">HH", class_id, method_id):
                return payload[4:]
            if kind == 1 and payload[:4] in (b"\0\x0a\0\x32", b"\0\x14\0\x28"):
                raise ConnectionError(f"closed by the broker: {payload[7 : 7 + payload[6]].decode()}")

    def declare(self, queue, passive=False):
        """Declares a durable queue, or looks at one; returns how many messages are ready."""
        self.method(1, 50, 10, b"\0\0" + short(queue) + bytes([1 if passive else 2]) + struct.pack(">I", 0))
        answer = self.expect(50, 11)
        return struct.unpack(">I", answer[1 + answer[0] :][:4])[0]

    def publish(self, queue, body):
        """Publishes a persistent message."""
        self.method(1, 60, 40, b"\0\0" + short("") + short(queue) + b"\0")
        self.frame(2, 1, struct.pack(">HHQHB", 60, 0, len(body), 0x1000, 2))
        self.frame(3, 1, body)

    def take(self, queue):
        """Gets a message and does not acknowledge it."""
        self.method(1, 60, 70, b"\0\0" + short(queue) + b"\0")
        self.expect(60, 71)


def short(text):
    return bytes([len(text)]) + text.encode()


def long(text):
    return struct.pack(">I", len(text)) + text.encode()


class Broker:
    """The packaged broker as a child process."""

    def __init__(self, args, directory):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.data = directory / "data"
        self.log = directory / "broker.log"
        self.command = ["java", *args.jvm.split(), "-jar", str(args.jar)]
        own = [f"listeners.tcp.default=127.0.0.1:{self.port}", f"data_dir={self.data}"]
        # Nobody but the control command needs HTTP, which finds its port, and nobody from elsewhere.
        own += ["management.tcp.ip=127.0.0.1", "management.tcp.port=none"]
        for setting in own + args.set:
            self.command += ["--set", setting]
        self.peak_mb = 0

    def start(self):
        """Returns how many seconds it took until it was ready."""
        start = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        while b" ready in " not in self.log.read_bytes():
            if self.process.poll() is not None or time.monotonic() - start > 300:
                sys.exit(f"the broker did not get ready:\n{self.log.read_text()}")
            time.sleep(0.01)
        return time.monotonic() - start

    def kill(self):
        self.note_peak()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def note_peak(self):
        """Remembers the most memory that a process has had resident."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        self.peak_mb = max(self.peak_mb, int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024)

    def disk(self):
        """Bytes of the message log of each shard."""
        return [directory_bytes(shard) for shard in sorted((self.data / "messages").glob("shard-*"))]


def directory_bytes(directory):
    total = 0
    for entry in os.scandir(directory):
        try:
            total += entry.stat().st_size
        except FileNotFoundError:
            pass  # a segment that has just been deleted
    return total


def load(args, broker, options):
    command = [args.load, "--port", str(broker.port), "--pid", str(broker.process.pid), *options.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}\n{broker.log.read_text()}")
    return {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", done.stdout)}


class Table:
    """What was measured, with goals."""

    def __init__(self):
        self.missed = False
        print("| what | measured | goal | |")
        print("|---|---|---|---|")

    def row(self, what, measured, goal="", met=True):
        self.missed |= not met
        print(f"| {what} | {measured} | {goal} | {'' if not goal else 'met' if met else 'MISSED'} |", flush=True)


def backlog(args, broker):
    """A backlog far larger than the heap: recovered within 10 s, resident memory below 900 MB throughout, all of it there."""
    table = Table()
    broker.start()
    seconds = args.messages // 20_000 + 60
    options = f"--queue backlog --messages {args.messages} --size {args.size} --durable --timeout {seconds}"
    figures = load(args, broker, options + " --publishers 1 --consumers 0 --persistent --confirm 5000")
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
    figures = load(args, broker, options + " --publishers 0 --consumers 1 --no-declare --ack 100 --prefetch 1000")
    drained = int(figures["received"])
    table.row("drained", f"{figures['received_per_s']:,.0f}/s", f"{args.messages:,}", drained == args.messages)
    left = Client(broker.port).declare("backlog", passive=True)
    table.row("left in the queue", f"{left:,}", "0", left == 0)
    broker.note_peak()
    table.row("resident at most, altogether", f"{broker.peak_mb:.0f} MB", "< 900 MB", broker.peak_mb < 900)
    return table.missed


def churn(args, broker):
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
        figures = load(args, broker, options)
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
    parser.add_argument("--jar", type=pathlib.Path, default=ROOT / "broker-server/target/mayfly.jar")
    parser.add_argument("--jvm", default="-Xmx512m", help="options of the Java virtual machine")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the broker")
    parser.add_argument("--load", default="/tmp/amqpload", help="the compiled amqpload.c")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes; must be on a disk, not in memory")
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
    if not args.jar.is_file():
        sys.exit(f"{args.jar} is missing: run mvn -q -DskipTests package first")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-bench-", dir=args.directory))
    broker = Broker(args, directory)
    try:
        missed = args.run(args, broker)
    finally:
        if hasattr(broker, "process") and broker.process.poll() is None:
            broker.process.kill()
            broker.process.wait()
        shutil.rmtree(directory)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
