#!/usr/bin/env bash
# A user of default_users that was deleted is back when the next virtual host is added.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management plugin
# Expected:  default_users.NAME.* is to default_user what a list is to one: users for the first start of an empty node.
# Happens:   they belong to virtual hosts. Each time that one is added whose name matches, the user is created if it is not there, and gets
#            permissions in it, all of them unless others are set. So one that was deleted comes back as the file has it,
#            and one whose password and tags were changed keeps these but may do everything in the new virtual host.
# Who meets it: who puts the first users of a cluster into rabbitmq.conf, and deletes or restricts them later.
. "$(dirname "$0")/lib.bash"

rabbitmq_conf='default_users.setup.password = first
default_users.setup.tags = management
default_users.app.password = second
default_users.app.read = ^app'
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/users.py" <<'PY'
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
            return json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code


def state(when, vhost):
    users = {user["name"]: user["tags"] for user in api("GET", "/users")}
    rights = {
        each["user"]: (each["configure"], each["write"], each["read"])
        for each in api("GET", f"/vhosts/{vhost}/permissions")
    }
    print(f"{when}: users {users}, permissions {rights}")
    return users, rights


first, _ = state("after the first start", "%2F")
api("DELETE", "/users/setup")
api("PUT", "/users/app", {"password": "changed", "tags": "monitoring"})
deleted, _ = state("setup deleted, app changed", "%2F")
api("PUT", "/vhosts/shop", {})
after, rights = state("after a new virtual host", "shop")
seen = (
    set(first) == {"guest", "setup", "app"},
    set(deleted) == {"guest", "app"},
    after.get("setup") == ["management"],
    after.get("app") == ["monitoring"],
    rights.get("setup") == (".*", ".*", ".*"),
    rights.get("app") == (".*", ".*", "^app"),
)
sys.exit(0 if all(seen) else 1)
PY
verdict python3 "$work/users.py" "$http_port"
