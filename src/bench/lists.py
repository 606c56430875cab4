#!/usr/bin/env python3
"""Measures what lists and metrics of very many queues take.

    mvn -q -DskipTests package
    src/bench/lists.py --jvm=-Xmx1g --queues 100000

It starts a broker of its own, with data in a new directory below --directory, which it removes. A page of a sorted list is asked for again and again, as a page
in a browser does; then once by each field, in both directions, which no earlier order helps.
"""

import argparse
import statistics
import sys
import time
import urllib.request

from brokers import add_arguments, free_port, one_mayfly
from management import request
from report import Table

REPEATS = 15
FIELDS = ("messages", "messages_ready", "message_bytes", "consumers", "memory", "messages_persistent")
PAGE = "queues?page=1&page_size=100&sort={}&sort_reverse={}"


def declare(broker, count):
    """Declares durable queues by an import of definitions."""
    queues = [
        {"name": f"queue-{i:06d}", "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}
        for i in range(count)
    ]
    request(broker, "POST", "definitions", {"queues": queues})


def took(broker, ask):
    """Returns how many ms a request took, and how many of the broker's processors."""
    cpu, began = broker.cpu_seconds(), time.monotonic()
    ask()
    return (time.monotonic() - began) * 1000, (broker.cpu_seconds() - cpu) * 1000


def repeated(broker, ask):
    """The median of both after as many requests that do not count."""
    for _ in range(REPEATS):
        ask()
    figures = [took(broker, ask) for _ in range(REPEATS)]
    return [statistics.median(each) for each in zip(*figures)]


def first_pages(broker):
    """The median over fields and directions, each asked for once, after a round of each."""
    figures = []
    for counts in (False, True):
        for field in FIELDS:
            for reverse in ("true", "false"):
                figure = took(broker, lambda: request(broker, "GET", PAGE.format(field, reverse)))
                if counts:
                    figures.append(figure)
        time.sleep(20)  # until no order is kept any more
    return [statistics.median(each) for each in zip(*figures)]


def add(table, name, figure, goal=None):
    """Adds a median to the table, with the time of the broker's processors beside it."""
    text = f"{figure[0]:.0f} ms, {figure[1]:.0f} ms CPU"
    table.row(name, text, f"{goal} ms" if goal else "", goal is None or figure[0] <= goal)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queues", type=int, default=100_000)
    add_arguments(parser)
    args = parser.parse_args()
    port = free_port()
    metrics = f"http://127.0.0.1:{port}/metrics"
    settings = ["prometheus.tcp.ip=127.0.0.1", f"prometheus.tcp.port={port}"]
    with one_mayfly(args, settings) as broker:
        broker.start()
        declare(broker, args.queues)
        table = Table()
        for name, goal, ask in (
            ("page of a sorted list", 50, lambda: request(broker, "GET", PAGE.format("messages", "true"))),
            ("/metrics", 200, lambda: urllib.request.urlopen(metrics).read()),
            ("overview", None, lambda: request(broker, "GET", "overview")),
        ):
            add(table, name, repeated(broker, ask), goal)
        add(table, "first page by a field", first_pages(broker))
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
