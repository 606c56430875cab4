#!/usr/bin/env python3
"""Measures where the resident memory of a broker is, at the end of rows of the comparison: a column for each.

    mvn -q -DskipTests package && src/bench/footprint.py
    src/bench/footprint.py --rows d --seconds 3 "default=" "serial=-XX:+UseSerialGC"      variants with other options of Java

The broker starts as by bin/mayfly, with Java's tracking of native memory, which itself takes some megabytes. What Java has
reserved for each purpose is counted page by page, as far as it is resident; what is left of the anonymous memory are the
arenas of malloc, in which direct buffers are, too: those are also counted by what they have allocated. "alive" is what a full
collection leaves of the heap, in the end. Row "-"
is a broker that nothing was done to, ten seconds after its start. Needs Linux, and a JDK with jcmd.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import tempfile
import time

from brokers import HOME, MIB, Launched, jdk_tool, scratch, train
from load import Load, compile_generator
from rows import ROWS, Limits

HEADS = ("resident", "heap", "alive", "code", "classes", "collector", "stacks", "other of Java", "malloc and direct", "of these direct", "files")
KINDS = {
    "Java Heap": "heap",
    "Code": "code",
    "Class": "classes",
    "Metaspace": "classes",
    "Shared class space": "classes",
    "GC": "collector",
    "Thread": "stacks",
    "Thread Stack": "stacks",
}
AT_REST = 10


class Tracked(Launched):
    """A broker whose Java tells what its memory is for."""

    def __init__(self, directory, home, java, options):
        super().__init__(directory, home, java, f"{options} -XX:NativeMemoryTracking=detail".strip())
        self.jcmd = jdk_tool(java, "jcmd")

    def ask(self, *command):
        return subprocess.run([self.jcmd, str(self.pid), *command], capture_output=True, text=True, check=True).stdout

    def footprint(self):
        """Megabytes by purpose."""
        mappings = list(self.mappings())
        reserved = self.reserved()
        bytes_of = collections.Counter()
        for start, end, resident, path in mappings:
            bytes_of["resident"] += resident
            bytes_of[self.purpose(start, end, path, reserved)] += resident
        bytes_of["of these direct"] = self.direct_bytes()
        bytes_of["alive"] = int(re.search(r"^Total\s+\d+\s+(\d+)", self.ask("GC.class_histogram"), re.MULTILINE)[1])
        return [bytes_of[head] / MIB for head in HEADS]

    def direct_bytes(self):
        """What direct buffers have allocated, resident or not."""
        other = re.search(r"^- +Other \(.*committed=(\d+)KB", self.ask("VM.native_memory", "summary"), re.MULTILINE)
        return int(other[1]) * 1024 if other else 0

    def mappings(self):
        """Start, end, resident bytes and file of each mapping."""
        text = pathlib.Path(f"/proc/{self.pid}/smaps").read_text()
        pattern = r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)\n(?:.*\n)*?Rss: +(\d+) kB"
        for start, end, path, resident in re.findall(pattern, text, re.MULTILINE):
            yield int(start, 16), int(end, 16), int(resident) * 1024, path

    def reserved(self):
        """What Java has reserved: start, end and purpose."""
        pattern = r"^\[(0x[0-9a-f]+) - (0x[0-9a-f]+)\] reserved(?: and committed)? \S+ for (.*?)(?: from)?$"
        found = re.findall(pattern, self.ask("VM.native_memory", "detail"), re.MULTILINE)
        return [(int(start, 16), int(end, 16), KINDS.get(kind, "other of Java")) for start, end, kind in found]

    @staticmethod
    def purpose(start, end, path, reserved):
        """The purpose of which most of a mapping is. A reservation may be many mappings, and a mapping several of them."""
        overlap = collections.Counter()
        for low, high, kind in reserved:
            if low < end and start < high:
                overlap[kind] += min(end, high) - max(start, low)
        if overlap:
            return overlap.most_common(1)[0][0]
        if path == "[stack]":
            return "stacks"
        return "files" if path.startswith("/") else "malloc and direct"


def measure(broker, key, load, args):
    """The figures at the end of a row: a first round tells how much is done in each of the others."""
    broker.start()
    if key == "-":
        time.sleep(AT_REST)
        return broker.footprint()
    row, limits = ROWS[key], Limits(args.rounds, args.seconds, 1)
    messages = max(row.least, row.messages // 50)
    for number in range(args.rounds + 2):
        figures = row.run(broker, load, messages, f"{number}")
        if number < 2:
            messages = row.bounded(row.messages, figures, limits)
    return broker.footprint()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=["default="], metavar="NAME=OPTIONS", help="options of Java")
    parser.add_argument("--rows", default="-abd", help="letters of the rows; - is a fresh broker")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="that a part takes, about, at most")
    parser.add_argument("--home", type=pathlib.Path, default=HOME, help="the directory of the distribution")
    parser.add_argument("--java", help="the directory of the JDK; that on the PATH by default")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes; must be on a disk, not in memory")
    args = parser.parse_args()
    args.home = args.home.resolve()
    columns = {}
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        train(args.home, args.java)
        for key in args.rows:
            for variant in args.variants:
                name, _, options = variant.partition("=")
                broker = Tracked(pathlib.Path(tempfile.mkdtemp(dir=directory)), args.home, args.java, options)
                try:
                    columns[f"{name} {key}"] = measure(broker, key, load, args)
                finally:
                    broker.stop()
    print("| MB | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for place, head in enumerate(HEADS):
        print(f"| {head} | " + " | ".join(f"{figures[place]:.0f}" for figures in columns.values()) + " |")


if __name__ == "__main__":
    main()
