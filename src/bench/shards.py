#!/usr/bin/env python3
"""Measures what messages cost by the number of shards: bursts, and times that a thread of the broker had to be woken.

    mvn -q -DskipTests package && src/bench/shards.py --write
    src/bench/shards.py --seconds 1 --shards 1 4              quickly

A machine with few cores does not show what many of them would do, but what they would have to do: each hand-over between shards
is a burst of the other one, and where that sleeps, a wake-up. Both are counted, not timed. "apart" has a queue for each pair of a
publisher and a consumer, "hot" one queue for all of them. The broker is on loopback, with data in a new directory. Needs Linux,
for /proc, and a C compiler.
"""

import argparse
import pathlib
import re
import statistics
import tempfile
import urllib.request

import report
from brokers import HOME, ROOT, Launched, free_port, scratch, train
from load import Load, compile_generator

LOADS = {
    "one queue, one publisher, one consumer": "--size 16",
    "apart: 4 queues": "--size 16 --publishers 4 --queues 4 --consumers 4",
    "hot: one queue, 4 publishers, 4 consumers": "--size 16 --publishers 4 --queues 1 --consumers 4",
}
BURSTS = re.compile(r"^mayfly_event_loop_burst_seconds_count(?:\{[^}]*\})? (\S+)", re.MULTILINE)


class Counted(Launched):
    """A broker whose bursts and wake-ups are read."""

    def __init__(self, directory, home, shards):
        self.metrics = free_port()
        settings = (f"shards={shards}", "prometheus.tcp.ip=127.0.0.1")
        super().__init__(directory, home, settings=settings)

    def command(self):
        listening = f"prometheus.tcp.port={self.metrics}"
        return [each if each != "prometheus.tcp.port=none" else listening for each in super().command()]

    def bursts(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/metrics") as answer:
            return sum(float(each) for each in BURSTS.findall(answer.read().decode()))

    def wake_ups(self):
        """How often a thread of its event loops went to sleep so far."""
        total = 0
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            if (task / "comm").read_text().startswith("shard"):
                total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.MULTILINE)[1])
        return total


def measure(broker, load, options, args):
    """Medians of the rate, CPU time, bursts and wake-ups per 1,000 messages; the first rounds tell how many messages are enough."""
    messages, rounds = 200_000, []
    for number in range(args.rounds + 2):
        before = broker.bursts(), broker.wake_ups()
        figures = load.run(broker, f"--queue q{abs(hash(options))}-{number} --messages {messages} {options} --timeout 300")
        after = broker.bursts(), broker.wake_ups()
        counted = [(now - then) / messages * 1_000 for then, now in zip(before, after)]
        if number > 1:
            rounds.append([figures["received_per_s"], figures["broker_cpu_us_per_msg"], *counted])
        else:
            messages = max(messages, int(figures["received_per_s"] * args.seconds))
    return [statistics.median(each) for each in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4, 16])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="that a round takes, about")
    parser.add_argument("--home", type=pathlib.Path, default=HOME, help="the directory of the distribution")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    args = parser.parse_args()
    args.home = args.home.resolve()
    lines = ["| load | shards | messages/s | CPU each | bursts per 1,000 | wake-ups per 1,000 |", "|---|---|---|---|---|---|"]
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        train(args.home)
        for what, options in LOADS.items():
            for shards in args.shards:
                broker = Counted(pathlib.Path(tempfile.mkdtemp(dir=directory)), args.home, shards)
                try:
                    broker.start()
                    rate, cpu, bursts, wake_ups = measure(broker, load, options, args)
                finally:
                    broker.stop()
                lines.append(f"| {what} | {shards} | {rate:,.0f} | {cpu:.2f} us | {bursts:.1f} | {wake_ups:.1f} |")
                print(lines[-1], flush=True)
    if args.write:
        report.write_section(args.page, "shards", "\n\n".join([report.machine(), "\n".join(lines)]))


if __name__ == "__main__":
    main()
