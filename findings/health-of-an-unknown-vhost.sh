#!/usr/bin/env bash
# RabbitMQ's health check of quorum queues passes for a virtual host that does not exist, and a queue that does not exist has a binding.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  404 for a virtual host or a queue that does not exist, as aliveness-test and GET queues/VHOST/QUEUE answer.
# Happens:   health/checks/quorum-queues-without-elected-leaders/vhost/NAME/pattern/PATTERN answers 200 {"status":"ok"} for any NAME. The
#            bindings of an unknown queue are answered with 200 and one binding, from the default exchange to that queue; those of an
#            unknown exchange with 200 and none.
# Who meets it: who has a monitor ask for one virtual host: a name that is misspelled, or was renamed since, stays green for ever. And
#            scripts that take bindings for a proof that the queue is there.
. "$(dirname "$0")/lib.bash"

rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/absent.py" <<'PY'
import base64
import json
import sys
import urllib.error
import urllib.request

http_port = sys.argv[1]


def get(path):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api/{path}",
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode()},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        return error.code, None


LEADERS = "health/checks/quorum-queues-without-elected-leaders/vhost/{}/pattern/.*"
answers = {}
for path in (
    "aliveness-test/ordres",
    LEADERS.format("%2F"),
    LEADERS.format("ordres"),
    "queues/%2F/orders",
    "queues/%2F/orders/bindings",
    "exchanges/%2F/orders/bindings/source",
):
    answers[path] = get(path)
    print(f"{path}: {answers[path][0]} {json.dumps(answers[path][1])}")
bindings = answers["queues/%2F/orders/bindings"]
holds = (
    answers["aliveness-test/ordres"][0] == 404
    and answers[LEADERS.format("ordres")] == (200, {"status": "ok"}) == answers[LEADERS.format("%2F")]
    and answers["queues/%2F/orders"][0] == 404
    and bindings[0] == 200
    and [(each["source"], each["destination"]) for each in bindings[1]] == [("", "orders")]
    and answers["exchanges/%2F/orders/bindings/source"] == (200, [])
)
sys.exit(0 if holds else 1)
PY
verdict python3 "$work/absent.py" "$http_port"
