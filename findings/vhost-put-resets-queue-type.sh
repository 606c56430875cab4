#!/usr/bin/env bash
# To put a virtual host that exists, as scripts do to be sure that there is one, takes its default queue type away: declares fail then.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  PUT /api/vhosts/NAME makes the virtual host if there is none, and answers 204 if there is one. What the body does not
#            name stays as it is, as its limits, permissions and protection from deletion do. rabbitmqctl add_vhost, and its
#            update_vhost_metadata, do it that way.
# Happens:   it sets the description, tags and default queue type that the body does not name back to nothing: a virtual host whose
#            default was quorum has classic again. Applications that declare their queues without a type, which are quorum queues,
#            are refused from then on: 406, received 'classic' but current is 'quorum'. New queues are classic, without replicas.
#            To import definitions that give only the virtual host's name does the same. The default type of the node, if it is set,
#            takes its place. It shows when the applications start next.
# Who meets it: who sets a virtual host up once, with the default type quorum, and deploys applications with a script that puts
#            the virtual host and its permissions each time; or who changes only its description or tags by the API.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/put.py" <<'PY'
import base64
import json
import subprocess
import sys
import urllib.request

import pika

amqp_port, http_port, *rabbitmqctl = sys.argv[1:]


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api{path}", method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode(), "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        content = response.read()
    return json.loads(content) if content else None


def declare(queue):
    """Declares a queue without a type, and returns its type or the error."""
    with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(amqp_port), virtual_host="shop")) as connection:
        try:
            connection.channel().queue_declare(queue, durable=True)
        except pika.exceptions.ChannelClosedByBroker as error:
            return f"{error.reply_code} {error.reply_text.partition(': ')[2] or error.reply_text}"
    return api("GET", f"/queues/shop/{queue}")["type"]


def set_up():
    api("PUT", "/vhosts/shop", {"default_queue_type": "quorum", "description": "of the shop", "tags": "production"})


def see(what):
    metadata = api("GET", "/vhosts/shop")["metadata"]
    print(f"{what}: default queue type {metadata['default_queue_type']}, description {metadata['description']!r}, "
          f"tags {metadata['tags']}; protected from deletion {metadata['protected_from_deletion']}; to declare orders: {declare('orders')}")
    return metadata["default_queue_type"], metadata["description"], metadata["tags"], metadata["protected_from_deletion"]


set_up()
api("PUT", "/permissions/shop/guest", {"configure": ".*", "write": ".*", "read": ".*"})
api("PUT", "/vhost-limits/shop/max-queues", {"value": 1000})
api("POST", "/vhosts/shop/deletion/protection")
declare("orders")
before = see("before")
run = subprocess.run([*rabbitmqctl, "add_vhost", "shop"], capture_output=True, text=True)
added = see(f"rabbitmqctl add_vhost, exit code {run.returncode}")
right = run.returncode == 0 and before == added == ("quorum", "of the shop", ["production"], True)
for what, change, description in (
    ("PUT without a body", lambda: api("PUT", "/vhosts/shop"), ""),
    ("PUT of a description", lambda: api("PUT", "/vhosts/shop", {"description": "of the new shop"}), "of the new shop"),
    ("import of its name", lambda: api("POST", "/definitions", {"vhosts": [{"name": "shop"}]}), ""),
):
    set_up()
    right &= declare("orders") == "quorum"
    change()
    right &= see(what) == ("classic", description, [], True)
    error, new = declare("orders"), declare(f"after {what}".replace(" ", "-"))
    right &= "received 'classic' but current is 'quorum'" in error and new == "classic"
    print(f"  a new queue is {new}; limits {api('GET', '/vhost-limits/shop')[0]['value']}")
right &= api("GET", "/vhost-limits/shop")[0]["value"] == {"max-queues": 1000}
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/put.py" "$amqp_port" "$http_port" "${rabbitmqctl[@]}"
