#!/usr/bin/env python3
"""Compares a build with an earlier one, in short rows by turns, and fails if it is slower or takes more memory beyond noise.

    mvn -q -DskipTests package && src/bench/fence.py /path/to/older.jar
    src/bench/fence.py --rows c --rounds 12 /path/to/older.jar         one row, more exactly
    src/bench/fence.py --record 0.3.0 /path/to/older.jar               and adds the rows to the history

Both builds run at the same time, one of them idle, and take turns; who is first changes from round to round. A round gives
one ratio for each part of a row. Noise makes single ratios lie on both sides of 1. So a part fails if three quarters of its
ratios are beyond the limit: a rate below 0.95 times the earlier one's, CPU or memory above 1.05 times. A row that fails is
measured once more, with twice as many rounds, and only that counts.

The exit code is 0, or 1 if a row has failed. --record adds a line for each part to docs/benchmarks/history.csv: the
version, the row, and its medians. Needs Linux and a C compiler; takes about five minutes.
"""

import argparse
import csv
import pathlib
import statistics
import sys

from brokers import ROOT, add_arguments, scratch
from compare import mayfly
from load import Load, compile_generator
from rows import ROWS, Limits, median

SHORT_ROWS = "abcdeh"
SLOWEST = 0.95
MOST = 1.05
HISTORY = ROOT / "docs/benchmarks/history.csv"
COLUMNS = ("version", "row", "part", "per_second", "cpu_us", "resident_mb", "rate_ratio", "cpu_ratio", "memory_ratio")


class Ratios:
    """How a build relates to the earlier one in one part of a row, round by round."""

    def __init__(self, now, before):
        pairs = list(zip(now, before))
        self.now = median(now)
        self.rate = [new.times_better(old) for new, old in pairs]
        self.cpu = [new.cpu_us / old.cpu_us for new, old in pairs if new.cpu_us and old.cpu_us]
        self.memory = [new.resident_mb / old.resident_mb for new, old in pairs if new.resident_mb and old.resident_mb]

    def failures(self):
        """What is beyond the limits in three quarters of the rounds."""
        if quarter(self.rate, 3) < SLOWEST:
            yield f"the rate is {statistics.median(self.rate):.2f} times the earlier one"
        for name, ratios in (("CPU", self.cpu), ("memory", self.memory)):
            if ratios and quarter(ratios, 1) > MOST:
                yield f"{name} is {statistics.median(ratios):.2f} times the earlier one's"

    def __str__(self):
        named = (("rate", self.rate), ("CPU", self.cpu), ("memory", self.memory))
        shown = (f"{name} {statistics.median(of):.2f} ({min(of):.2f} to {max(of):.2f})" for name, of in named if of)
        return ", ".join(shown)


def quarter(ratios, number):
    """The first or third quartile; the nearer extreme if there are too few ratios for quartiles."""
    if len(ratios) < 4:
        return max(ratios) if number == 3 else min(ratios)
    return statistics.quantiles(ratios, n=4, method="inclusive")[number - 1]


class Fence:
    def __init__(self, args, directory, load):
        self.args, self.directory, self.load = args, directory, load
        self.contenders = [mayfly(args, args.jar), mayfly(args, args.before)]

    def row(self, key):
        """Ratios of each part, {part: Ratios}; measured again if one has failed."""
        ratios = self.measured(key, self.args.rounds)
        if any(any(each.failures()) for each in ratios.values()):
            print(f"{key}: measured again", file=sys.stderr, flush=True)
            ratios = self.measured(key, 2 * self.args.rounds)
        return ratios

    def measured(self, key, rounds):
        limits = Limits(rounds, self.args.seconds, self.args.scale)
        now, before = self.contenders
        figures = ROWS[key].rounds(self.contenders, self.load, self.directory, limits)
        return {part: Ratios(row[now], row[before]) for part, row in figures.items()}


def record(version, rows):
    """Adds the rows of a version to the history."""
    is_new = not HISTORY.exists()
    with HISTORY.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        for (key, part), of in rows.items():
            ratios = [f"{statistics.median(each):.2f}" if each else "" for each in (of.rate, of.cpu, of.memory)]
            cpu, memory = (f"{value:.{digits}f}" if value else "" for value, digits in ((of.now.cpu_us, 2), (of.now.resident_mb, 0)))
            writer.writerow([version, key, part, f"{of.now.value:.0f}", cpu, memory, *ratios])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path, metavar="JAR", help="the earlier build")
    add_arguments(parser)
    parser.add_argument("--rows", default=SHORT_ROWS, help="letters of the rows")
    parser.add_argument("--rounds", type=int, default=6, help="that count, after two to warm up")
    parser.add_argument("--seconds", type=float, default=1.5, help="that a part takes, about, at most")
    parser.add_argument("--scale", type=float, default=0.4, help="of the numbers of messages")
    parser.add_argument("--record", metavar="VERSION", help="adds the rows to the history")
    args = parser.parse_args()
    unknown = set(args.rows) - set(ROWS)
    if unknown:
        sys.exit(f"there is no row {''.join(sorted(unknown))}")
    rows, failures = {}, []
    with scratch(args.directory) as directory:
        fence = Fence(args, directory, Load(compile_generator(directory)))
        for key in args.rows:
            for part, ratios in fence.row(key).items():
                name = f"{key} {part}".strip()
                rows[(key, part)] = ratios
                failures += [f"{name}: {what}" for what in ratios.failures()]
                print(f"{name}: {ratios.now}; {ratios}", flush=True)
    if args.record:
        record(args.record, rows)
    print(*(failures or ["no row is worse beyond noise"]), sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
