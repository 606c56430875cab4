#!/usr/bin/env bash
# A shovel with the protocol local leaves the routing key as it was: dead letters of the destination are lost.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its shovel plugin, pika 1.4.4
# Expected:  src-protocol and dest-protocol "local" say how messages get from one queue to another of the same broker, without
#            connections. What arrives in dest-queue is what arrives with amqp091: published by the default exchange,
#            with the name of the queue as its routing key.
# Happens:   with local the message is in the destination, from the default exchange too, but with the routing key it had in the
#            source, the name of that queue. A dead letter exchange that is bound by the name of the destination gets dead letters
#            with another key and drops them; with amqp091 they arrive. Nothing is logged, and the shovel is running.
# Who meets it: who makes existing shovels faster by two words in their definitions, and finds later that rejected or expired
#            messages are nowhere; also programs that look at the routing key.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_management rabbitmq_shovel rabbitmq_shovel_management

cat >"$work/shovel.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

amqp_port, http_port = sys.argv[1:]
COUNT = 20


def set_shovel(protocol, source, destination, arguments):
    value = {
        "src-protocol": protocol,
        "src-uri": "amqp://",
        "src-queue": source,
        "dest-protocol": protocol,
        "dest-uri": "amqp://",
        "dest-queue": destination,
        "dest-queue-args": arguments,
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api/parameters/shovel/%2F/{protocol}",
        method="PUT",
        data=json.dumps({"value": value}).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"},
    )
    urllib.request.urlopen(request).close()


def seen_with(protocol):
    connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(amqp_port)))
    channel = connection.channel()
    channel.confirm_delivery()
    source, destination, failed = f"{protocol}-orders", f"{protocol}-work", f"{protocol}-failed"
    arguments = {"x-dead-letter-exchange": "dlx"}
    channel.exchange_declare("dlx", "direct", durable=True)
    channel.queue_declare(source, durable=True)
    channel.queue_declare(destination, durable=True, arguments=arguments)
    channel.queue_declare(failed, durable=True)
    channel.queue_bind(failed, "dlx", destination)
    for number in range(COUNT):
        channel.basic_publish("", source, f"{number}".encode(), pika.BasicProperties(delivery_mode=2))
    set_shovel(protocol, source, destination, arguments)
    keys, taken, end = set(), 0, time.monotonic() + 30
    while taken < COUNT and time.monotonic() < end:
        method, _, _ = channel.basic_get(destination)
        if method is None:
            time.sleep(0.1)
            continue
        keys.add(method.routing_key)
        taken += 1
        channel.basic_reject(method.delivery_tag, requeue=False)
    time.sleep(2)
    dead = channel.queue_declare(failed, passive=True).method.message_count
    left = sum(channel.queue_declare(queue, passive=True).method.message_count for queue in (source, destination))
    connection.close()
    print(f"{protocol}: {taken} arrived with the routing key {' '.join(keys)} and were rejected")
    print(f"    {dead} are dead letters, {left} in the other queues")
    return taken, keys == {destination}, dead, left


with_connections, within = seen_with("amqp091"), seen_with("local")
sys.exit(0 if with_connections == (COUNT, True, COUNT, 0) and within == (COUNT, False, 0, 0) else 1)
PY
verdict "$python" "$work/shovel.py" "$amqp_port" "$http_port"
