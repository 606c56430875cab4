#!/usr/bin/env bash
# Counters of RabbitMQ's /metrics fall when a channel closes, and Prometheus takes that for messages.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its Prometheus plugin, pika 1.4.4
# Expected:  rabbitmq_channel_messages_published_total is declared to be a counter and has no label of a channel or connection: it is the
#            node's, and rises until the node ends. increase(...) over some time is how many messages were published.
# Happens:   it is the sum over the channels that are open. When one closes, the sum falls by that one's share; Prometheus takes any
#            fall for a restart from 0 and counts the whole rest anew. With one channel that has published 5,000 messages,
#            each connection that publishes one message and closes adds 5,000 to what increase() says.
#            rabbitmq_queue_messages_published_total does the same. rabbitmq_global_messages_received_total does not.
# Who meets it: who has a rate or an alert by these names, and short connections beside a long one: cron jobs, web requests, probes.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
prometheus_port=$(free_port)
rabbitmq_conf="prometheus.tcp.ip = 127.0.0.1
prometheus.tcp.port = $prometheus_port
collect_statistics_interval = 1000"
rabbitmq 4.3.6-1 rabbitmq_prometheus

cat >"$work/counters.py" <<'PY'
import sys
import time
import urllib.request

import pika

amqp_port, prometheus_port = map(int, sys.argv[1:])
BY_CHANNEL = "rabbitmq_channel_messages_published_total"
BY_QUEUE = "rabbitmq_queue_messages_published_total"
GLOBAL = 'rabbitmq_global_messages_received_total{protocol="amqp091"}'
LONG, SHORT = 5_000, 3
samples = {BY_CHANNEL: [], BY_QUEUE: [], GLOBAL: []}


def scrape():
    with urllib.request.urlopen(f"http://127.0.0.1:{prometheus_port}/metrics") as response:
        return response.read().decode().splitlines()


def value(lines, name):
    return next(int(float(line.rsplit(" ", 1)[1])) for line in lines if line.startswith(name + " "))


def sample_when(published):
    """Notes a sample of each name, once the sum by channels is this."""
    for _ in range(200):
        lines = scrape()
        if value(lines, BY_CHANNEL) == published:
            time.sleep(1.5)  # for the other names, which are of other processes' statistics
            lines = scrape()
            for name, found in samples.items():
                found.append(value(lines, name))
            return
        time.sleep(0.1)
    sys.exit(f"{BY_CHANNEL} did not become {published}")


def increase(found):
    """As Prometheus does it, without the part at the edges of the range: a fall is a restart from 0."""
    return sum(now - before if now >= before else now for before, now in zip(found, found[1:]))


def connect():
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", amqp_port))
    return connection, connection.channel()


long_one, channel = connect()
channel.queue_declare("orders", durable=True)
for _ in range(LONG):
    channel.basic_publish("", "orders", b"")
sample_when(LONG)
for _ in range(SHORT):
    short_one, short_channel = connect()
    short_channel.basic_publish("", "orders", b"")
    sample_when(LONG + 1)
    short_one.close()
    sample_when(LONG)
print(*(line for line in scrape() if line.startswith("# TYPE ") and line.split()[2] in (BY_CHANNEL, BY_QUEUE)), sep="\n")
print(f"published between the first sample and the last: {SHORT}")
for name, found in samples.items():
    print(f"{name}: {', '.join(map(str, found))}; increase {increase(found)}")
long_one.close()
wrong = SHORT * (LONG + 1)
sys.exit(0 if [increase(found) for found in samples.values()] == [wrong, wrong, SHORT] else 1)
PY
verdict "$python" "$work/counters.py" "$amqp_port" "$prometheus_port"
