"""What a node of MayflyMQ needs to be a member in sync again, and what many idle quorum queues cost."""

import os
import time

from amqp import Client
from replicas import NAMES, QUORUM, MayflyCluster

CATCH_UP_GOAL_SECONDS = 10
QUEUES = 10_000
MEMORY_GOAL_MB = 300
IDLE_GOAL_SHARE = 0.02
LED_GOAL_SECONDS = 5


class CatchUp:
    """A million messages pile up while the node of a follower is down; it starts again, and other traffic goes on."""

    MESSAGES = 1_000_000
    FILL = "--size 1000 --confirm 1000 --persistent --consumers 0 --timeout 300"
    GOING_ON = 20_000
    LEAST_SHARE = 0.98
    LOOK_SECONDS = 0.2
    TRAFFIC_SECONDS = 60

    def __init__(self, args, directory, load, options):
        self.args, self.directory, self.load, self.options = args, directory, load, options

    def measure(self, table):
        with MayflyCluster(self.args, self.directory) as cluster:
            leader, _, away = cluster.nodes
            name = NAMES[2]
            for queue in self.queues():
                cluster.declare(queue, leader)
            # The goal is that of a cluster that is warm.
            with self.load.start(leader, f"--queue going-on --no-declare --messages 100000000 {self.options}") as warming_up:
                time.sleep(cluster.WARM_UP_SECONDS * self.args.scale)
                warming_up.stopped()
            with Client(leader.port) as client:
                client.purge("going-on")  # Else what the warm-up has left would go on beside the traffic.
            away.kill()
            messages = int(self.MESSAGES * self.args.scale)
            self.load.run(leader, f"--queue behind --no-declare --messages {messages} {self.FILL}")
            cluster.await_(lambda: not cluster.member("behind", leader, name)["In Sync"], f"{name} not to be in sync")
            total = self.GOING_ON * self.TRAFFIC_SECONDS
            options = f"--queue going-on --no-declare --rate {self.GOING_ON} --messages {total} {self.options}"
            with self.load.start(leader, options) as traffic:
                time.sleep(3)
                started = away.start()
                in_sync = f"{name} to be in sync"
                cluster.await_(lambda: cluster.member("behind", leader, name)["In Sync"], in_sync, self.LOOK_SECONDS)
                seconds = time.monotonic() - away.launched
                figures = traffic.stopped()
        going_on = figures["received_per_s"]
        table.row(
            f"a node starts {messages:,} messages of 1 KB behind, while {going_on:,.0f}/s go on, until it is in sync",
            f"{seconds:.1f} s, of these {started:.1f} s until it serves clients",
            f"< {CATCH_UP_GOAL_SECONDS} s, {self.GOING_ON:,}/s",
            seconds < CATCH_UP_GOAL_SECONDS and going_on >= self.LEAST_SHARE * self.GOING_ON,
        )
        table.row("meanwhile, confirms", f"{figures['confirm_us_p50'] / 1e3:.1f} ms median, {figures['confirm_us_p99'] / 1e3:.0f} ms 99 %")

    @staticmethod
    def queues():
        """Queues take the partitions of a leader by turns, so the first and the last one are in the same one."""
        partitions = min(4, len(os.sched_getaffinity(0)))
        return ["behind", *(f"between-{number}" for number in range(1, partitions)), "going-on"]


class IdleQueues:
    """Ten thousand quorum queues that are not used."""

    REST_SECONDS = 40
    WATCHED_SECONDS = 20

    def __init__(self, args, directory):
        self.args, self.directory = args, directory

    def measure(self, table):
        queues = [f"idle-{number}" for number in range(max(1, int(QUEUES * self.args.scale)))]
        with MayflyCluster(self.args, self.directory) as cluster:
            leader, other, _ = cluster.nodes
            with Client(leader.port) as client:
                start = time.monotonic()
                client.declare_many(queues, **QUORUM)
                seconds = time.monotonic() - start
            table.row(f"{len(queues):,} quorum queues are declared by one client with `nowait`", f"{seconds:.1f} s")
            cluster.await_in_sync(queues[-1], leader)
            time.sleep(self.REST_SECONDS * self.args.scale)
            self.idle(cluster, table)
            with Client(other.port) as client:
                known = self.answered(client, queues)
                leader.kill()
                seconds = self.answered(client, queues)
            table.row(
                f"`kill -9` of the node that leads them all, until another one has answered for each (before: {known:.1f} s)",
                f"{seconds:.1f} s",
                f"< {LED_GOAL_SECONDS} s",
                seconds < LED_GOAL_SECONDS,
            )

    def idle(self, cluster, table):
        before = [node.cpu_seconds() for node in cluster.nodes]
        start = time.monotonic()
        time.sleep(self.WATCHED_SECONDS)
        seconds = time.monotonic() - start
        shares = [(node.cpu_seconds() - past) / seconds for node, past in zip(cluster.nodes, before)]
        memory = [node.resident_mb() for node in cluster.nodes]
        table.row(
            "memory of each node",
            ", ".join(f"{each:,.0f} MB" for each in memory),
            f"< {MEMORY_GOAL_MB} MB",
            max(memory) < MEMORY_GOAL_MB,
        )
        table.row(
            "CPU of each node",
            ", ".join(f"{each:.1%}" for each in shares) + " of a core",
            f"< {IDLE_GOAL_SHARE:.0%}",
            max(shares) < IDLE_GOAL_SHARE,
        )

    @staticmethod
    def answered(client, queues):
        """Seconds until the leader of each queue has told its length."""
        start = time.monotonic()
        client.lengths(queues)
        return time.monotonic() - start


def measure(args, directory, load, options, table):
    """Adds the rows of both to a table."""
    CatchUp(args, directory / "behind", load, options).measure(table)
    IdleQueues(args, directory / "idle").measure(table)
