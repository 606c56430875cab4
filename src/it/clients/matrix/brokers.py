"""Brokers as child processes, on ports and in a directory of their own, that stop and start."""

import base64
import os
import random
import re
import signal
import socket
import subprocess
import time
import urllib.request

START_LIMIT = 60  # seconds, on a machine that does much else


class BrokerError(Exception):
    """The broker did not start or stop in time, or logged an error."""


def free_port():
    """A port below those that systems give to clients, so that no other program's connection takes
    it between a stop and the next start."""
    while True:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Broker:
    """What both kinds have in common. A subclass tells how it is started and when it is ready."""

    def __init__(self, directory):
        self.directory = directory
        self.port = free_port()
        self.http_port = free_port()
        self.log = directory / "broker.log"
        self.process = None

    def start(self):
        self.launch()
        self.await_ready()

    def launch(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                env=os.environ | self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def await_ready(self):
        deadline = time.monotonic() + START_LIMIT
        while not self.is_ready():
            if self.process.poll() is not None:
                raise BrokerError(f"the broker ended with {self.process.returncode}")
            if time.monotonic() > deadline:
                raise BrokerError(f"the broker was not ready in {START_LIMIT} s")
            time.sleep(0.02)

    def stop(self):
        """Stops it in order, and for good if that takes too long."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise BrokerError("the broker did not stop in 30 s") from None
        finally:
            self.process = None

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def restart(self):
        self.stop()
        self.start()

    @property
    def addresses(self):
        """What programs are told of the nodes of a cluster."""
        return {}

    def complaints(self):
        """Lines of its log that a client that does nothing wrong must not cause."""
        return []

    @property
    def url(self):
        return f"amqp://guest:guest@127.0.0.1:{self.port}/%2f"

    @property
    def http_url(self):
        return f"http://guest:guest@127.0.0.1:{self.http_port}"


class Mayfly(Broker):
    """The packaged broker."""

    def __init__(self, distribution, directory):
        super().__init__(directory)
        self.script = distribution / "bin" / "mayfly"
        if not self.script.exists():
            raise SystemExit(f"{self.script} is missing: run mvn -q -DskipTests package first")
        self.starts = 0

    def settings(self):
        return {
            "listeners.tcp.default": f"127.0.0.1:{self.port}",
            "management.tcp.ip": "127.0.0.1",
            "management.tcp.port": self.http_port,
            "prometheus.tcp.port": "none",
            "data_dir": self.directory / "data",
        }

    def command(self):
        self.starts += 1
        sets = [word for pair in self.settings().items() for word in ("--set", "{}={}".format(*pair))]
        return [str(self.script), *sets]

    def environment(self):
        # It lives for seconds: the second compiler would take a third of the processor's time.
        return {"MAYFLY_JAVA_OPTS": "-Xmx256m -XX:TieredStopAtLevel=1"}

    def is_ready(self):
        return self.log.read_text(errors="replace").count(" ready in ") == self.starts

    def complaints(self):
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if not re.search(r" \[(debug|info|warning)\] ", line)]


class Node(Mayfly):
    """A node of a cluster."""

    def __init__(self, distribution, directory, number, cluster_ports):
        directory.mkdir()
        super().__init__(distribution, directory)
        self.number = number
        self.cluster_ports = cluster_ports

    def settings(self):
        nodes = {
            f"cluster_formation.classic_config.nodes.{i + 1}": f"node{i}@localhost:127.0.0.1:{port}"
            for i, port in enumerate(self.cluster_ports)
        }
        return super().settings() | nodes | {
            "node_name": f"node{self.number}@localhost",
            "cluster.listener": f"127.0.0.1:{self.cluster_ports[self.number]}",
            "cluster.secret": "of the clients",
            "queue_leader_locator": "balanced",
        }


class Cluster:
    """Three nodes that are one broker. The client has one of them, any; its queues are on all."""

    def __init__(self, distribution, directory):
        ports = [free_port() for _ in range(3)]
        self.directory = directory
        self.nodes = [Node(distribution, directory / f"node{i}", i, ports) for i in range(3)]
        self.entered = random.choice(self.nodes)

    def start(self):
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.await_ready()

    def stop(self):
        for node in self.nodes:
            node.stop()

    def restart(self):
        self.entered.restart()

    def lose(self):
        self.entered.kill()

    @property
    def addresses(self):
        others = [node for node in self.nodes if node is not self.entered]
        hosts = [f"127.0.0.1:{node.port}" for node in (self.entered, *others)]
        return {"AMQP_ADDRESSES": ",".join(hosts)}

    def complaints(self):
        return [line for node in self.nodes for line in node.complaints()]

    @property
    def log(self):
        return self.entered.log

    @property
    def url(self):
        return self.entered.url

    @property
    def http_url(self):
        return self.entered.http_url


class RabbitMQ(Broker):
    """RabbitMQ itself, to see whether a program asks for something that RabbitMQ does not do."""

    def __init__(self, server, directory):
        super().__init__(directory)
        self.server = server
        self.dist_port = free_port()
        plugins = directory / "plugins"
        plugins.write_text("[rabbitmq_management].\n")
        config = directory / "rabbitmq.conf"
        config.write_text(
            f"management.tcp.port = {self.http_port}\nmanagement.tcp.ip = 127.0.0.1\n"
        )

    def command(self):
        return [str(self.server)]

    def environment(self):
        return {
            "HOME": str(self.directory),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"clients-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.dist_port),
            "RABBITMQ_CONFIG_FILE": str(self.directory / "rabbitmq"),
            "RABBITMQ_MNESIA_BASE": str(self.directory / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.directory / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.directory / "plugins"),
        }

    def is_ready(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.http_port}/api/overview")
        request.add_header("Authorization", "Basic " + base64.b64encode(b"guest:guest").decode())
        try:
            with urllib.request.urlopen(request, timeout=5), socket.create_connection(
                ("127.0.0.1", self.port), 5
            ):
                return True
        except OSError:
            return False
