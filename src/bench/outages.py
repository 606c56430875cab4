"""How long the clients of a quorum queue wait when the node that leads it is killed, stands still or is drained."""

import os
import signal
import statistics
import sys
import time

from amqp import Client

METADATA = "`kill -9` of the leader, which leads the cluster's metadata too"
KILL = "`kill -9` of the leader"
PAUSE = "`kill -STOP` of the leader"
DRAIN = "drain of the leader"
ROWS = (METADATA, KILL, PAUSE, DRAIN)
GOALS_SECONDS = {METADATA: 0.3, KILL: 0.3, PAUSE: 3, DRAIN: 0.2}


class Outages:
    """A publisher and a consumer on a node that goes on; 1,000 messages a second, so that a wait is known to 1 ms."""

    RATE = 1000
    SECONDS = 6
    BEFORE = 2

    def __init__(self, args, load, options):
        self.args, self.load, self.options = args, load, options
        self.number = 0

    def measure(self, cluster):
        """The waits of the consumer and of confirms in seconds, per row."""
        kills, pauses = self.args.kills, min(self.args.kills, 2)
        times = {METADATA: kills, KILL: kills, PAUSE: pauses, DRAIN: pauses}
        if not cluster.metadata_leader():
            del times[METADATA]
        if not cluster.can_be_drained():
            del times[DRAIN]
        return {row: [self.outage(cluster, row) for _ in range(number)] for row, number in times.items()}

    def outage(self, cluster, row):
        self.number += 1
        queue = f"outage-{self.number}"
        first = cluster.metadata_leader() or cluster.nodes[0]
        others = [node for node in cluster.nodes if node is not first]
        leader, clients = (first, others[0]) if row == METADATA else others
        cluster.declare(queue, leader)
        messages = int(self.RATE * self.SECONDS)
        options = f"--queue {queue} --no-declare --rate {self.RATE} --messages {messages} {self.options}"
        with self.load.start(clients, options) as traffic:
            time.sleep(self.BEFORE)
            begin, end = self.steps(cluster, leader, row)
            begin()
            figures = traffic.figures()
        end()
        cluster.await_in_sync(queue, clients)
        with Client(clients.port) as client:
            client.delete(queue)
        waits = figures["gap_us_max"] / 1e6, figures["confirm_us_max"] / 1e6
        print(f"{cluster.name}, {row}: {waits[0]:.3f} s, {waits[1]:.3f} s", file=sys.stderr, flush=True)
        return waits

    def steps(self, cluster, leader, row):
        """What begins the outage, and what ends it."""
        if row == PAUSE:
            return lambda: os.kill(leader.pid, signal.SIGSTOP), lambda: os.kill(leader.pid, signal.SIGCONT)
        if row == DRAIN:
            return lambda: cluster.drain(leader), lambda: cluster.revive(leader)
        return leader.kill, leader.start


def cell(waits):
    """The waits of a row in a table."""
    if not waits:
        return "not measured"
    consumer, confirm = zip(*waits)
    most = f"{max(consumer):.2f} s, {max(confirm):.2f} s"
    return "{:.2f} s, {:.2f} s; ".format(*medians(waits)) + f"at most {most} ({len(waits)} times)"


def medians(waits):
    return [statistics.median(each) for each in zip(*waits)]


def compare(table, outages):
    """Adds the goals to a table."""
    for row, waits in outages.items():
        goal = GOALS_SECONDS[row]
        consumer, confirm = medians(waits)
        measured = f"{consumer:.2f} s, {confirm:.2f} s"
        table.row(f"{row}: first delivery, first confirm", measured, f"{goal} s", max(consumer, confirm) <= goal)
