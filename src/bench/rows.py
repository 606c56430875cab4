"""The rows of the comparison: what is done to each broker, and the figures of it."""

import contextlib
import dataclasses
import multiprocessing
import random
import statistics
import time

import lateness
from amqp import Client, message



@dataclasses.dataclass(frozen=True)
class Figure:
    """One measured value, its unit (/s, s or ms), the broker's CPU time per message and its resident memory."""

    value: float
    unit: str
    cpu_us: float | None = None
    resident_mb: float | None = None

    def __str__(self):
        if self.value == float("inf"):
            return "held up"
        value = f"{self.value:,.0f}/s" if self.unit == "/s" else f"{self.value:.3g} {self.unit}"
        cpu = f", {self.cpu_us:.2f} us" if self.cpu_us else ""
        return value + cpu + (f", {self.resident_mb:,.0f} MB" if self.resident_mb else "")

    def times_better(self, other):
        """How many times as good as another's value this one is."""
        ours, theirs = (self, other) if self.unit == "/s" else (other, self)
        return ours.value / theirs.value if theirs.value else float("inf")


def median(figures):
    """The median of each column."""
    columns = zip(*((each.value, each.cpu_us, each.resident_mb) for each in figures))
    value, cpu, resident = (None if None in column else statistics.median(column) for column in columns)
    return Figure(value, figures[0].unit, cpu, resident)


def in_turn(contenders, number):
    """Their order in a round: what is measured later on a machine may be favoured."""
    return contenders if number % 2 else contenders[::-1]


@dataclasses.dataclass(frozen=True)
class Limits:
    """How much is done: rounds that count, after one that warms up; the time a part should take at most, by which a slow
    broker gets fewer messages; and what part of a row's messages there are."""

    rounds: int = 3
    seconds: float = 10
    scale: float = 1


class Row:
    """Work that is done to brokers that are started for it and keep running over all rounds, each in turn."""

    least = 2_000
    patience = 1  # How many times as long as others it may take.

    def __init__(self, work, messages):
        self.work, self.messages = work, messages

    def run(self, broker, load, messages, tag):
        """Figures by part, {name: Figure}. Queues are named by the tag, so that runs do not meet."""
        raise NotImplementedError

    def measure(self, contenders, load, directory, limits):
        """Medians, {part: {contender: Figure}}."""
        rounds = self.rounds(contenders, load, directory, limits)
        return {part: {each: median(figures) for each, figures in row.items()} for part, row in rounds.items()}

    def rounds(self, contenders, load, directory, limits):
        """The figures of all rounds that count, {part: {contender: [Figure]}}. Who is first changes from round to round."""
        results = {}
        with contextlib.ExitStack() as running:
            brokers = {}
            for contender in contenders:
                brokers[contender] = contender.broker(directory)
                running.callback(brokers[contender].stop)
                brokers[contender].start()
                contender.version = brokers[contender].version
            most = max(self.least, int(self.messages * limits.scale))
            counts = {contender: max(self.least, most // 50) for contender in contenders}
            # The first two rounds tell how much each can do, and warm it up.
            for number in range(-1, limits.rounds + 1):
                for contender in in_turn(contenders, number):
                    broker = brokers[contender]
                    figures = self.run(broker, load, counts[contender], f"{number + 1}")
                    if number > 0:
                        for part, figure in figures.items():
                            results.setdefault(part, {}).setdefault(contender, []).append(figure)
                    else:
                        counts[contender] = self.bounded(most, figures, limits)
        return results

    def bounded(self, most, figures, limits):
        """How many messages a broker gets that has had these figures."""
        slowest = min(figure.value for figure in figures.values())
        return min(most, max(self.least, int(slowest * limits.seconds * self.patience)))


class Traffic(Row):
    """Messages go in and out at once."""

    def __init__(self, work, messages, options):
        super().__init__(work, messages)
        self.options = options

    def run(self, broker, load, messages, tag):
        return {"": traffic(broker, load, f"--queue traffic-{tag} --messages {messages} {self.options}")}


class Backlog(Row):
    """A queue is filled, and then emptied."""

    def __init__(self, work, messages, fill, drain):
        super().__init__(work, messages)
        self.fill, self.drain = fill, drain

    def run(self, broker, load, messages, tag):
        common = f"--queue backlog-{tag} --messages {messages} --size 100"
        filled = traffic(broker, load, f"{common} {self.fill} --consumers 0")
        return {"in": filled, "out": traffic(broker, load, f"{common} {self.drain} --publishers 0 --no-declare")}


class DeepBacklog(Backlog):
    """The same with so many messages that memory tells: a fast broker gets them all."""

    patience = 6


def traffic(broker, load, options):
    figures = load.run(broker, options + " --timeout 300")
    rate = figures.get("received_per_s") or figures["sent_per_s"]
    return Figure(rate, "/s", figures["broker_cpu_us_per_msg"], figures["broker_rss_mb"])


class Declares(Row):
    least = 100

    def run(self, broker, load, messages, tag):
        figures = load.run(broker, f"--queue lease-{tag} --arg-int x-expires=600000 --declares {messages}")
        return {"": Figure(figures["declares_per_s"], "/s", figures["broker_cpu_us_per_declare"])}


class MassExpiry(Row):
    """Messages with one common deadline go to a dead-letter queue, with a consumer there and without one: from the deadline
    until the last has arrived, at the consumer or in the queue."""

    LEAD_SECONDS = 2.0
    POLL_SECONDS = 0.02

    def __init__(self, work, messages):
        super().__init__(work, messages)
        self.publish_rates = {}

    def run(self, broker, load, messages, tag):
        return {
            "consumed": self.consumed(broker, load, messages, f"{tag}-consumed"),
            "kept": self.kept(broker, load, messages, f"{tag}-kept"),
        }

    def consumed(self, broker, load, messages, tag):
        deadline, dead = self.publish(broker, load, messages, tag)
        with load.start(
            broker, f"--queue {dead} --no-declare --publishers 0 --size 100 --messages {messages} --timeout 300"
        ) as consumer:
            time.sleep(max(0, deadline - time.time()))
            before = broker.cpu_seconds()
            consumer.figures()
            return self.figure(broker, messages, deadline, before)

    def kept(self, broker, load, messages, tag):
        deadline, dead = self.publish(broker, load, messages, tag)
        with Client(broker.port) as client:
            time.sleep(max(0, deadline - time.time()))
            before = broker.cpu_seconds()
            self.wait_for(client, dead, messages)
            figure = self.figure(broker, messages, deadline, before)
            client.purge(dead)
            return figure

    def wait_for(self, client, dead, messages):
        while client.declare(dead, passive=True) < messages:
            time.sleep(self.POLL_SECONDS)

    def publish(self, broker, load, messages, tag):
        """Publishes what expires at a common deadline; returns that, in s of the wall clock, and where the dead letters go."""
        queue, dead = f"expiring-{tag}", f"dead-{tag}"
        with Client(broker.port) as client:
            client.declare(dead)
        lead = self.LEAD_SECONDS + 2 * messages / self.publish_rates.get(broker, messages)
        start = time.time()
        deadline = start + lead
        figures = load.run(
            broker,
            f"--queue {queue} --arg-str x-dead-letter-exchange= --arg-str x-dead-letter-routing-key={dead} --size 100"
            f" --messages {messages} --consumers 0 --expire-at {int(deadline * 1000)} --timeout 300",
        )
        self.publish_rates[broker] = figures["sent_per_s"]
        # Published too late, they would expire one by one; time was too short only if the machine is busy.
        if time.time() > deadline:
            print(f"published {time.time() - deadline:.1f} s after the deadline: these expired as they came", flush=True)
        return deadline, dead

    @staticmethod
    def figure(broker, messages, deadline, cpu_before):
        cpu_us = (broker.cpu_seconds() - cpu_before) * 1e6 / messages
        return Figure(messages / (time.time() - deadline), "/s", cpu_us, broker.resident_mb())


class SingleExpiries(Row):
    """Messages with deadlines of their own, in random order, behind one that stays, while others go through another queue."""

    LEAD_MS = 3_000
    SPREAD_MS = 10_000
    LOAD = "--queue beside --size 1000 --rate 20000 --messages 100000000 --timeout 300"

    def run(self, broker, load, messages, tag):
        queue, dead = f"single-{tag}", f"single-dead-{tag}"
        generator = random.Random(1)
        with Client(broker.port) as client, load.start(broker, self.LOAD) as beside:
            client.declare(dead)
            client.declare(queue, x_dead_letter_exchange="", x_dead_letter_routing_key=dead)
            results = multiprocessing.Queue()
            patience = (self.LEAD_MS + self.SPREAD_MS) / 1000 + 2
            watcher = multiprocessing.Process(
                target=lateness.consume, args=(broker.port, dead, messages, patience, results), daemon=True
            )
            watcher.start()
            client.publish(queue, b"stays")
            for number in range(messages):
                ttl = self.LEAD_MS + generator.randrange(self.SPREAD_MS)
                body = lateness.body(number, time.time_ns() + ttl * 1_000_000, 100)
                client.socket.sendall(message("", queue, body, expiration=str(ttl)))
            late, never, _ = results.get()
            watcher.join()
            beside.stopped()
        return {"": Figure(lateness.quantile_ms(late, never, 0.99), "ms")}

    def bounded(self, most, figures, limits):
        return most


class Starts(Row):
    """From the start of the process, on a new directory, until it has accepted a connection.open."""

    LEAST_ROUNDS = 5

    def rounds(self, contenders, load, directory, limits):
        results = {}
        for number in range(max(self.LEAST_ROUNDS, limits.rounds) + 1):
            for contender in in_turn(contenders, number):
                broker = contender.broker(directory)
                try:
                    seconds = broker.start()
                    contender.version = broker.version
                finally:
                    broker.stop()
                if number > 0:
                    results.setdefault(contender, []).append(Figure(seconds, "s"))
        return {"": results}


PERSISTENT = "--persistent --durable"
CAREFUL = "--durable --ack 100 --prefetch 1000"

ROWS = {
    "a": Traffic("16 B, transient, publish and consume", 5_000_000, "--size 16"),
    "b": Traffic("1 KB, transient, publish and consume", 2_000_000, "--size 1000"),
    "c": Traffic(
        "1 KB, persistent, confirmed (window 1000), acknowledged",
        500_000,
        f"--size 1000 {PERSISTENT} --confirm 1000 --ack 100 --prefetch 1000",
    ),
    "d": Backlog("backlog of 1 M x 100 B, transient", 1_000_000, "", ""),
    "e": Backlog(
        "backlog of 1 M x 100 B, persistent, confirmed (window 5000), acknowledged",
        1_000_000,
        f"{PERSISTENT} --confirm 5000",
        CAREFUL,
    ),
    "f": MassExpiry("500,000 x 100 B expire together into a dead-letter queue", 500_000),
    "g": DeepBacklog(
        "backlog of 10 M x 100 B, persistent, confirmed (window 5000), acknowledged",
        10_000_000,
        f"{PERSISTENT} --confirm 5000",
        CAREFUL,
    ),
    "h": Traffic(
        "16 B, 4 publishers, 4 queues, 4 consumers",
        5_000_000,
        "--size 16 --publishers 4 --consumers 4 --queues 4",
    ),
    "i": Declares("`queue.declare` one by one, with `x-expires`", 5_000),
    "j": Starts("start to the first accepted connection", 0),
    "k": SingleExpiries("lateness of single expiries anywhere in the queue, under load, 99 % at most", 20_000),
}
