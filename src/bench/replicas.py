"""Clusters of three nodes that keep quorum queues, with what is done to them: those of MayflyMQ, and those of an installed RabbitMQ."""

import os
import signal
import subprocess
import sys
import time

from amqp import Client
from brokers import RABBITMQ, RabbitMQ, free_port, start_epmd, within
from cluster import NAMES, Cluster
from management import request

QUORUM = {"x-queue-type": "quorum"}
PATIENCE_SECONDS = 120


class MayflyCluster(Cluster):
    """Three nodes of MayflyMQ, which are ended with the block."""

    name = "MayflyMQ"

    # Until Java has compiled what three nodes do for a message; for clients on each of two nodes.
    WARM_UP_SECONDS = 12

    def declare(self, queue, leader):
        """Declares a queue and has a node lead it; returns when all three have everything."""
        with Client(leader.port) as client:
            client.declare(queue, **QUORUM)
        name = NAMES[self.nodes.index(leader)]
        # A queue is put into a partition that the node led at first, if it leads none after an outage.
        if self.member(queue, leader, name)["Raft State"] != "leader":
            self.await_in_sync(queue, leader)
            request(leader, "POST", f"queues/quorum/%2F/{queue}/leader", {"node": name})
            self.await_(lambda: self.member(queue, leader, name)["Raft State"] == "leader", f"{name} to lead")
        self.await_in_sync(queue, leader)

    def status(self, queue, asked):
        """What a node tells of the members of a queue."""
        return request(asked, "GET", f"queues/quorum/%2F/{queue}/status")

    def member(self, queue, asked, name):
        return next(row for row in self.status(queue, asked) if row["Node Name"] == name)

    def await_in_sync(self, queue, asked):
        self.await_(lambda: all(row["In Sync"] for row in self.status(queue, asked)), f"members of {queue} to be in sync")

    @staticmethod
    def await_(condition, what, pause=0.05):
        """Asks again and again, with pauses in seconds: each question costs the nodes some CPU time."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > until:
                sys.exit(f"waited in vain for {what}")
            time.sleep(pause)

    @staticmethod
    def can_be_drained():
        return True

    def drain(self, node):
        request(node, "PUT", "maintenance", {"drained": True}, root="control")

    def revive(self, node):
        request(node, "PUT", "maintenance", {"drained": False}, root="control")


class RabbitNode(RabbitMQ):
    """One of several nodes that find one another by a list of names; they share an epmd and a cookie."""

    def __init__(self, directory, number, names, epmd_port, root):
        super().__init__(directory, root=root)
        self.names, self.nodename, self.epmd_port = names, names[number], epmd_port

    def environment(self):
        own = {"RABBITMQ_NODENAME": self.nodename, "HOME": str(self.directory.parent)}
        return super().environment() | own

    def launch(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        listed = [f"cluster_formation.classic_config.nodes.{i} = {name}" for i, name in enumerate(self.names, 1)]
        backend = "cluster_formation.peer_discovery_backend = classic_config"
        (self.directory / "rabbitmq.conf").write_text("\n".join([backend, *listed, ""]))
        super().launch()

    def kill(self):
        """Ends Erlang's machine; the script that has started it ends with it."""
        self.note_peak()
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()


class RabbitCluster:
    """Three nodes of RabbitMQ, which are ended with the block."""

    name = "RabbitMQ"
    WARM_UP_SECONDS = 4

    # Long enough for a node that was away to have everything again; to ask costs the start of another Erlang.
    CAUGHT_UP_SECONDS = 5

    def __init__(self, directory, root=None):
        self.directory, self.root = directory, root
        self.epmd_port = free_port()
        names = [f"bench-{self.epmd_port}-{letter}@localhost" for letter in "abc"]
        self.nodes = [RabbitNode(directory / name, number, names, self.epmd_port, root) for number, name in enumerate(names)]

    def __enter__(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        self.epmd = start_epmd(self.epmd_port, self.root, self.directory)
        for node in self.nodes:
            node.epmd = self.epmd
            node.start()
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.epmd = None
            node.stop()
        self.epmd.kill()
        self.epmd.wait()

    def cpu_seconds(self):
        """Of all nodes together."""
        return sum(node.cpu_seconds() for node in self.nodes)

    def metadata_leader(self):
        """None: Mnesia has no leader."""
        return None

    def declare(self, queue, leader):
        """Declares a queue by a node, which leads it then."""
        with Client(leader.port) as client:
            client.declare(queue, **QUORUM)

    def await_in_sync(self, queue, asked):
        time.sleep(self.CAUGHT_UP_SECONDS)

    def can_be_drained(self):
        """In another root the nodes refuse the cookie of the control command."""
        return not self.root

    def drain(self, node):
        self.upgrade(node, "drain")

    def revive(self, node):
        self.upgrade(node, "revive")

    def upgrade(self, node, command):
        program = RABBITMQ.replace("rabbitmq-server", "rabbitmq-upgrade")
        asked = within(self.root, self.directory, [program, "-n", node.nodename, command])
        with node.log.open("ab") as log:
            subprocess.run(asked, env=node.environment(), check=True, stdout=log, stderr=log)
