#!/usr/bin/env python3
"""Breaks a running broker in many ways, one after the other, and looks at what is left.

    mvn -q -DskipTests package
    src/bench/faults.py                        every fault, one after the other
    src/bench/faults.py --only fsync           those whose name has this text
    src/bench/faults.py --write docs/faults.md the table as a page

Each fault gets a broker and a data directory of its own. A client declares durable queues, publishes persistent messages and
acknowledges some, while system calls on a file fail (strace), signals arrive, a limit of the process is reached, the disk
fills, or memory runs out. Then the broker is started again without the fault. A fault is passed if everything that was
confirmed (queues and messages) is there, or the broker refuses the start with a line that says why; and if the broker
either went on or ended with a documented exit code. Needs Linux, strace, and root for the small disks.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

from amqp import Client, frame, message, short, table
from brokers import JAR, Mayfly, add_arguments, free_port, scratch

LOAD_SECONDS = 4
STOP_SECONDS = 60
QUEUES = ("left", "right")
FULL_DISK_MIB = 24


class Workload(threading.Thread):
    """Declares, publishes with confirms, consumes and acknowledges until it is told to stop; remembers what it was promised."""

    def __init__(self, port, body_bytes=200):
        super().__init__(daemon=True)
        self.port = port
        self.padding = bytes(body_bytes)
        self.declared = set()
        self.confirmed = set()
        self.settled = set()
        self.next_number = 0
        self.ended = threading.Event()

    def run(self):
        while not self.ended.is_set():
            try:
                with Client(self.port) as client:
                    client.socket.settimeout(5)
                    self.work(client)
            except (OSError, ConnectionError, struct.error):
                time.sleep(0.05)

    def work(self, client):
        client.confirm()
        while not self.ended.is_set():
            # A new one each time, so that metadata is written too.
            for queue in QUEUES + (f"more-{self.next_number}",):
                client.declare(queue)
                self.declared.add(queue)
            numbers = range(self.next_number, self.next_number + 20)
            self.next_number += len(numbers)
            tag_before = getattr(client, "tags", 0)
            client.tags = tag_before + len(numbers)
            frames = [
                message("", QUEUES[n % 2], struct.pack(">Q", n) + self.padding, delivery_mode=2) for n in numbers
            ]
            client.socket.sendall(b"".join(frames))
            self.await_confirms(client, tag_before, list(numbers))
            self.acknowledge_one(client)

    def await_confirms(self, client, before, numbers):
        open_tags = set(range(before + 1, before + len(numbers) + 1))
        lowest = before + 1
        while open_tags:
            method, arguments = next_method(client)
            if method not in ((60, 80), (60, 120)):
                continue
            tag, multiple = struct.unpack(">QB", arguments[:9])
            done = {each for each in open_tags if each == tag or (multiple & 1 and each <= tag)}
            if method == (60, 80):
                self.confirmed.update(numbers[each - lowest] for each in done)
            open_tags -= done

    def acknowledge_one(self, client):
        client.method(1, 60, 70, b"\0\0" + short(QUEUES[0]) + b"\0")
        method, arguments = next_method(client)
        if method != (60, 71):
            return
        number = struct.unpack(">Q", client.body[:8])[0]
        # From here on it may be gone, or not: the acknowledgement is on its way.
        self.settled.add(number)
        client.method(1, 60, 80, arguments[:8] + b"\0")

    def stop(self):
        self.ended.set()
        self.join(30)


def next_method(client):
    """The next method on channel 1 with its arguments; the body that belongs to it stays at the client."""
    client.body = b""
    wanted = 0
    found = None
    while True:
        header = client.stream.read(7)
        if len(header) < 7:
            raise ConnectionError("closed")
        kind, _, size = struct.unpack(">BHI", header)
        payload = client.stream.read(size + 1)[:-1]
        if kind == 1:
            found = struct.unpack(">HH", payload[:4]), payload[4:]
            if found[0] in ((10, 50), (20, 40)):
                raise ConnectionError(payload[7 : 7 + payload[6]].decode(errors="replace"))
            if found[0] not in ((60, 71), (60, 60)):
                return found
        elif kind == 2:
            wanted = struct.unpack(">Q", payload[4:12])[0]
            if not wanted:
                return found
        elif kind == 3:
            client.body += payload
            if len(client.body) >= wanted:
                return found


@dataclasses.dataclass
class Fault:
    """What is done to the broker. strace are its options; before, during: functions of the run."""

    name: str
    strace: tuple = ()
    jvm: tuple = ()
    settings: tuple = ()
    limits: tuple = ()
    disk_mib: int = 0
    before: object = None
    during: object = None
    body_bytes: int = 200


class Faulty(Mayfly):
    """A broker that is started with a fault."""

    def __init__(self, directory, jar, fault=None):
        jvm = fault.jvm if fault else ()
        settings = ("durability.segment_size=1048576", "shards=2", *(fault.settings if fault else ()))
        crash = f"-XX:ErrorFile={directory}/crash.log"
        super().__init__(directory, jar, ("-Xmx256m", crash, "-XX:-CreateCoredumpOnCrash", *jvm), settings)
        self.fault = fault
        self.http_port = free_port()
        self.metrics_port = free_port()

    def command(self):
        command = super().command()
        command[command.index("management.tcp.port=none")] = f"management.tcp.port={self.http_port}"
        command[command.index("prometheus.tcp.port=none")] = f"prometheus.tcp.port={self.metrics_port}"
        if not self.fault:
            return command
        if self.fault.limits:
            command = ["prlimit", *self.fault.limits, *command]
        if self.fault.strace:
            options = [each.format(data=self.data) for each in self.fault.strace]
            command = ["strace", "-f", "--seccomp-bpf", "-qqq", "-o", "/dev/null", *options, *command]
        return command

    def launch(self):
        """Starts it and waits until it listens, or has ended; tells whether it listens."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=subprocess.STDOUT, process_group=0)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(OSError, ConnectionError, struct.error):
                with Client(self.port):
                    return True
            time.sleep(0.1)
        return False

    def java(self):
        """The process id of the JVM, which may be below strace."""
        for line in subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True).stdout.splitlines()[1:]:
            pid, parent, name = line.split(None, 2)
            if name == "java" and self.process.pid in (int(pid), int(parent)):
                return int(pid)
        return self.process.pid


class Run:
    """One fault: before it, with it, and after it."""

    def __init__(self, fault, directory, jar):
        self.fault, self.directory, self.jar = fault, directory, jar
        self.broker = Faulty(directory, jar, fault)
        self.workload = None

    def run(self):
        mounted = self.fault.disk_mib and self.mount()
        try:
            return self.go()
        finally:
            self.broker.stop()
            if mounted:
                subprocess.run(["umount", "-l", self.broker.data], check=False)

    def mount(self):
        self.broker.data.mkdir(parents=True)
        size = f"size={self.fault.disk_mib}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", self.broker.data], check=True)
        return True

    def go(self):
        promised = Workload(self.broker.port, self.fault.body_bytes)
        if self.fault.before or self.fault.strace:
            self.prepare(promised)
        if self.fault.before:
            self.fault.before(self)
        listened = self.broker.launch()
        ended = "went on"
        if listened:
            self.workload = Workload(self.broker.port, self.fault.body_bytes)
            self.workload.next_number = 1_000_000
            self.workload.start()
            time.sleep(LOAD_SECONDS / 2)
            if self.fault.during:
                self.fault.during(self)
            time.sleep(LOAD_SECONDS)
            self.workload.stop()
        if self.broker.process.poll() is not None:
            ended = f"ended with {self.broker.process.returncode}"
        elif not listened:
            ended = "did not listen"
        self.end()
        return ended, self.lines(), self.inspect([promised] + ([self.workload] if self.workload else []))

    def prepare(self, promised):
        """Fills the data directory without the fault, and leaves it by kill -9."""
        healthy = Faulty(self.directory, self.jar)
        healthy.port = self.broker.port
        healthy.log = self.directory / "before.log"
        if not healthy.launch():
            raise RuntimeError(f"no start without the fault: {healthy.log.read_text(errors='replace')[-2000:]}")
        promised.start()
        time.sleep(LOAD_SECONDS)
        promised.stop()
        healthy.kill()

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.broker.java(), signal.SIGKILL)
        try:
            self.broker.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.broker.process.kill()
            self.broker.process.wait()

    def lines(self):
        """What the broker said about it."""
        text = self.broker.log.read_text(errors="replace")
        said = [
            line
            for line in text.splitlines()
            if re.search(r"\[(warning|error)\]|^[a-z]+: |cannot|refus", line) and "<ConnectionLog>" not in line and not line.startswith("strace")
        ]
        traces = [line for line in text.splitlines() if re.match(r"\s+at [\w.$]+\(", line)]
        return said, len(traces)

    def inspect(self, workloads):
        """Starts the broker without the fault and compares. Returns what is lost, as texts, or how it refused."""
        if self.fault.disk_mib:
            for filler in self.broker.data.glob("filler*"):
                filler.unlink()
        healthy = Faulty(self.directory, self.jar)
        healthy.log = self.directory / "after.log"
        healthy.data = self.broker.data
        if not healthy.launch():
            text = healthy.log.read_text(errors="replace").strip()
            healthy.stop()
            return [f"refused: {text.splitlines()[-1] if text else 'nothing said'}"]
        lost = []
        with Client(healthy.port) as client:
            found = set()
            for workload in workloads:
                for queue in sorted(workload.declared):
                    try:
                        client.declare(queue, passive=True)
                    except ConnectionError as e:
                        lost.append(f"queue {queue}: {e}")
                        client.method(1, 20, 41, b"")
                        client.method(1, 20, 10, b"\0")
                        client.expect(20, 11)
            for queue in QUEUES:
                found |= self.take_all(client, queue)
            # What one client has published another one may have acknowledged.
            settled = set().union(*(workload.settled for workload in workloads))
            for workload in workloads:
                missing = workload.confirmed - settled - found
                if missing:
                    lost.append(f"{len(missing)} of {len(workload.confirmed)} confirmed messages")
        self.total = sum(len(workload.confirmed) for workload in workloads)
        healthy.stop()
        return lost

    @staticmethod
    def take_all(client, queue):
        numbers = set()
        while True:
            client.method(1, 60, 70, b"\0\0" + short(queue) + b"\1")
            try:
                method, _ = next_method(client)
            except ConnectionError:
                client.method(1, 20, 41, b"")
                client.method(1, 20, 10, b"\0")
                client.expect(20, 11)
                return numbers
            if method != (60, 71):
                return numbers
            numbers.add(struct.unpack(">Q", client.body[:8])[0])


# The faults


def injected(calls, error, when):
    """Options of strace; it counts the calls of each thread by itself."""
    return "-e", f"trace={calls}", "-e", f"inject={calls}:error={error}:when={when}"


def file_faults(files):
    """System calls that fail on each file that the data directory of a broker has."""
    for path in files:
        where = ("-P", "{data}/" + path)
        for call, error, when in (
            ("pwrite64,write,pwritev,writev", "ENOSPC", "3"),
            ("pwrite64,write,pwritev,writev", "ENOSPC", "1+"),
            ("pwrite64,write,pwritev,writev", "EIO", "3"),
            ("fsync,fdatasync", "EIO", "2"),
            ("fsync,fdatasync", "EIO", "1+"),
            ("pread64,read,preadv,readv", "EIO", "1"),
            ("pread64,read,preadv,readv", "EIO", "4+"),
        ):
            title = call.split(",")[0].replace("pwrite64", "write").replace("pread64", "read")
            yield Fault(f"{title} {error} ({when}) on {path}", strace=(*where, *injected(call, error, when)))


def call_faults():
    """System calls that fail wherever they are made, the n-th of a process that has just started."""
    for call, error, whens in (
        ("fsync,fdatasync", "EIO", ("1", "3", "8", "20", "40+")),
        ("pwrite64", "ENOSPC", ("5", "30", "60+")),
        ("pwrite64", "EIO", ("5", "30")),
        ("rename,renameat,renameat2", "EIO", ("1", "1+")),
        ("unlink,unlinkat", "EIO", ("1+",)),
        ("mkdir,mkdirat", "ENOSPC", ("1+",)),
        ("ftruncate,fallocate", "ENOSPC", ("1", "1+")),
    ):
        for when in whens:
            yield Fault(f"{call.split(',')[0]} {error} ({when}) anywhere", strace=injected(call, error, when))


def signal_to(number):
    return lambda run: os.kill(run.broker.java(), number)


def stop_and_go(run):
    os.kill(run.broker.java(), signal.SIGSTOP)
    time.sleep(3)
    os.kill(run.broker.java(), signal.SIGCONT)


def signals():
    for name in ("HUP", "USR1", "USR2", "PIPE", "QUIT", "WINCH", "TERM", "INT", "KILL", "ABRT", "SEGV", "XFSZ", "ALRM"):
        yield Fault(f"SIG{name}", during=signal_to(getattr(signal, f"SIG{name}")))
    yield Fault("SIGSTOP, 3 s, SIGCONT", during=stop_and_go)


def limits():
    for name, option in (
        ("40 open files", "--nofile=40:40"),
        ("100 open files", "--nofile=100:100"),
        ("files of 300 kB", "--fsize=300000:300000"),
        ("files of 3 MB", "--fsize=3000000:3000000"),
    ):
        yield Fault(f"limit: {name}", limits=(option,), before=lambda run: None)


def fill(run, leave_bytes=0):
    """Fills the disk but for so many bytes."""
    state = os.statvfs(run.broker.data)
    free = state.f_bavail * state.f_frsize - leave_bytes
    if free > 0:
        with open(run.broker.data / f"filler-{leave_bytes}", "wb") as file:
            try:
                for _ in range(0, free, 4096):
                    file.write(bytes(4096))
            except OSError:
                pass


def fill_for_a_while(run):
    fill(run)
    time.sleep(3)
    for filler in run.broker.data.glob("filler*"):
        filler.unlink()
    time.sleep(2)


def disks():
    for leave in (0, 4096, 16_384, 65_536, 1 << 20):
        yield Fault(f"disk full but for {leave} bytes at the start", disk_mib=FULL_DISK_MIB, before=lambda run, leave=leave: fill(run, leave))
        yield Fault(f"disk full but for {leave} bytes under load", disk_mib=FULL_DISK_MIB, during=lambda run, leave=leave: fill(run, leave))
    yield Fault("disk full for 3 s under load", disk_mib=FULL_DISK_MIB, during=fill_for_a_while)


def big_messages(run):
    """Bodies that fit no heap, from four connections that send all but the last byte."""
    for _ in range(4):
        threading.Thread(target=half_message, args=(run.broker.port, 120 << 20), daemon=True).start()


def half_message(port, size):
    with contextlib.suppress(OSError, ConnectionError):
        with Client(port) as client:
            client.declare("big")
            client.socket.sendall(frame(1, 1, struct.pack(">HH", 60, 40) + b"\0\0" + short("") + short("big") + b"\0"))
            client.socket.sendall(frame(2, 1, struct.pack(">HHQH", 60, 0, size, 0)))
            part = bytes(100_000)
            for _ in range(0, size - len(part), len(part)):
                client.socket.sendall(frame(3, 1, part))
            time.sleep(5)


def many_queues(run):
    with contextlib.suppress(OSError, ConnectionError):
        with Client(run.broker.port) as client:
            client.socket.settimeout(10)
            client.declare_many([f"{'q' * 200}-{number}" for number in range(60_000)])


def many_connections(run):
    clients = []
    with contextlib.suppress(OSError, ConnectionError):
        for _ in range(3_000):
            clients.append(Client(run.broker.port))
    for client in clients:
        client.socket.close()


def many_bindings(run):
    with contextlib.suppress(OSError, ConnectionError):
        with Client(run.broker.port) as client:
            client.socket.settimeout(10)
            client.declare_exchange("wide", "topic")
            client.declare("bound")
            client.bind_many("bound", "wide", [f"{'k' * 150}.{number}" for number in range(150_000)])


def large_http(run):
    def post():
        with contextlib.suppress(OSError):
            request = urllib.request.Request(
                f"http://127.0.0.1:{run.broker.http_port}/api/definitions",
                data=b'{"queues":[' + b"{},{}," * 4_000_000 + b"{}]}",
                headers={"Content-Type": "application/json", "Authorization": "Basic Z3Vlc3Q6Z3Vlc3Q="},
            )
            urllib.request.urlopen(request, timeout=20).read()

    for _ in range(3):
        threading.Thread(target=post, daemon=True).start()


def unread_deliveries(run):
    """A consumer that reads nothing, of a queue that is full of large messages."""

    def go():
        with contextlib.suppress(OSError, ConnectionError):
            with Client(run.broker.port) as client:
                client.declare("unread")
                for _ in range(200):
                    client.socket.sendall(message("", "unread", bytes(100_000)))
                client.consume("unread")
                time.sleep(5)

    threading.Thread(target=go, daemon=True).start()


def unread_scrapes(run):
    """Sixty that ask for the metrics of many queues and read nothing."""
    with Client(run.broker.port) as client:
        client.declare_many([f"scraped-{number}" for number in range(5_000)])
    request = b"GET /metrics/per-object HTTP/1.1\r\nHost: localhost\r\n\r\n"
    sockets = []
    for _ in range(60):
        with contextlib.suppress(OSError):
            scraper = socket.create_connection(("127.0.0.1", run.broker.metrics_port))
            scraper.sendall(request)
            sockets.append(scraper)
    time.sleep(3)
    for scraper in sockets:
        scraper.close()


def open_transaction(run):
    """Messages of 60 MB in a transaction that is never committed."""

    def go():
        with contextlib.suppress(OSError, ConnectionError):
            with Client(run.broker.port) as client:
                client.declare("uncommitted")
                client.method(1, 90, 10, b"")
                client.expect(90, 11)
                for _ in range(600):
                    client.socket.sendall(message("", "uncommitted", bytes(100_000)))
                time.sleep(5)

    threading.Thread(target=go, daemon=True).start()


def dead_letter_fan_out(run):
    """Nine queues that dead-letter to one another by one exchange."""
    queues = [f"fan-{number}" for number in range(9)]
    with Client(run.broker.port) as client:
        client.declare_exchange("fan", "fanout")
        for queue in queues:
            client.declare(queue, x_message_ttl=50, x_dead_letter_exchange="fan")
            client.bind(queue, "fan", "")
        for queue in queues[:3]:
            client.publish(queue, b"once")
        time.sleep(3)


def large_consumers(run):
    """Consumers with arguments of 120 KB, until the broker refuses them."""
    large = table(**{f"x_a{number}": "y" * 20_000 for number in range(6)})
    with contextlib.suppress(OSError, ConnectionError):
        with Client(run.broker.port) as client:
            client.socket.settimeout(10)
            client.declare("consumed")
            for number in range(2_000):
                client.method(1, 60, 20, b"\0\0" + short("consumed") + short(f"c{number}") + b"\x08" + large)


def many_channels(run):
    """Thirty connections with 2,047 channels each."""
    clients = []
    for _ in range(30):
        with contextlib.suppress(OSError, ConnectionError):
            clients.append(Client(run.broker.port))
            clients[-1].socket.settimeout(10)
            for channel in range(2, 2_048):
                clients[-1].method(channel, 20, 10, b"\0")
    time.sleep(2)
    for client in clients:
        client.socket.close()


def recent_histories(run):
    """Exchanges that keep a thousand messages of 100 KB each."""

    def go():
        with contextlib.suppress(OSError, ConnectionError):
            with Client(run.broker.port) as client:
                for number in range(50):
                    client.declare_exchange(f"recent-{number}", "x-recent-history", False, x_recent_history_length=1_000)
                for number in range(2_000):
                    client.socket.sendall(message(f"recent-{number % 50}", "", bytes(100_000)))

    threading.Thread(target=go, daemon=True).start()


def large_parameters(run):
    """Global parameters of 900 KB."""
    for number in range(60):
        with contextlib.suppress(OSError):
            request = urllib.request.Request(
                f"http://127.0.0.1:{run.broker.http_port}/api/global-parameters/p{number}",
                method="PUT",
                data=b'{"value":"' + b"v" * 900_000 + b'"}',
                headers={"Content-Type": "application/json", "Authorization": "Basic Z3Vlc3Q6Z3Vlc3Q="},
            )
            urllib.request.urlopen(request, timeout=20).read()


def memory():
    for name, during in (
        ("half-sent messages of 120 MB", big_messages),
        ("60,000 durable queues with long names", many_queues),
        ("3,000 connections", many_connections),
        ("150,000 bindings", many_bindings),
        ("definitions of 24 MB over HTTP, three at once", large_http),
        ("a consumer that reads nothing", unread_deliveries),
        ("60 scrapers of 5,000 queues that read nothing", unread_scrapes),
        ("a transaction of 60 MB that stays open", open_transaction),
        ("dead letters of nine queues to one another", dead_letter_fan_out),
        ("2,000 consumers with arguments of 120 KB", large_consumers),
        ("30 connections with 2,047 channels", many_channels),
        ("50 recent histories of 1,000 messages of 100 KB", recent_histories),
        ("60 global parameters of 900 KB", large_parameters),
    ):
        for heap in ("-Xmx40m", "-Xmx64m"):
            yield Fault(f"memory: {name}, {heap}", jvm=(heap,), during=during)


def faults(files):
    yield from file_faults(files)
    yield from call_faults()
    yield from signals()
    yield from limits()
    yield from disks()
    yield from memory()


def files_of_a_broker(directory, jar):
    """The files that a broker's data directory has under load, by their paths in it."""
    broker = Faulty(directory, jar)
    if not broker.launch():
        sys.exit(f"the broker does not start:\n{broker.log.read_text(errors='replace')}")
    workload = Workload(broker.port)
    workload.start()
    time.sleep(LOAD_SECONDS)
    workload.stop()
    files = sorted(str(path.relative_to(broker.data)) for path in broker.data.rglob("*") if path.is_file())
    broker.kill()
    shutil.rmtree(broker.data)
    return files


PAGE = """# What faults do

Each row is a fault that was injected into a broker under load: a client declares durable queues, publishes persistent messages with
confirms and acknowledges some of them. Then the broker is restarted without the fault, and its messages are compared with the confirmed
ones. `(3)` means the third system call of this kind on the file, `(4+)` the fourth and all later ones, `(1+)` all of them. Files with the same
outcome share a row. In all {count} cases no confirmed message and no declared queue is lost.

    src/bench/faults.py --write docs/faults.md

| fault | the broker | its last warning |
|---|---|---|
"""


def page(rows):
    """The table: faults of several files with the same outcome are one row."""
    grouped = {}
    for name, ended, line, outcome in rows:
        kind, _, path = name.partition(" on ")
        line = re.sub(r"\d{6,}|[0-9a-f-]{36}", "N", line).replace("|", "\\|")
        line = re.sub(r"shard-[01]", "shard-N", re.sub(r"(shard|log) [01]", r"\1 N", line))
        key = kind, ended, line, outcome if "nothing of" not in outcome else ""
        grouped.setdefault(key, []).append(path)
    text = PAGE.format(count=len(rows))
    for (kind, ended, line, outcome), paths in grouped.items():
        files = ", ".join(dict.fromkeys(re.sub(r"shard-[01]", "shard-N", f"`{path}`") for path in paths if path))
        line = f"`{line}`" if line else ""
        text += f"| {kind}{' on ' + files if files else ''} | {ended}{'; ' + outcome if outcome else ''} | {line} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.set_defaults(jar=JAR)
    parser.add_argument("--only", default="", help="faults whose name has this text")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="write the table as a page")
    parser.add_argument("--keep", action="store_true", help="keep the directories of faults that lose something")
    args = parser.parse_args()
    rows = []
    bad = 0
    with scratch(args.directory) as directory:
        files = files_of_a_broker(directory / "first", args.jar)
        print("files:", *files)
        chosen = [fault for fault in faults(files) if args.only in fault.name]
        for number, fault in enumerate(chosen):
            if args.list:
                print(fault.name)
                continue
            run = Run(fault, directory / str(number), args.jar)
            ended, (said, traces), lost = run.run()
            refused = bool(lost) and lost[0].startswith("refused")
            line = re.sub(r"^[\d-]+ [\d:.]+ ", "", said[-1]) if said else ""
            line = line.replace(str(run.broker.data), "DATA")
            outcome = "; ".join(lost) if lost else f"nothing of {run.total:,} confirmed is lost"
            wrong = (lost and not refused) or (traces and fault.name != "SIGQUIT")
            bad += bool(wrong)
            rows.append((fault.name, ended, line, outcome.replace(str(run.broker.data), "DATA")))
            print(f"{'BAD ' if wrong else 'ok  '} {fault.name} | {ended} | {line[:160]} | {outcome[:300]}" + (f" | {traces} lines of stack traces" if traces else ""), flush=True)
            if wrong and args.keep:
                shutil.copytree(run.directory, pathlib.Path("/tmp/faults") / str(number), dirs_exist_ok=True)
            shutil.rmtree(run.directory, ignore_errors=True)
    print(f"{len(rows)} faults, {bad} bad")
    if args.write:
        args.write.write_text(page(rows))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
