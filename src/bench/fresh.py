#!/usr/bin/env python3
"""Measures what a broker costs in its first seconds, as bin/mayfly starts it: until it accepts a connection, in the first run of
messages, and in the runs after it.

    mvn -q -DskipTests package && src/bench/fresh.py
    src/bench/fresh.py "default=" "serial=-XX:+UseSerialGC -Xmx256m"       variants with other options of Java, by turns
    src/bench/fresh.py --java /usr/lib/jvm/temurin-25-jdk-amd64

Each round starts a broker with an empty data directory for each variant. A run sends --rate messages of 1 KB a second for
--seconds, open-loop: each message has its time from the rate alone, and latency is measured from that time. The figures are
medians of the rounds; the first round writes the archive of classes, if there is none, and is left out.
"""

import argparse
import pathlib
import statistics

from brokers import ROOT, Launched, scratch
from load import Load, compile_generator

HOME = ROOT / "broker-server/target/mayfly"


def measure(broker, load, args):
    """The figures of one broker, by name."""
    figures = {"start s": broker.start(), "CPU s": broker.cpu_seconds(), "fresh MB": broker.resident_mb()}
    for number in range(1, args.runs + 1):
        options = f"--queue fresh --size 1000 --rate {args.rate} --messages {args.rate * args.seconds} --timeout 120"
        before = broker.cpu_seconds()
        run = load.run(broker, options)
        figures[f"us {number}"] = (broker.cpu_seconds() - before) * 1e6 / (args.rate * args.seconds)
        figures[f"99 % ms {number}"] = run["latency_us_p99"] / 1000
    figures["MB"] = broker.resident_mb()
    broker.stop()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=["default="], metavar="NAME=OPTIONS", help="options of Java")
    parser.add_argument("--home", type=pathlib.Path, default=HOME, help="the directory of the distribution")
    parser.add_argument("--java", help="the directory of the JDK; that on the PATH by default")
    parser.add_argument("--rounds", type=int, default=3, help="after the first")
    parser.add_argument("--runs", type=int, default=2, help="of messages, in a round")
    parser.add_argument("--rate", type=int, default=150_000, help="messages a second")
    parser.add_argument("--seconds", type=int, default=4, help="of a run")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes")
    args = parser.parse_args()
    results = {}
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        for number in range(1 + args.rounds):
            for variant in args.variants:
                name, _, options = variant.partition("=")
                broker = Launched(directory / f"{name}-{number}", args.home, args.java, options)
                try:
                    figures = measure(broker, load, args)
                finally:
                    broker.stop()
                if number > 0:
                    results.setdefault(name, []).append(figures)
    for index, (name, rounds) in enumerate(results.items()):
        if index == 0:
            print("| | " + " | ".join(rounds[0]) + " |")
            print("|---" * (1 + len(rounds[0])) + "|")
        medians = (statistics.median(each[figure] for each in rounds) for figure in rounds[0])
        print(f"| {name} | " + " | ".join(f"{value:.2f}" if value < 100 else f"{value:.0f}" for value in medians) + " |")


if __name__ == "__main__":
    main()
