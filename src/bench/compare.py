#!/usr/bin/env python3
"""Measures MayflyMQ beside other brokers, one after the other in each round, with the same load generator.

    mvn -q -DskipTests package && src/bench/compare.py --write
    src/bench/compare.py --rows ab --scale 0.1 mayfly mayfly:/path/to/older.jar       two builds, quickly
    src/bench/compare.py --rows dh mayfly "mayfly:-XX:+UseSerialGC -Xmx256m"          other options of Java

A broker is mayfly, mayfly:JAR, mayfly:OPTIONS of Java, "mayfly:JAR OPTIONS", rabbitmq or lavinmq. A JAR is started by java -jar, the
directory of a distribution in its place by bin/mayfly, with an archive of classes, as is the one that was built. Without any, MayflyMQ and those of the others that are installed are compared.
Each row starts its own brokers, on loopback, with free ports and new directories, which end with it. A row has one round to warm
up and three that count; its figures are their medians. A slow broker gets fewer messages, so that no part takes much longer than
--seconds: what counts is the rate.

Prints a table; --write puts it into docs/benchmarks.md, and its plots into docs/benchmarks. Needs Linux and a C compiler.
"""

import argparse
import dataclasses
import pathlib
import shutil
import sys
import tempfile

import report
import brokers
from brokers import RABBITMQ, ROOT, LavinMQ, RabbitMQ, add_arguments, add_rabbitmq_root, scratch, train
from load import Load, compile_generator
from rows import ROWS, Limits


@dataclasses.dataclass(eq=False)
class Contender:
    """One of the compared, of which each row makes a broker of its own."""

    make: object
    label: str
    version: str = ""

    def broker(self, directory):
        return self.make(pathlib.Path(tempfile.mkdtemp(dir=directory)))

    def __str__(self):
        return f"{self.label} {self.version}".strip()


def contender(name, args):
    kind, _, variant = name.partition(":")
    if kind == "mayfly":
        options = variant.split()
        jar = pathlib.Path(options.pop(0)) if options and not options[0].startswith("-") else args.jar
        return mayfly(args, jar, options, variant)
    if name == "rabbitmq" and (args.rabbitmq_root or shutil.which(args.rabbitmq)):
        return Contender(lambda directory: RabbitMQ(directory, args.rabbitmq, args.rabbitmq_root), "RabbitMQ")
    if name == "lavinmq" and shutil.which(args.lavinmq):
        return Contender(lambda directory: LavinMQ(directory, args.lavinmq), "LavinMQ")
    sys.exit(f"{name} is no broker that is known and installed")


def mayfly(args, jar, options=(), variant=""):
    if jar.is_dir():
        train(jar)
    jvm = " ".join([args.jvm, *options])
    return Contender(lambda directory: brokers.mayfly(directory, jar, jvm, args.set), f"MayflyMQ {variant}".strip())


def installed(args):
    found = {"rabbitmq": args.rabbitmq_root or shutil.which(args.rabbitmq), "lavinmq": shutil.which(args.lavinmq)}
    return ["mayfly"] + [name for name, where in found.items() if where]


def markdown(results, contenders):
    """A table with a line for each part of each row, and in the end how the first broker relates to each other one."""
    first, *others = contenders
    heads = [str(each) for each in contenders] + [f"beside {each.label}: speed, CPU" for each in others]
    lines = ["| row | work | " + " | ".join(heads) + " |", "|---|---|" + "---|" * len(heads)]
    for (key, part), figures in results.items():
        cells = [str(figures[each]) for each in contenders]
        cells += [ratios(figures[first], figures[other]) for other in others]
        work = ROWS[key].work + (f": {part}" if part else "")
        lines.append(f"| {key} | {work} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratios(ours, theirs):
    speed = ours.times_better(theirs)
    cpu = f", {theirs.cpu_us / ours.cpu_us:.3g}" if ours.cpu_us and theirs.cpu_us else ""
    return ("" if speed == float("inf") else f"{speed:.3g}") + cpu


def plots(results, contenders, directory):
    """A plot of the rates, and one of the CPU times."""
    for title, label, column in (
        ("Messages per second", "messages/s", lambda figure: figure.value if figure.unit == "/s" else None),
        ("CPU time per message", "us", lambda figure: figure.cpu_us),
    ):
        rows = {name: row for name, row in results.items() if any(column(figure) for figure in row.values())}
        if rows:
            groups = [f"{key} {part}".strip() for key, part in rows]
            series = {str(each): [column(row[each]) for row in rows.values()] for each in contenders}
            yield report.bars(title, label, groups, series, directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("brokers", nargs="*", metavar="BROKER", help="mayfly, mayfly:JAR, mayfly:OPTIONS, rabbitmq, lavinmq")
    parser.add_argument("--rows", default="".join(ROWS), help="letters of the rows; all by default")
    parser.add_argument("--rounds", type=int, default=3, help="that count, after one to warm up")
    parser.add_argument("--seconds", type=float, default=10, help="that a part takes, about, at most")
    parser.add_argument("--scale", type=float, default=1, help="of the numbers of messages; less is a trial")
    add_arguments(parser)
    parser.add_argument("--rabbitmq", default=RABBITMQ, metavar="PROGRAM", help="in --rabbitmq-root, if that is given")
    add_rabbitmq_root(parser)
    parser.add_argument("--lavinmq", default="lavinmq", metavar="PROGRAM")
    parser.add_argument("--write", action="store_true", help="the results into the documentation")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/benchmarks.md", help="that --write changes")
    args = parser.parse_args()
    unknown = set(args.rows) - set(ROWS)
    if unknown:
        sys.exit(f"there is no row {''.join(sorted(unknown))}")
    contenders = [contender(name, args) for name in args.brokers or installed(args)]
    limits = Limits(args.rounds, args.seconds, args.scale)
    results = {}
    with scratch(args.directory) as directory:
        load = Load(compile_generator(directory))
        for key in args.rows:
            for part, figures in ROWS[key].measure(contenders, load, directory, limits).items():
                results[(key, part)] = figures
                cells = ", ".join(f"{each}: {figure}" for each, figure in figures.items())
                print(f"{key} {part}: {cells}", file=sys.stderr, flush=True)
    table = markdown(results, contenders)
    print(table)
    if args.write:
        shown = plots(results, contenders, args.page.with_suffix(""))
        report.write_section(args.page, "compare", "\n\n".join([report.machine(args.scale), table, *shown]))


if __name__ == "__main__":
    main()
