#!/usr/bin/env python3
"""Measures how the cost of a message and the rate change with numbers of queues, connections, bindings, bytes and copies.

    mvn -q -DskipTests package && src/bench/scale.py --write
    src/bench/scale.py --scale 0.02 queues fanout      two of them, quickly

Each of queues, connections, bindings, sizes and fanout starts a broker of its own, on a free port, with data in a new
directory, and warms it up; a figure is the median of --rounds. Cost is the CPU time of the broker's process for each
message that a consumer got.

Prints tables; --write puts them into docs/benchmarks.md, and their plots into docs/benchmarks. Needs Linux and a C compiler.
"""

import argparse
import pathlib
import statistics
import sys

import report
from amqp import Client
from brokers import ROOT, add_arguments, one_mayfly
from load import Load, compile_generator


class Scale:
    """One thing that grows, with a broker that is ready."""

    def __init__(self, args, broker, load):
        self.args, self.broker, self.load = args, broker, load

    @staticmethod
    def steps(most):
        """1, 10, 100 and so on."""
        return [10**power for power in range(len(str(most)))]

    def traffic(self, options, messages=3_000_000):
        """Medians of rate and cost."""
        command = f"--size 100 --messages {self.scaled(messages)} --timeout 300 {options}"
        runs = [self.load.run(self.broker, command) for _ in range(self.args.rounds)]
        return tuple(
            statistics.median(run[column] for run in runs) for column in ("received_per_s", "broker_cpu_us_per_msg")
        )

    def scaled(self, messages):
        return max(16, int(messages * self.args.scale))

    def queues(self):
        """One publisher that goes round the queues, and one consumer of all of them."""
        for count in self.steps(10_000):
            yield "MayflyMQ", count, *self.traffic(f"--queue of-{count} --queues {count}")
            self.forget(f"of-{count}", count)

    def connections(self):
        """So many publishers, one queue, one consumer."""
        for count in self.steps(1_000):
            yield "MayflyMQ", count, *self.traffic(f"--queue to-{count} --publishers {count}")
            self.forget(f"to-{count}", 1)

    def bindings(self):
        """A publisher that goes round the keys of one exchange, by each of which one binding leads to the queue."""
        for kind in ("direct", "topic"):
            for count in self.steps(100_000):
                name = f"{kind}-{count}"
                with Client(self.broker.port) as client:
                    client.declare(name)
                    # The bindings of a durable one would go to the disk first.
                    client.declare_exchange(name, kind, durable=False)
                    client.bind_many(name, name, [binding(kind, number) for number in range(count)])
                options = f"--no-declare --queue {name} --exchange {name} --key k --keys {count}"
                yield kind, count, *self.traffic(options)
                self.forget(name, 1)

    def sizes(self):
        """One publisher and one consumer, 16 MB in between at most; and what TCP alone carries in the same run."""
        for size in (4**power * 1024 for power in range(8)):
            messages = min(500_000, 4_000_000_000 // size)
            options = f"--size {size} --queue sized-{size} --live {max(4, 16_000_000 // size)}"
            rate, cpu = self.traffic(options, messages)
            yield "MayflyMQ", size, rate * size, cpu
            self.forget(f"sized-{size}", 1)
            speeds = [self.load.loopback(size, self.scaled(messages)) for _ in range(self.args.rounds)]
            yield "TCP alone", size, statistics.median(speeds), None

    def fanout(self):
        """One publisher to a fanout exchange of so many queues, and one consumer of all of them."""
        for count in self.steps(1_000):
            name = f"fanout-{count}"
            with Client(self.broker.port) as client:
                client.declare_exchange(name, "fanout", durable=False)
            options = f"--queue {name} --exchange {name} --queues {count} --copies {count}"
            yield "MayflyMQ", count, *self.traffic(options, max(3_000_000 // count, 10_000))
            self.forget(name, count)

    def forget(self, name, count):
        with Client(self.broker.port) as client:
            client.delete(*([name] if count == 1 else [f"{name}-{number}" for number in range(count)]))


def binding(kind, number):
    """The keys are k.0, k.1 and so on; patterns of a topic exchange are of both kinds of words that stand for others."""
    if kind == "direct":
        return f"k.{number}"
    return f"*.{number}" if number % 2 else f"k.{number}.#"


# What grows, the title of its plot, and its columns: what is counted, the rate, and which of rate and cost is drawn.
SCALES = {
    "queues": ("Cost by number of queues", "queues", "messages/s", "cost"),
    "connections": ("Cost by number of publishing connections", "connections", "messages/s", "cost"),
    "bindings": ("Cost by number of bindings", "bindings", "messages/s", "cost"),
    "sizes": ("Throughput by size of a message", "bytes of a body", "bytes/s", "rate"),
    "fanout": ("Cost of a copy by number of copies", "copies of a message", "copies/s", "cost"),
}


def table(name, points):
    title, counted, per_second, _ = SCALES[name]
    lines = [f"### {title}", "", f"| | {counted} | {per_second} | CPU each |", "|---|---|---|---|"]
    for label, count, rate, cpu in points:
        cost = "" if cpu is None else f"{cpu:.2f} us"
        lines.append(f"| {label} | {count:,} | {rate:,.0f} | {cost} |")
    return "\n".join(lines)


def plot(name, points, directory):
    title, counted, per_second, drawn = SCALES[name]
    series = {}
    for label, count, rate, cpu in points:
        series.setdefault(label, []).append((count, cpu if drawn == "cost" else rate))
    return report.lines(title, counted, "us of CPU each" if drawn == "cost" else per_second, series, directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(SCALES)}; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1, help="of the numbers of messages; less is a trial")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    add_arguments(parser)
    args = parser.parse_args()
    if set(args.what) - set(SCALES):
        sys.exit(f"nothing of {' '.join(args.what)} but {', '.join(SCALES)} can grow")
    results = {}
    for name in args.what or SCALES:
        results[name] = []
        with one_mayfly(args) as broker:
            scale = Scale(args, broker, Load(compile_generator(broker.directory)))
            broker.start()
            scale.traffic("--queue warm-up")
            for point in getattr(scale, name)():
                results[name].append(point)
        print(table(name, results[name]), end="\n\n", flush=True)
    if args.write:
        directory = args.page.with_suffix("")
        parts = [f"{table(name, points)}\n\n{plot(name, points, directory)}" for name, points in results.items()]
        report.write_section(args.page, "scale", "\n\n".join([report.machine(args.scale), *parts]))


if __name__ == "__main__":
    main()
