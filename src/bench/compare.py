#!/usr/bin/env python3
"""Drives the same load through several brokers, one after the other, several rounds, and prints a table of medians.

    cc -O2 -pthread -o /tmp/amqpload src/bench/amqpload.c
    src/bench/compare.py --load /tmp/amqpload --rounds 3 NAME=PORT:PID [NAME=PORT:PID ...]

Brokers have to be running on 127.0.0.1 with the user guest/guest. The PID is that of the process whose CPU time is read.
"""

import argparse
import re
import statistics
import subprocess

ROWS = {
    "a": ("16 B, transient, publish and consume", 1_000_000, "--size 16"),
    "b": ("1 KB, transient, publish and consume", 500_000, "--size 1000"),
    "c": (
        "1 KB, persistent, confirmed (window 1000), acknowledged",
        100_000,
        "--size 1000 --persistent --durable --confirm 1000 --ack 100 --prefetch 1000",
    ),
    "d": (
        "backlog of 100 B, transient",
        1_000_000,
        "--size 100 --consumers 0",
        "--publishers 0 --no-declare",
    ),
    "e": (
        "backlog of 100 B, persistent, confirmed (window 5000), acknowledged",
        1_000_000,
        "--size 100 --persistent --durable --confirm 5000 --consumers 0",
        "--publishers 0 --no-declare --durable --ack 100 --prefetch 1000",
    ),
    "h": ("16 B, 4 publishers, 4 queues, 4 consumers", 1_000_000, "--size 16 --publishers 4 --consumers 4 --queues 4"),
    "i": ("queue.declare one by one, with x-expires", 5_000, "--arg-int x-expires=600000 --declares 5000"),
}


def figures_of(command):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"(\w+)=([\d.]+)", out))


def run(load, row, name, port, pid, round_number):
    """Figures by part: a backlog is filled first and then emptied, everything else has one part."""
    _, messages, *parts = ROWS[row]
    # A slow broker gets fewer messages: what counts is the rate.
    count = messages if name == "MayflyMQ" else max(20_000, messages // 5)
    common = [load, "--port", port, "--pid", pid, "--queue", f"bench-{row}-{round_number}", "--timeout", "100"]
    if row == "i":
        figures = figures_of(common + parts[0].split())
        return {"": (float(figures["declares_per_s"]), float(figures["broker_cpu_us_per_declare"]), 0)}
    results = {}
    for part, options in zip(["", " out"] if len(parts) > 1 else [""], parts):
        figures = figures_of(common + options.split() + ["--messages", str(count)])
        rate = figures.get("received_per_s") or figures["sent_per_s"]
        results[part or (" in" if len(parts) > 1 else "")] = (
            float(rate),
            float(figures["broker_cpu_us_per_msg"]),
            float(figures["broker_rss_mb"]),
        )
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", default="/tmp/amqpload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="abcdehi")
    parser.add_argument("brokers", nargs="+")
    args = parser.parse_args()
    brokers = []
    for broker in args.brokers:
        name, where = broker.split("=")
        brokers.append((name, *where.split(":")))
    results = {}
    for round_number in range(args.rounds + 1):
        for row in args.rows:
            for name, port, pid in brokers:
                for part, figures in run(args.load, row, name, port, pid, round_number).items():
                    if round_number > 0:  # the first round warms up
                        results.setdefault((row + part, name), []).append(figures)
    print("| row | work | " + " | ".join(f"{name}: rate, CPU, resident" for name, _, _ in brokers) + " |")
    print("|---|---|" + "---|" * len(brokers))
    for row in sorted({row for row, _ in results}):
        cells = []
        for name, _, _ in brokers:
            rates, cpus, resident = (statistics.median(column) for column in zip(*results[(row, name)]))
            cells.append(f"{rates:,.0f}/s, {cpus:.2f} us" + (f", {resident:,.0f} MB" if resident else ""))
        print(f"| {row} | {ROWS[row[0]][0]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
