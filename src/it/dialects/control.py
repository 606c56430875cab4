#!/usr/bin/env python3
"""Prints what a control command prints: "rabbitmqctl" of docs/compatibility.md.

    src/it/dialects/control.py --ctl broker-server/target/mayfly/bin/mayflyctl
    src/it/dialects/control.py --ctl PEER_CTL --vhost try lists      RabbitMQ, one group only

The program is called about forty times. Names of what it creates begin with "dialect.", users and virtual hosts included.
"""

import shlex
import subprocess

import broker as peer


def told(broker, command, given=None):
    """The exit code and the lines of both outputs."""
    if broker.ctl is None:
        raise SystemExit("--ctl is needed")
    words = [each.replace("{vhost}", broker.vhost) for each in shlex.split(command)]
    done = subprocess.run([broker.ctl, *words], input=given, capture_output=True, text=True, timeout=120)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return f"{done.returncode}: " + " / ".join(lines[:6])[:400]


def rows(broker, *commands):
    for command in commands:
        yield command, told(broker, command)


def lists(broker):
    def declare(channel):
        for name in ("dialect.c", "dialect.a", "dialect.b"):
            channel.queue_declare(name, durable=True, arguments={"x-max-length": 5, "x-list": [1, 2], "x-text": "undefined"} if name == "dialect.b" else None)

    broker.run(declare)
    yield from rows(
        broker, "list_queues -p {vhost}", "list_queues -p {vhost} name arguments", "list_queues -p {vhost} name arguments --formatter json",
        "list_queues -p {vhost} name arguments --formatter pretty_table", "list_queues -p {vhost} name --formatter x", "list_queues -p {vhost} name -q", "list_queues -p {vhost} name -s",
        "list_queues -p {vhost} nonsense", "list_queues -p dialect.none", "list_exchanges -p {vhost} name type -s", "list_vhosts name tags -s", "list_users -s", "list_policies -p {vhost}",
        "list_connections pid name -s", "list_connections pid --formatter json -s")
    for name in "abc":
        broker.run(lambda channel: channel.queue_delete("dialect." + name))


def changes(broker):
    yield from rows(
        broker, "add_vhost --tags a,b dialect.v", "add_vhost dialect.v", "list_vhosts name tags -s --formatter json", "add_user dialect.u p", "add_user dialect.u p", "set_user_tags dialect.u x",
        "authenticate_user dialect.u p", "authenticate_user dialect.u x", "set_permissions -p dialect.v dialect.u .* .* .*", "set_permissions -p dialect.v dialect.u (a .* .*", "list_user_permissions dialect.none",
        "list_permissions -p dialect.v", "set_topic_permissions -p dialect.v dialect.u amq.topic x x", "list_user_topic_permissions dialect.u", "set_user_limits dialect.none '{\"max-channels\":1}'",
        "set_user_limits dialect.u '{\"max-channels\":1}'", "list_user_limits --user dialect.u", "set_vhost_limits -p dialect.v '{\"max-queues\":\"x\"}'", "set_policy -p dialect.v p x '{\"max-length\":1}'",
        "set_policy -p dialect.v p x '{\"max-length\":\"x\"}'", "set_policy -p dialect.v p x '[1]'", "set_policy -p dialect.v p x '{'", "clear_policy -p dialect.v p", "clear_policy -p dialect.v none",
        "set_policy -p dialect.v p x '{\"max-length\":1}' --dry-run", "set_parameter -p dialect.v x y 1", "delete_queue -p {vhost} dialect.none", "purge_queue -p {vhost} dialect.none",
        "close_connection none none", "delete_user dialect.u", "delete_user dialect.u", "delete_vhost dialect.v", "delete_vhost dialect.v")


def commands(broker):
    for given in ("[1]", "{x"):
        yield f"import_definitions of {given}", told(broker, "import_definitions", given)
    yield from rows(
        broker, "nonsense", "list_queues --nonsense", "add_user", "rotate_logs", "-n other@localhost list_queues", "list_queues -p {vhost} --timeout 1", "help list_queues", "version", "ping",
        "cluster_status -s", "list_ciphers -s", "environment -q", "list_feature_flags name -s", "list_deprecated_features name -s", "enable_feature_flag x", "force_boot", "sync_queue q", "eval 1.",
        "list_unresponsive_queues", "check_if_any_deprecated_features_are_used", "set_cluster_name dialect", "list_node_auth_attempt_stats", "suspend_listeners", "resume_listeners", "force_gc", "hash_password p")


GROUPS = {each.__name__: each for each in (lists, changes, commands)}

if __name__ == "__main__":
    peer.main(__doc__, GROUPS)
