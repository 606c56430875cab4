#!/usr/bin/env bash
# The same policies of equal priority apply differently from virtual host to virtual host of one RabbitMQ.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  where several policies of the same priority match a queue, one rule picks one: the first or the last by name or by
#            creation. Virtual hosts that were made alike behave alike.
# Happens:   in four virtual hosts with the same three policies, which all have the default priority 0, queues of the same name have three
#            different ones. Deleted and made again in the opposite order, each virtual host keeps its own: neither the order of names nor that
#            of creation decides, but probably the order of a hash table whose keys contain the virtual host.
# Who meets it: who gives each tenant or each stage a virtual host from one template, without priorities: a limit that was
#            tried in one of them is not in force in the next.
. "$(dirname "$0")/lib.bash"

rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/policies.py" <<'PY'
import base64
import json
import sys
import time
import urllib.request

http_port = sys.argv[1]
VHOSTS = ["orders-1", "orders-2", "orders-3", "orders-4"]
POLICIES = {"retention": {"message-ttl": 86400000}, "ttl-short": {"message-ttl": 1000}, "limits": {"max-length": 10}}


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


def applied():
    """Waits until the API tells the policies that the queues have, twice the same."""
    last = None
    for _ in range(60):
        time.sleep(1)
        now = {vhost: api("GET", f"/queues/{vhost}/work").get("policy") for vhost in VHOSTS}
        if all(now.values()) and now == last:
            return now
        last = now
    return last


for vhost in VHOSTS:
    api("PUT", f"/vhosts/{vhost}", {})
    api("PUT", f"/queues/{vhost}/work", {"durable": True})

seen = []
for order in (list(POLICIES), list(reversed(POLICIES))):
    for vhost in VHOSTS:
        for name in api("GET", f"/policies/{vhost}"):
            api("DELETE", f"/policies/{vhost}/{name['name']}")
        for name in order:
            api("PUT", f"/policies/{vhost}/{name}", {"pattern": ".*", "definition": POLICIES[name], "apply-to": "queues"})
    seen.append(applied())
    print("made in the order", ", ".join(order) + ":", seen[-1])
sys.exit(0 if seen[0] == seen[1] and len(set(seen[0].values())) > 1 else 1)
PY
verdict python3 "$work/policies.py" "$http_port"
