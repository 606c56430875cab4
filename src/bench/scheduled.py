#!/usr/bin/env python3
"""Measures how late scheduled messages arrive, and what memory they take while they wait; fails if a goal is missed.

    mvn -q -DskipTests package
    src/bench/scheduled.py                             a million messages, all of them due within a minute
    src/bench/scheduled.py --kill                      the same with kill -9 before the first is due

It publishes persistent messages through a delayed exchange, in random order of their due times, and a consumer takes them. Lateness
is what clients see: from the time before the publish plus the delay to the time at which the delivery has been read. With
--kill the broker starts anew in between, and is as slow as any Java process at first: lateness has no goal then.

It starts a broker of its own on a free port, with data in a new directory below --directory, which it removes. Needs
Linux, for /proc.
"""

import argparse
import multiprocessing
import pathlib
import random
import select
import shutil
import struct
import sys
import tempfile
import time

from durability import MIB, ROOT, Broker, Client, Table, long, short

EXCHANGE = "later"
QUEUE = "scheduled"
WARM_UP = "warm-up"
BATCH = 100
WINDOW = 500


def declare(client):
    """Durable queues behind a durable delayed exchange."""
    arguments = long_table(short("x-delayed-type") + b"S" + long("direct"))
    client.method(1, 40, 10, b"\0\0" + short(EXCHANGE) + short("x-delayed-message") + b"\2" + arguments)
    client.expect(40, 11)
    for queue in (QUEUE, WARM_UP):
        client.declare(queue)
        client.method(1, 50, 20, b"\0\0" + short(queue) + short(EXCHANGE) + short(queue) + b"\0" + long_table(b""))
        client.expect(50, 21)
    client.method(1, 85, 10, b"\0")
    client.expect(85, 11)


def long_table(fields):
    return struct.pack(">I", len(fields)) + fields


def frame(kind, payload):
    return struct.pack(">BHI", kind, 1, len(payload)) + payload + b"\xce"


def publish(client, args, queue, due_times, confirmed):
    """Publishes messages and waits for their confirms; returns how many there have been on this channel."""
    method = frame(1, struct.pack(">HH", 60, 40) + b"\0\0" + short(EXCHANGE) + short(queue) + b"\0")
    before = confirmed
    padding = bytes(args.size - 16)
    begin = time.monotonic()
    for start in range(0, len(due_times), BATCH):
        time.sleep(max(0, begin + start / args.rate - time.monotonic()))
        frames = []
        now = time.time_ns()
        for number in range(start, min(start + BATCH, len(due_times))):
            delay = max(1, due_times[number] - now // 1_000_000)
            headers = long_table(short("x-delay") + b"l" + struct.pack(">q", delay))
            header = struct.pack(">HHQH", 60, 0, args.size, 0x3000) + headers + b"\2"
            body = struct.pack(">QQ", number, now + delay * 1_000_000) + padding
            frames += (method, frame(2, header), frame(3, body))
        client.socket.sendall(b"".join(frames))
        while before + start + BATCH - confirmed > WINDOW or select.select([client.socket], [], [], 0)[0]:
            confirmed = struct.unpack(">Q", client.expect(60, 80)[:8])[0]
    while confirmed < before + len(due_times):
        confirmed = struct.unpack(">Q", client.expect(60, 80)[:8])[0]
    return confirmed


def consume(port, count, patience, results):
    """Takes so many messages; tells how late each was, in ns, how many never came, and how many more than once."""
    client = Client(port)
    client.method(1, 60, 20, b"\0\0" + short(QUEUE) + short("") + b"\2" + long_table(b""))
    client.expect(60, 21)
    lateness = []
    seen = bytearray(count)
    buffer = bytearray()
    client.socket.settimeout(patience)
    while len(lateness) < count:
        try:
            part = client.socket.recv(1 << 20)
        except TimeoutError:
            break
        now = time.time_ns()
        if not part:
            break
        buffer += part
        at = 0
        while len(buffer) - at >= 8:
            size = int.from_bytes(buffer[at + 3 : at + 7], "big")
            if len(buffer) - at < size + 8:
                break
            if buffer[at] == 3:
                number, due = struct.unpack_from(">QQ", buffer, at + 7)
                seen[number] += 1
                lateness.append(now - due)
            at += size + 8
        del buffer[:at]
    results.put((lateness, sum(1 for each in seen if each == 0), sum(1 for each in seen if each > 1)))


def measure(args, broker):
    table = Table()
    broker.start()
    client = Client(broker.port)
    declare(client)
    warm = publish(client, args, WARM_UP, [int(time.time() * 1000) + i // 50 for i in range(50_000)], 0)
    time.sleep(2)
    client.method(1, 50, 30, b"\0\0" + short(WARM_UP) + b"\0")
    client.expect(50, 31)
    start = time.time()
    first_due = int(start * 1000) + args.lead * 1000
    due_times = [first_due + i * args.seconds * 1_000 // args.messages for i in range(args.messages)]
    random.Random(1).shuffle(due_times)
    publish(client, args, QUEUE, due_times, warm)
    took = time.time() - start
    table.row("published and confirmed", f"{args.messages / took:,.0f}/s")
    broker.note_peak()
    table.row("resident at most, publishing", f"{broker.peak_mb:.0f} MB", "< 300 MB", broker.peak_mb < 300)
    table.row("on disk", f"{sum(broker.disk()) / MIB:,.0f} MiB")
    if args.kill:
        broker.kill()
        table.row("ready after kill -9", f"{broker.start():.1f} s")
    left = first_due / 1000 - time.time()
    if left < 1:
        sys.exit(f"the first messages were due {-left:.0f} s ago: give a longer --lead")
    results = multiprocessing.Queue()
    consumer = multiprocessing.Process(target=consume, args=(broker.port, args.messages, left + 30, results))
    consumer.start()
    lateness, lost, doubled = results.get()
    consumer.join()
    broker.note_peak()
    lateness.sort()
    p50, p99, most = (lateness[int(part * (len(lateness) - 1))] / 1e6 for part in (0.5, 0.99, 1))
    early = sum(1 for each in lateness if each < 0)
    table.row("due within", f"{args.seconds} s, {args.messages / args.seconds:,.0f}/s")
    table.row("late, median", f"{p50:.1f} ms")
    table.row("late, 99 % of them at most", f"{p99:.1f} ms", "" if args.kill else "< 20 ms", args.kill or p99 < 20)
    table.row("late, at most", f"{most:.1f} ms")
    table.row("lost, early, doubled", f"{lost}, {early}, {doubled}", "none", lost == early == doubled == 0)
    table.row("resident at most, altogether", f"{broker.peak_mb:.0f} MB", "< 300 MB", broker.peak_mb < 300)
    return table.missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", type=pathlib.Path, default=ROOT / "broker-server/target/mayfly.jar")
    parser.add_argument("--jvm", default="-Xmx128m", help="options of the Java virtual machine")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the broker")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes; must be on a disk, not in memory")
    parser.add_argument("--kill", action="store_true", help="kill -9 before the first is due")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=100, help="bytes of a body, 16 or more")
    parser.add_argument("--rate", type=int, default=25_000, help="messages a second that are published")
    parser.add_argument("--seconds", type=int, default=60, help="within which all are due")
    parser.add_argument("--lead", type=int, default=60, help="seconds until the first is due")
    args = parser.parse_args()
    if not args.jar.is_file():
        sys.exit(f"{args.jar} is missing: run mvn -q -DskipTests package first")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-bench-", dir=args.directory))
    broker = Broker(args, directory)
    try:
        missed = measure(args, broker)
    finally:
        if hasattr(broker, "process") and broker.process.poll() is None:
            broker.process.kill()
            broker.process.wait()
        shutil.rmtree(directory)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
