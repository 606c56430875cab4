#!/usr/bin/env bash
# A shovel whose destination is full fetches and puts back the same few messages thousands of times a second.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its shovel plugin, pika 1.4.4
# Expected:  a full destination (overflow reject-publish) makes the shovel wait, with a pause between its tries, such as its
#            reconnect-delay, 5 seconds here.
# Happens:   each message that is refused goes back to its queue, which delivers it to the shovel again at once. Five messages that wait are
#            delivered thousands of times within seconds, all of it counted as redeliveries of their queue, until there is room. The
#            shovel says "running". From a quorum queue too: it does not count these as failed deliveries, so no limit ends it.
# Who meets it: who bounds the queue of a slow or remote site to protect it: when the site is down for a night, both brokers and the
#            line between them are busy all night with what does not fit, and graphs show more traffic than on any working day.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq_conf='collect_statistics_interval = 1000'
rabbitmq 4.3.6-1 rabbitmq_management rabbitmq_shovel rabbitmq_shovel_management

cat >"$work/full.py" <<'PY'
import base64
import json
import sys
import time
import urllib.parse
import urllib.request

import pika

amqp_port, http_port = sys.argv[1:]
WAITING, MANY = 5, 500


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        content = response.read()
    return json.loads(content) if content else None


def wait_for(what, condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.2)
    sys.exit(f"waited in vain for {what}")


def channel_of(vhost):
    parameters = pika.ConnectionParameters("127.0.0.1", int(amqp_port), virtual_host=vhost)
    return pika.BlockingConnection(parameters).channel()


def spins(name, kind):
    """Has a shovel fill its destination, which has room for one message, and tells how often the others are delivered to it again."""
    quoted = urllib.parse.quote(name)

    def redelivered():
        return api("GET", f"/queues/up/{quoted}").get("message_stats", {}).get("redeliver", 0)

    def states():
        return [shovel["state"] for shovel in api("GET", "/shovels") if shovel["name"] == name]

    source.queue_declare(name, durable=True, arguments={"x-queue-type": kind})
    destination.queue_declare(name, durable=True, arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
    api("PUT", f"/parameters/shovel/up/{quoted}", {"value": {
        "src-protocol": "amqp091", "src-uri": f"amqp://127.0.0.1:{amqp_port}/up", "src-queue": name, "src-predeclared": True,
        "dest-protocol": "amqp091", "dest-uri": f"amqp://127.0.0.1:{amqp_port}/down", "dest-queue": name, "dest-predeclared": True,
        "reconnect-delay": 5}})
    wait_for("the shovel", lambda: states() == ["running"])
    for number in range(WAITING + 1):
        source.basic_publish("", name, b"%d" % number, pika.BasicProperties(delivery_mode=2))
    wait_for("redeliveries", lambda: redelivered() > 0)
    before, started = redelivered(), time.monotonic()
    wait_for(f"{MANY} redeliveries", lambda: redelivered() >= before + MANY)
    times, seconds = redelivered() - before, time.monotonic() - started
    arrived, state = destination.queue_declare(name, passive=True).method.message_count, states()
    print(f"{name}: {times} redeliveries of {WAITING} messages within {seconds:.1f} s; arrived {arrived}; {state}")
    api("DELETE", f"/parameters/shovel/up/{quoted}")
    wait_for("its end", lambda: states() == [])
    return arrived == 1 and state == ["running"]


for vhost in "up", "down":
    api("PUT", f"/vhosts/{vhost}", {})
source, destination = channel_of("up"), channel_of("down")
right = spins("shovel", "classic")
right = spins("shovel from a quorum queue", "quorum") and right
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/full.py" "$amqp_port" "$http_port"
