#!/usr/bin/env python3
"""Measures how fast a shovel moves messages between two brokers: ours, and RabbitMQ's by turns in the same run.

    mvn -q -DskipTests package && src/bench/shovel.py --write
    src/bench/shovel.py --rabbitmq-root DIR                     with the RabbitMQ of another Debian

The source has a queue of persistent messages of 1 KB when the shovel starts, with ack-mode on-confirm. The rate is that between the first
twentieth and the last message in the destination, the processor time that of both brokers. Of MayflyMQ it is also measured from one queue to
another of the same broker. Medians of the rounds, after one to warm up. Needs Linux, a C compiler and rabbitmq-server.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import management
import report
from amqp import Client
from brokers import HOME, RABBITMQ, ROOT, RabbitMQ, add_arguments, add_rabbitmq_root, mayfly, scratch, train, within
from load import Load, compile_generator

FILL = "--size 1024 --persistent --durable --confirm 1000 --consumers 0 --timeout 600"
RATE_TIMES = 4
CPU_TIMES = 4
WITHIN = 500_000


class RabbitMQWithShovels(RabbitMQ):
    def start(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "plugins").write_text("[rabbitmq_shovel].\n")
        return super().start()

    def shovel(self, name, parameter):
        """Starts a shovel; ends it if there is no parameter."""
        what = ["clear_parameter", "shovel", name] if parameter is None else ["set_parameter", "shovel", name, json.dumps(parameter)]
        command = within(self.root, self.directory, [str(pathlib.Path(RABBITMQ).with_name("rabbitmqctl")), *what])
        subprocess.run(command, env=self.environment(), cwd=self.directory, check=True, stdout=subprocess.DEVNULL)


def shovel(broker, name, parameter):
    if isinstance(broker, RabbitMQ):
        broker.shovel(name, parameter)
    elif parameter is None:
        management.request(broker, "DELETE", f"parameters/shovel/%2F/{name}")
    else:
        management.request(broker, "PUT", f"parameters/shovel/%2F/{name}", {"value": parameter})


def address(broker, other):
    """As a shovel has it: a broker that it begins and ends in has no host."""
    return "amqp://" if broker is other else f"amqp://guest:guest@127.0.0.1:{broker.port}"


def one_round(load, source, destination, messages, number):
    """Returns messages per second, and microseconds of processor time per message."""
    queue, target = f"from-{number}", f"to-{number}"
    with Client(destination.port) as client:
        client.declare(target)
        load.run(source, f"--queue {queue} --messages {messages} {FILL}")
        brokers = {source, destination}
        shovel(
            source,
            "moving",
            {
                "src-uri": address(source, destination),
                "src-queue": queue,
                "dest-uri": address(destination, source),
                "dest-queue": target,
                "ack-mode": "on-confirm",
                "src-prefetch-count": 1000,
            },
        )
        begun, first, cpu = None, 0, 0
        limit = time.monotonic() + 600
        while True:
            arrived = client.declare(target, passive=True)
            if begun is None and arrived >= messages // 20:
                begun, first, cpu = time.monotonic(), arrived, sum(each.cpu_seconds() for each in brokers)
            if arrived >= messages:
                break
            if time.monotonic() > limit:
                sys.exit(f"{source.name}: {arrived} of {messages} messages have arrived in ten minutes")
            time.sleep(0.01)
        took = time.monotonic() - begun
        cpu = sum(each.cpu_seconds() for each in brokers) - cpu
        shovel(source, "moving", None)
        client.purge(target)
    return (messages - first) / took, cpu / (messages - first) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    add_rabbitmq_root(parser)
    parser.add_argument("--rounds", type=int, default=3, help="that are measured, after one to warm up")
    parser.add_argument("--messages", type=int, default=200_000, help="of MayflyMQ in a round; RabbitMQ moves a fifth of them")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    args = parser.parse_args()
    if args.jar == HOME:
        train(HOME)
    found = {}
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        ours = [mayfly(directory / name, args.jar, args.jvm, args.set) for name in ("a", "b")]
        theirs = []
        if args.rabbitmq_root or os.path.exists(RABBITMQ):
            theirs = [RabbitMQWithShovels(directory / name, root=args.rabbitmq_root) for name in ("c", "d")]
        try:
            for each in ours + theirs:
                each.start()
            for number in range(args.rounds + 1):
                rows = [("MayflyMQ", *ours, args.messages), ("MayflyMQ, within one broker", ours[0], ours[0], args.messages)]
                if theirs:
                    rows.insert(1, ("RabbitMQ " + theirs[0].version, *theirs, args.messages // 5))
                for name, source, destination, messages in rows:
                    rate, cpu = one_round(load, source, destination, messages, number)
                    print(f"{name}: {rate:,.0f}/s, {cpu:.1f} us", flush=True)
                    if number > 0:
                        found.setdefault(name, []).append((rate, cpu))
        finally:
            for each in ours + theirs:
                each.stop()
    lines = [report.machine(), "", "| shovel, 1 KB, persistent, `on-confirm` | messages/s | CPU of all brokers |", "|---|---|---|"]
    medians = {name: tuple(statistics.median(each) for each in zip(*figures)) for name, figures in found.items()}
    lines += [f"| {name} | {rate:,.0f} | {cpu:.1f} us |" for name, (rate, cpu) in medians.items()]
    peer = next((figures for name, figures in medians.items() if name.startswith("RabbitMQ")), None)
    if peer:
        rate, cpu = medians["MayflyMQ"]
        lines += [
            "",
            f"MayflyMQ moves {rate / peer[0]:.1f} times as many (goal {RATE_TIMES}) at 1/{peer[1] / cpu:.1f} of the processor time",
            f"(goal 1/{CPU_TIMES}). The goal within one broker is {WITHIN:,}/s.",
        ]
    print("\n".join(lines))
    if args.write:
        report.write_section(ROOT / "docs/benchmarks.md", "shovel", "\n".join(lines))


if __name__ == "__main__":
    main()
