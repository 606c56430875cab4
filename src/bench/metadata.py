"""How fast the nodes of a cluster agree on metadata, beside a broker that is alone."""

import contextlib
import statistics
import threading
import time

import report
from amqp import Client
from management import request

LONE_GOAL_MS = 10
PIPELINED_GOAL = 1_000
JOIN_GOAL_SECONDS = 20
CLIENTS = 20


def milliseconds(action, rounds):
    """Runs an action with its number, so often; returns the times in order of length."""
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        action(number)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)


def names(prefix, count):
    return [f"{prefix}-{number}" for number in range(count)]


class Metadata:
    """Declarations one by one and by many clients, imports, and nodes that join or start again."""

    def __init__(self, scale, cluster, alone):
        self.scale, self.cluster, self.alone = scale, cluster, alone
        self.table = report.Table()

    def run(self):
        for broker in (*self.cluster.nodes, self.alone):
            self.warm_up(broker)
        # The cluster begins with the first node, which leads unless it has stood still.
        leader, follower = self.cluster.nodes[:2]
        self.one_by_one("a follower", follower)
        self.one_by_one("the leader", leader)
        self.one_by_one("a broker alone", self.alone, goal=False)
        self.known_elsewhere(leader, follower)
        self.many_clients("a cluster", self.cluster.nodes, True)
        self.many_clients("a broker alone", [self.alone], False)
        for count in (10_000, 100_000):
            self.imported("a cluster", leader, self.scaled(count))
            self.imported("a broker alone", self.alone, self.scaled(count))
        self.joined(leader)
        self.started_again(follower)
        return self.table

    def scaled(self, count):
        return max(CLIENTS, int(count * self.scale))

    def warm_up(self, broker):
        with Client(broker.port) as client:
            client.declare_many(names(f"warm-{broker.port}", self.scaled(3_000)))

    def one_by_one(self, place, broker, goal=True):
        """Each from the request to the answer."""
        rounds, queues = self.scaled(1_000), f"one-{broker.port}"
        with Client(broker.port) as client:
            self.latency("declare", place, milliseconds(lambda n: client.declare(f"{queues}-{n}"), rounds), goal)
            self.latency("bind", place, milliseconds(lambda n: client.bind(f"{queues}-0", "amq.direct", f"{n}"), rounds), goal)
            self.latency("delete", place, milliseconds(lambda n: client.delete(f"{queues}-{n}"), rounds), goal)

    def latency(self, method, place, times, goal):
        median, late = statistics.median(times), times[int(0.99 * len(times))]
        goals = (f"< {LONE_GOAL_MS} ms median", median < LONE_GOAL_MS) if goal else ()
        self.table.row(f"`queue.{method}`, durable, one by one, by {place}", f"{median:.2f} ms median, {late:.1f} ms 99 %", *goals)

    def known_elsewhere(self, one, other):
        """Right after the answer by one node another one is asked, which has to know the queue by then."""
        with Client(one.port) as here, Client(other.port) as there:

            def ask(number):
                here.declare(f"known-{number}")
                start = time.perf_counter()
                there.declare(f"known-{number}", passive=True)
                return 1000 * (time.perf_counter() - start)

            times = [ask(number) for number in range(self.scaled(300))]
        self.table.row("then the same, passive, by another node", f"{statistics.median(times):.2f} ms median")

    def many_clients(self, place, brokers, goal):
        each = self.scaled(10_000) // CLIENTS
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(Client(brokers[n % len(brokers)].port)) for n in range(CLIENTS)]

            def declare(number):
                for queue in names(f"many-{number}", each):
                    clients[number].declare(queue)

            threads = [threading.Thread(target=declare, args=(number,)) for number in range(CLIENTS)]
            start = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rate = each * CLIENTS / (time.perf_counter() - start)
            goals = (f"> {PIPELINED_GOAL:,}/s", rate > PIPELINED_GOAL) if goal else ()
            self.table.row(f"{CLIENTS} clients declare durable queues by {place}", f"{rate:,.0f}/s", *goals)
            count = self.scaled(3_000)
            start = time.perf_counter()
            clients[0].declare_many(names("unanswered", count))
            rate = count / (time.perf_counter() - start)
            self.table.row(f"one client declares durable queues by {place} with `nowait`", f"{rate:,.0f}/s")

    def imported(self, place, broker, count):
        queues = [{"name": name, "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}} for name in names(f"import-{count}", count)]
        before = broker.cpu_seconds()
        start = time.perf_counter()
        request(broker, "POST", "definitions", {"queues": queues})
        seconds = time.perf_counter() - start
        broker.note_peak()
        cpu = broker.cpu_seconds() - before
        self.table.row(
            f"import of {count:,} durable queues by {place}", f"{seconds:.1f} s, {cpu:.1f} s CPU of the node, {broker.peak_mb:,.0f} MB at most"
        )

    def joined(self, member):
        count = request(member, "GET", "overview")["object_totals"]["queues"]
        start = time.perf_counter()
        node = self.cluster.add("d@localhost")
        seconds = time.perf_counter() - start
        with Client(node.port) as client:
            client.declare(f"import-{self.scaled(100_000)}-0", passive=True)
        self.table.row(
            f"an empty node joins, with {count:,} queues, until it serves clients",
            f"{seconds:.1f} s, {node.cpu_seconds():.1f} s CPU",
            f"< {JOIN_GOAL_SECONDS} s",
            seconds < JOIN_GOAL_SECONDS,
        )

    def started_again(self, node):
        node.kill()
        seconds = node.start()
        self.table.row("a node starts again after `kill -9`, until it serves clients", f"{seconds:.1f} s, {node.cpu_seconds():.1f} s CPU")
