"""Brokers as child processes of a measurement: on loopback, with ports and directories of their own."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from amqp import Client

ROOT = pathlib.Path(__file__).resolve().parents[2]
JAR = ROOT / "broker-server/target/mayfly.jar"
HOME = ROOT / "broker-server/target/mayfly"
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"
START_SECONDS = 300
STOP_SECONDS = 30
MIB = 1 << 20


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Broker:
    """A broker that is started, watched and ended by its process id. Needs Linux, for /proc."""

    def __init__(self, directory):
        self.port = free_port()
        self.directory = directory
        self.data = directory / "data"
        self.log = directory / "broker.log"
        self.process = None
        self.launched = 0.0
        self.peak_mb = 0.0

    def command(self):
        raise NotImplementedError

    def environment(self):
        return None

    def start(self):
        """Returns how many seconds it took until it had accepted a client's connection.open."""
        self.launch()
        return self.await_ready()

    def launch(self):
        """Starts it, and does not wait."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.launched = time.monotonic()
        with self.log.open("ab") as log:
            # In a process group of its own, so that ^C reaches the measurement alone, which then ends the broker. Not in a
            # session: Linux gives each one the same share of the processors (autogroup), the broker as much as the generator.
            self.process = subprocess.Popen(
                self.command(),
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment(),
                cwd=self.directory,  # where a broker may leave a dump
                process_group=0,
            )

    def await_ready(self):
        """Waits until it has accepted a client's connection.open; returns how many seconds that took from its launch."""
        while True:
            try:
                with Client(self.port) as client:
                    seconds = time.monotonic() - self.launched
                    self.version = client.version()
                return seconds
            except OSError:
                if self.process.poll() is not None or time.monotonic() - self.launched > START_SECONDS:
                    sys.exit(f"the broker did not get ready:\n{self.log.read_text(errors='replace')}")
                time.sleep(0.005)

    @property
    def pid(self):
        """The process whose CPU time and memory are those of the broker."""
        return self.process.pid

    def cpu_seconds(self):
        """User and system time so far."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self):
        return self._status("VmRSS")

    def note_peak(self):
        """Remembers the most memory that a process has had resident."""
        self.peak_mb = max(self.peak_mb, self._status("VmHWM"))

    def _status(self, name):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(name + r":\s+(\d+) kB", status)[1]) / 1024

    def kill(self):
        self.note_peak()
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it if it runs: asks first."""
        if self.process and self.process.poll() is None:
            try:
                os.kill(self.pid, signal.SIGTERM)
                self.process.wait(STOP_SECONDS)
            except (subprocess.TimeoutExpired, ProcessLookupError):
                for pid in list(descendants(self.process.pid)):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self.process.wait()


class Mayfly(Broker):
    """The packaged broker.

    jvm are options of its Java, settings are KEY=VALUE of its configuration.
    """

    name = "MayflyMQ"

    def __init__(self, directory, jar=JAR, jvm=(), settings=()):
        super().__init__(directory)
        if not jar.is_file():
            sys.exit(f"{jar} is missing: run mvn -q -DskipTests package first")
        self.jar, self.jvm, self.settings = jar, jvm, settings

    def command(self):
        own = [f"listeners.tcp.default=127.0.0.1:{self.port}", f"data_dir={self.data}"]
        # Only the control command needs HTTP, and finds its port; nothing from elsewhere does.
        own += ["management.tcp.ip=127.0.0.1", "management.tcp.port=none", "prometheus.tcp.port=none"]
        command = ["java", *self.jvm, "-jar", str(self.jar.resolve())]
        for setting in (*own, *self.settings):
            command += ["--set", setting]
        return command

    def start(self):
        seconds = super().start()
        self.version = ""  # clients are told that of the RabbitMQ whose manners it has
        return seconds

    def disk(self):
        """Bytes of the message log of each shard."""
        return [directory_bytes(shard) for shard in sorted((self.data / "messages").glob("shard-*"))]

    def segment_bytes(self):
        """The largest file of the message log."""
        return max(path.stat().st_size for path in (self.data / "messages").glob("shard-*/*"))


class Launched(Mayfly):
    """A broker that bin/mayfly starts: home is the directory of the distribution, java that of the JDK, options are Java's."""

    def __init__(self, directory, home, java=None, options="", settings=()):
        super().__init__(directory, home / "lib/mayfly.jar", settings=settings)
        self.home, self.java, self.options = home, java, options

    def command(self):
        plain = super().command()
        return [str(self.home / "bin/mayfly"), *plain[plain.index("--set") :]]

    def environment(self):
        return os.environ | {"MAYFLY_JAVA_OPTS": self.options} | java_home(self.java)


def mayfly(directory, program, options="", settings=()):
    """A broker: of the directory of a distribution, as bin/mayfly starts it, or of a jar, as java -jar does. options are Java's."""
    if not program.exists():
        sys.exit(f"{program} is missing: run mvn -q -DskipTests package first")
    # A broker is launched in a directory of its own.
    program = program.resolve()
    if program.is_dir():
        return Launched(directory, program, options=options, settings=settings)
    return Mayfly(directory, program, options.split(), settings)


def java_home(java):
    return {"JAVA_HOME": java} if java else {}


def jdk_tool(java, name):
    """The path of a tool of a JDK: of that in the directory java, or of that on the PATH if java is None."""
    program = pathlib.Path(java, "bin/java") if java else pathlib.Path(shutil.which("java"))
    return program.resolve().with_name(name)


def train(home, java=None, clustered=False):
    """Makes the archive of classes of a distribution, as the installation of a package does; clustered for nodes of a cluster."""
    node = {"MAYFLY_CLUSTER_LISTENER": "127.0.0.1:25672", "MAYFLY_CLUSTER_SECRET": "07" * 32} if clustered else {}
    environment = os.environ | java_home(java) | node
    subprocess.run([home / "bin/mayfly", "train"], check=True, stdout=subprocess.DEVNULL, env=environment)


class RabbitMQ(Broker):
    """An installed RabbitMQ, as a node that knows no other: with an epmd of its own, too.

    root is the root directory of another Debian in which it is installed, such as one that mmdebstrap has made.
    """

    name = "RabbitMQ"

    def __init__(self, directory, program=RABBITMQ, root=None):
        super().__init__(directory)
        self.program, self.root = program, root
        self.epmd_port = free_port()
        self.epmd = None

    def command(self):
        return within(self.root, self.directory, [self.program])

    def environment(self):
        own = {
            "HOME": self.directory,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": self.epmd_port,
            "RABBITMQ_NODENAME": f"bench-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": self.port,
            "RABBITMQ_DIST_PORT": free_port(),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": self.data,
            "RABBITMQ_LOG_BASE": self.directory / "log",
            "RABBITMQ_CONFIG_FILE": self.directory / "rabbitmq",
            "RABBITMQ_CONF_ENV_FILE": self.directory / "rabbitmq-env.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": self.directory / "plugins",
        }
        return os.environ | {name: str(value) for name, value in own.items()}

    def start(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "rabbitmq-env.conf").touch()
        if not self.epmd:
            self.epmd = start_epmd(self.epmd_port, self.root, self.directory)
        return super().start()

    @property
    def pid(self):
        """That of Erlang's machine, below the script that starts it."""
        for pid in descendants(self.process.pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one that has just ended
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "beam.smp":
                    return pid
        raise ProcessLookupError("no beam.smp")

    def stop(self):
        super().stop()
        if self.epmd:
            self.epmd.kill()
            self.epmd.wait()
            self.epmd = None


def start_epmd(port, root, directory):
    """Starts the process that knows the ports of RabbitMQ's nodes."""
    command = within(root, directory, ["epmd", "-address", "127.0.0.1", "-port", str(port)])
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0)


def within(root, directory, command):
    """A command in another root directory, where it sees one of this machine's at the same path; the command itself without one.

    Needs the rights to mount; the mounts end with the command.
    """
    if not root:
        return command
    script = 'mkdir -p "$0$1" && mount --bind "$1" "$0$1" && mount -t proc proc "$0/proc" && exec chroot "$0" "${@:2}"'
    mounts = ["unshare", "--mount", "--propagation", "private", "bash", "-c", script]
    return [*mounts, str(root.resolve()), str(directory), *command]


class LavinMQ(Broker):
    name = "LavinMQ"

    def __init__(self, directory, program="lavinmq"):
        super().__init__(directory)
        self.program = program
        self.http_port = free_port()

    def command(self):
        configuration = self.directory / "lavinmq.ini"
        configuration.write_text("[main]\ntcp_nodelay = true\n")
        ports = ["--amqp-port", str(self.port), "--http-port", str(self.http_port)]
        where = ["--config", str(configuration), "--data-dir", str(self.data), "--bind", "127.0.0.1"]
        return [self.program, *where, *ports]


def descendants(pid):
    """A process and those below it."""
    yield pid
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return  # it has just ended
    for child in children:
        yield from descendants(int(child))


def directory_bytes(directory):
    total = 0
    for entry in os.scandir(directory):
        try:
            total += entry.stat().st_size
        except FileNotFoundError:
            pass  # a segment that has just been deleted
    return total


def add_arguments(parser, jvm=""):
    """The options by which one MayflyMQ is measured."""
    parser.add_argument("--jar", type=pathlib.Path, default=HOME, help="a jar, or the directory of a distribution; by default that which was built")
    parser.add_argument("--jvm", default=jvm, help="options of the broker's Java")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the broker")
    parser.add_argument("--directory", type=pathlib.Path, help="where the data goes; must be on a disk, not in memory")


def add_rabbitmq_root(parser):
    parser.add_argument("--rabbitmq-root", type=pathlib.Path, metavar="DIR", help="the root of a Debian that RabbitMQ is installed in")


@contextlib.contextmanager
def scratch(parent):
    """A new directory that goes at the end, however the measurement ends."""
    # Python's default for SIGTERM would leave the brokers behind.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, _: sys.exit(128 + number))
    directory = pathlib.Path(tempfile.mkdtemp(prefix="mayfly-bench-", dir=parent))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def one_mayfly(args, settings=()):
    """A broker that is not started yet, with these settings and by the options of add_arguments, which is ended at the end."""
    with scratch(args.directory) as directory:
        broker = mayfly(directory, args.jar, args.jvm, (*settings, *args.set))
        try:
            yield broker
        finally:
            broker.stop()
