#!/usr/bin/env bash
# The aliveness check of Nagios and Icinga passes while RabbitMQ takes no message: it does nothing any more.
#
# With:      nagios-plugins-rabbitmq 2.0.3 (Debian 1:2.0.3-1), RabbitMQ 4.3.6 (Debian 4.3.6-1), pika 1.4.4
# Expected:  check_rabbitmq_aliveness calls /api/aliveness-test, which declares a queue, publishes a message to it and takes it back. If
#            that does not work, as while an alarm blocks all publishers or in a virtual host where nothing can be declared, it is CRITICAL.
# Happens:   the endpoint is still there, and answers {"status": "ok"} for each virtual host that it has, without a queue or a message. With a
#            memory alarm a publisher is blocked for as long as it lasts, and the check is OK.
#            Also where the virtual host has reached its limit of queues, so that no queue can be declared there.
#            The other checks of the package that need no threshold are OK too.
# Who meets it: who keeps the checks that worked with RabbitMQ 3: they are OK after the upgrade, and stay so when the disk is full.
#            /api/health/checks/alarms says what is wrong.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
debian_packages nagios-plugins-rabbitmq=1:2.0.3-1
rabbitmq 4.3.6-1 rabbitmq_management

cat >"$work/alive.py" <<'PY'
import base64
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pika

amqp_port, http_port, directory, *rabbitmqctl = sys.argv[1:]


def check(name, *arguments):
    run = subprocess.run(
        ["env", "LC_ALL=C", "chroot", directory, f"/usr/bin/check_rabbitmq_{name}", "-H", "127.0.0.1", "--port", http_port,
         "-u", "guest", "-p", "guest", *arguments], capture_output=True, text=True)
    print(f"check_rabbitmq_{name}: exit code {run.returncode}, {run.stdout.split(' | ')[0].strip()}")
    return run.returncode


def alarms():
    request = urllib.request.Request(
        f"http://127.0.0.1:{http_port}/api/health/checks/alarms",
        headers={"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode()})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def publish():
    """Publishes a message with a confirm, and says whether that works within five seconds."""
    parameters = pika.ConnectionParameters("127.0.0.1", int(amqp_port), blocked_connection_timeout=5)
    try:
        connection = pika.BlockingConnection(parameters)
        channel = connection.channel()
        channel.confirm_delivery()
        channel.queue_declare("orders", durable=True)
        channel.basic_publish("", "orders", b"")
        connection.close()
        return "confirmed"
    except pika.exceptions.AMQPError as error:
        return type(error).__name__


def control(*arguments):
    subprocess.run([*rabbitmqctl, *arguments], check=True, stdout=subprocess.DEVNULL)


control("add_vhost", "full")
control("set_permissions", "-p", "full", "guest", ".*", ".*", ".*")
control("set_vhost_limits", "-p", "full", '{"max-queues": 0}')
before = publish(), alarms()
print("before:", *before)
control("set_vm_memory_high_watermark", "absolute", "1MB")
for _ in range(100):
    if alarms() == 503:
        break
    time.sleep(0.2)
after = publish(), alarms()
print("with an alarm:", *after)
codes = check("aliveness"), check("aliveness", "--vhost", "full"), check("overview"), check("cluster")
right = before == ("confirmed", 200) and after == ("ConnectionBlockedTimeout", 503) and codes == (0, 0, 0, 0)
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/alive.py" "$amqp_port" "$http_port" "$work/debian" "${rabbitmqctl[@]}"
