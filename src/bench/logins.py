#!/usr/bin/env python3
"""Measures what logins cost others: clients connect again and again, while another one measures how long its messages take.

    mvn -q -DskipTests package && src/bench/logins.py --write

The users are those of the broker, or those of a service that is asked by HTTP and takes 100 ms for each answer. A connection is opened and
closed with a handshake of its own each time. Needs Linux.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import struct
import sys
import time

import report
from amqp import Client, frame, long, message, short
from brokers import HOME, ROOT, add_arguments, free_port, mayfly, scratch, train

ANSWER_SECONDS = 0.1
PING_SECONDS = 0.005
GOAL_PER_SECOND = 1_000
GOAL_MS = 10
BACKENDS = ("the broker's own users", "a service that takes 100 ms")


def serve(port, ready):
    """Answers each request of the broker with yes, late; connections stay open."""

    async def client(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        await reader.readexactly(int(line.split(b":")[1]))
                await asyncio.sleep(ANSWER_SECONDS)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nallow")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main():
        server = await asyncio.start_server(client, "127.0.0.1", port, backlog=1024)
        ready.set()
        await server.serve_forever()

    asyncio.run(main())


class Handshake:
    """The frames of a connection from its beginning to its end."""

    START_OK = frame(1, 0, struct.pack(">HHI", 10, 11, 0) + short("PLAIN") + long("\0guest\0guest") + short("en_US"))
    TUNE_OK = frame(1, 0, struct.pack(">HHHIH", 10, 31, 2047, 131072, 0))
    OPEN = frame(1, 0, struct.pack(">HH", 10, 40) + short("/") + b"\0\0")
    CLOSE = frame(1, 0, struct.pack(">HHH", 10, 50, 200) + short("done") + struct.pack(">HH", 0, 0))

    @staticmethod
    async def expect(reader, class_id, method_id):
        header = await reader.readexactly(7)
        payload = (await reader.readexactly(struct.unpack(">I", header[3:])[0] + 1))[:-1]
        if struct.unpack(">HH", payload[:4]) != (class_id, method_id):
            raise ConnectionError(f"expected the method {class_id}.{method_id}, got {payload[:80]}")

    @classmethod
    async def run(cls, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(b"AMQP\0\0\x09\x01")
            await cls.expect(reader, 10, 10)
            writer.write(cls.START_OK)
            await cls.expect(reader, 10, 30)
            writer.write(cls.TUNE_OK + cls.OPEN)
            await cls.expect(reader, 10, 41)
            writer.write(cls.CLOSE)
            await cls.expect(reader, 10, 51)
        finally:
            writer.close()


def reconnect(port, rate, seconds, answer):
    """Connects so many times a second; tells how long each connection took until its end in ms, and why others failed."""

    async def one(took, failures):
        begun = time.monotonic()
        try:
            await Handshake.run(port)
            took.append((time.monotonic() - begun) * 1e3)
        except (asyncio.IncompleteReadError, OSError) as failure:
            failures.append(str(failure))

    async def main():
        took, failures, running, begun = [], [], set(), time.monotonic()
        for number in range(int(rate * seconds)):
            wait = begun + number / rate - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            task = asyncio.create_task(one(took, failures))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        return took, failures, time.monotonic() - begun

    answer.send(asyncio.run(main()))


def ping(client, seconds):
    """Sends messages to itself; returns how long each took in ms."""
    took, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        client.socket.sendall(message("", "pings", b"ping"))
        client.expect(60, 60)
        took.append((time.monotonic() - begun) * 1e3)
        time.sleep(PING_SECONDS)
    return took


def measure(broker, rate, seconds):
    with Client(broker.port) as client:
        client.declare("pings")
        client.method(1, 60, 20, b"\0\0" + short("pings") + short("") + b"\x02" + b"\0\0\0\0")
        client.expect(60, 21)
        ping(client, 2)
        answer, question = multiprocessing.Pipe()
        load = multiprocessing.Process(target=reconnect, args=(broker.port, rate, seconds, question))
        cpu = broker.cpu_seconds()
        load.start()
        pings = ping(client, seconds)
        logins, failures, took = answer.recv()
        load.join()
        if failures:
            print(failures[0], file=sys.stderr)
        return {
            "rate": len(logins) / took,
            "failed": len(failures),
            "login": statistics.median(logins),
            "cpu": (broker.cpu_seconds() - cpu) / len(logins) * 1e6,
            "median": statistics.median(pings),
            "late": sorted(pings)[int(len(pings) * 0.999)],
            "longest": max(pings),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--rate", type=int, default=GOAL_PER_SECOND, help="connections a second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after one to warm up")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    args = parser.parse_args()
    if args.jar == HOME:
        train(HOME)
    service, ready = free_port(), multiprocessing.Event()
    stub = multiprocessing.Process(target=serve, args=(service, ready), daemon=True)
    stub.start()
    if not ready.wait(10):
        sys.exit("the service does not start")
    asked = [f"auth_http.{what}_path=http://127.0.0.1:{service}/{what}" for what in ("user", "vhost", "resource", "topic")]
    found = {name: [] for name in BACKENDS}
    with scratch(args.directory) as directory:
        own = mayfly(directory / "own", args.jar, args.jvm, args.set)
        slow = mayfly(directory / "slow", args.jar, args.jvm, [*args.set, "auth_backends.1=http", *asked])
        for number in range(args.rounds + 1):
            for name, broker in zip(BACKENDS, (own, slow)):
                broker.start()
                try:
                    # The first ones warm it up.
                    measure(broker, args.rate, 3)
                    figures = measure(broker, args.rate, args.seconds)
                finally:
                    broker.stop()
                print(name, {key: round(value, 2) for key, value in figures.items()}, flush=True)
                if number > 0:
                    found[name].append(figures)
    stub.kill()
    lines = [
        report.machine(),
        "",
        "| users | logins a second | of these failed | a connection from its beginning to its end | CPU of one | a message of another, median | 99.9 % | longest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, rounds in found.items():
        of = {key: statistics.median(figures[key] for figures in rounds) for key in rounds[0]}
        lines.append(
            f"| {name} | {of['rate']:,.0f} | {of['failed']:.0f} | {of['login']:.1f} ms | {of['cpu']:.0f} us"
            f" | {of['median']:.2f} ms | {of['late']:.1f} ms | {of['longest']:.1f} ms |"
        )
    lines += ["", f"The goal is {GOAL_PER_SECOND:,} a second beside a service that takes 100 ms, with messages of others within {GOAL_MS} ms."]
    print("\n".join(lines))
    if args.write:
        report.write_section(ROOT / "docs/benchmarks.md", "logins", "\n".join(lines))


if __name__ == "__main__":
    main()
