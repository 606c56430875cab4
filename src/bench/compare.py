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
    "h": ("16 B, 4 publishers, 4 queues, 4 consumers", 1_000_000, "--size 16 --publishers 4 --consumers 4 --queues 4"),
    "i": ("queue.declare one by one, with x-expires", 5_000, "--arg-int x-expires=600000 --declares 5000"),
}


def run(load, row, name, port, pid, round_number):
    _, messages, options = ROWS[row]
    # A slow broker gets fewer messages: what counts is the rate.
    count = messages if name == "MayflyMQ" else max(20_000, messages // 5)
    command = [load, "--port", port, "--pid", pid, "--queue", f"bench-{row}-{round_number}", "--timeout", "100"]
    command += options.split()
    if row != "i":
        command += ["--messages", str(count)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    figures = dict(re.findall(r"(\w+)=([\d.]+)", out))
    if row == "i":
        return float(figures["declares_per_s"]), float(figures["broker_cpu_us_per_declare"])
    return float(figures["received_per_s"]), float(figures["broker_cpu_us_per_msg"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", default="/tmp/amqpload")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="abchi")
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
                figures = run(args.load, row, name, port, pid, round_number)
                if round_number > 0:  # the first round warms up
                    results.setdefault((row, name), []).append(figures)
    print("| row | work | " + " | ".join(f"{name}: rate, CPU" for name, _, _ in brokers) + " |")
    print("|---|---|" + "---|" * len(brokers))
    for row in args.rows:
        cells = []
        for name, _, _ in brokers:
            rates, cpus = zip(*results[(row, name)])
            cells.append(f"{statistics.median(rates):,.0f}/s, {statistics.median(cpus):.2f} us")
        print(f"| {row} | {ROWS[row][0]} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
