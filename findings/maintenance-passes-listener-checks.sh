#!/usr/bin/env bash
# A node in maintenance refuses all connections, also to its HTTP API and metrics, while the checks of its listeners pass.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its management and prometheus plugins
# Expected:  rabbitmq-upgrade drain closes the listeners for clients: AMQP, MQTT, streams. What operators use stays: the HTTP API, where
#            one would look whether the node is drained, its health checks, and the metrics. A check of a closed listener fails.
# Happens:   the ports of the HTTP API and of the metrics refuse connections as well, until the node is revived. And rabbitmq-diagnostics
#            check_port_listener and check_protocol_listener go on to say "A listener for port ... is running", with the exit
#            code 0, for ports that refuse each connection: the listeners are suspended, but not forgotten.
# Who meets it: who drains the nodes one after the other for an upgrade: graphs and alerts of the drained node are gone with its clients; on a
#            single node also the way to see why. Probes that are made of these checks, as suggested for load balancers, keep a
#            drained node in rotation. check_running and ping pass too; status says that it is under maintenance.
. "$(dirname "$0")/lib.bash"

prometheus_port=$(free_port)
rabbitmq_conf="prometheus.tcp.ip = 127.0.0.1
prometheus.tcp.port = $prometheus_port"
rabbitmq 4.3.6-1 rabbitmq_management rabbitmq_prometheus

cat >"$work/drain.py" <<'PY'
import socket
import subprocess
import sys
import time

amqp_port, http_port, prometheus_port, *rabbitmqctl = sys.argv[1:]


def command(name, *arguments):
    tool = [*rabbitmqctl[:-1], rabbitmqctl[-1].replace("rabbitmqctl", name)]
    return subprocess.run([*tool, *arguments], capture_output=True, text=True)


def ports():
    seen = {}
    for name, port in (("AMQP", amqp_port), ("HTTP API", http_port), ("metrics", prometheus_port)):
        try:
            socket.create_connection(("127.0.0.1", int(port)), 5).close()
            seen[name] = "accepts"
        except ConnectionRefusedError:
            seen[name] = "refuses"
    return seen


before = ports()
drained = command("rabbitmq-upgrade", "drain").returncode
time.sleep(1)
during = ports()
checks = {}
for check in (["check_port_listener", amqp_port], ["check_port_listener", http_port], ["check_protocol_listener", "amqp"]):
    run = command("rabbitmq-diagnostics", *check)
    checks[" ".join(check)] = run.returncode
    print(f"in maintenance: {' '.join(check)}: exit code {run.returncode}, {run.stdout.strip()}")
revived = command("rabbitmq-upgrade", "revive").returncode
time.sleep(1)
after = ports()
print(f"before {before}\nin maintenance {during}\nrevived {after}")
right = before == after == dict.fromkeys(before, "accepts") and during == dict.fromkeys(before, "refuses")
sys.exit(0 if right and drained == revived == 0 and set(checks.values()) == {0} else 1)
PY

verdict python3 "$work/drain.py" "$amqp_port" "$http_port" "$prometheus_port" "${rabbitmqctl[@]}"
