#!/usr/bin/env bash
# To change only the priority of a federation policy deletes the messages that wait upstream.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its federation plugins, pika 1.4.4
# Expected:  what an upstream has buffered for a federated exchange waits there until the downstream takes it: buffering over
#            a link that is down or slow is what federation is for. To edit the policy restarts the link at most.
# Happens:   when the policy is set again with another priority, and everything else the same, the link is taken down as if
#            federation were switched off: the buffer queue is deleted with all its messages, and a new, empty one declared.
#            Persistent messages in a durable queue: no dead-lettering, nothing in the status of the link, which
#            is "running" before and after.
# Who meets it: who tidies the priorities of policies, or imports definitions with other ones, while a site is behind.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_management rabbitmq_federation_common rabbitmq_exchange_federation rabbitmq_federation_management

cat >"$work/federation.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

import pika

amqp_port, http_port, mode = sys.argv[1:]
COUNT = 300
AUTHORIZATION = "Basic " + base64.b64encode(b"guest:guest").decode()


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": AUTHORIZATION, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        content = response.read()
    return json.loads(content) if content else None


def channel_of(vhost):
    parameters = pika.ConnectionParameters("127.0.0.1", int(amqp_port), virtual_host=vhost)
    return pika.BlockingConnection(parameters).channel()


def wait_for(condition):
    for _ in range(150):
        if condition():
            return
        time.sleep(0.2)
    sys.exit("waited in vain")


def status():
    return [link["status"] for link in api("GET", "/federation-links/down")]


def set_policy(priority):
    definition = {"federation-upstream": "up"}
    policy = {"pattern": "^news$", "apply-to": "exchanges", "priority": priority, "definition": definition}
    api("PUT", "/policies/down/federate", policy)


for vhost in "up", "down":
    api("PUT", f"/vhosts/{vhost}", {})
upstream, downstream = channel_of("up"), channel_of("down")

downstream.exchange_declare("news", "topic", durable=True)
downstream.queue_declare("site", durable=True)
downstream.queue_bind("site", "news", "#")
uri = f"amqp://127.0.0.1:{amqp_port}/up"
api("PUT", "/parameters/federation-upstream/down/up", {"value": {"uri": uri, "prefetch-count": 1, "reconnect-delay": 1}})
set_policy(0)
wait_for(lambda: status() == ["running"] and any(b["destination"].startswith("federation: news")
                                                  for b in api("GET", "/bindings/up")
                                                  if b["source"] == "news"))

# The link takes one message at a time, so it falls behind, and the others wait upstream.
buffer = api("GET", "/queues/up")[0]["name"]
persistent = pika.BasicProperties(delivery_mode=2)
for number in range(COUNT):
    upstream.basic_publish("news", "today", str(number).encode(), persistent)
waiting = upstream.queue_declare(buffer, passive=True).method.message_count
print("published:", COUNT, "waiting upstream by then:", waiting, "link:", *status())
if mode == "change":
    set_policy(1)
    time.sleep(2)
    wait_for(lambda: status() == ["running"])
    print("priority of the policy changed, link:", *status())

arrived, quiet_since = 0, time.monotonic()
while time.monotonic() - quiet_since < 8 and arrived < COUNT:
    count = downstream.queue_declare("site", passive=True).method.message_count
    if count != arrived:
        arrived, quiet_since = count, time.monotonic()
    time.sleep(0.1)
print("arrived in the end:", arrived)
for vhost in "down", "up":
    api("DELETE", f"/vhosts/{vhost}")
sys.exit(0 if (arrived < COUNT if mode == "change" else arrived == COUNT) and waiting > 100 else 1)
PY
echo '- without a change'
verdict "$python" "$work/federation.py" "$amqp_port" "$http_port" leave
echo '- with a change'
verdict "$python" "$work/federation.py" "$amqp_port" "$http_port" change
