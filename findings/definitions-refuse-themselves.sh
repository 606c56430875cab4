#!/usr/bin/env bash
# RabbitMQ refuses the definitions that it has exported itself, once an internal exchange is bound.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  GET /api/definitions/VHOST, then POST of the same to the same version makes the same exchanges and bindings.
# Happens:   the export leaves exchanges with internal=true out, those that users declared too, but keeps the bindings to them.
#            Into an empty virtual host, the import answers 400 {resources_missing, ... exchange ...}; and what came before
#            the bindings, the other exchanges, is there by then. Nothing at the export tells of it.
# Who meets it: who has exchange-to-exchange topologies with internal exchanges and tries
#            a backup of definitions for the first time when it is needed.
. "$(dirname "$0")/lib.bash"

rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/definitions.py" <<'PY'
import base64
import json
import sys
import urllib.error
import urllib.request

http_port = sys.argv[1]


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            content = response.read()
            return response.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def fresh_vhost():
    api("DELETE", "/vhosts/shop")
    api("PUT", "/vhosts/shop", {})
    api("PUT", "/permissions/shop/guest", {"configure": ".*", "write": ".*", "read": ".*"})


def own_exchanges():
    names = [exchange["name"] for exchange in api("GET", "/exchanges/shop")[1]]
    return sorted(name for name in names if name and not name.startswith("amq."))


answers = {}
for internal in False, True:
    fresh_vhost()
    api("PUT", "/exchanges/shop/orders", {"type": "topic", "durable": True})
    api("PUT", "/exchanges/shop/billing", {"type": "fanout", "durable": True, "internal": internal})
    api("POST", "/bindings/shop/e/orders/e/billing", {"routing_key": "#"})
    exported = api("GET", "/definitions/shop")[1]
    fresh_vhost()
    code, body = api("POST", "/definitions/shop", exported)
    answers[internal] = code
    print("internal exchange:" if internal else "ordinary exchange:",
          "exported exchanges", sorted(exchange["name"] for exchange in exported["exchanges"]),
          "bindings", len(exported["bindings"]), "import:", code, (body or {}).get("reason", ""),
          "exchanges afterwards:", own_exchanges())
sys.exit(0 if answers == {False: 204, True: 400} and own_exchanges() == ["orders"] else 1)
PY
verdict python3 "$work/definitions.py" "$http_port"
