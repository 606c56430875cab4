#!/usr/bin/env bash
# A bridge from Mosquitto to RabbitMQ never connects unless it is told two things, and with one of them messages come back.
#
# With:      Mosquitto 2.1.2 (Debian 2.1.2-3), RabbitMQ 4.3.6 (Debian 4.3.6-1), paho-mqtt 2.2.0
# Expected:  a bridge tells the other broker that it is one, by a bit in the protocol's version (try_private, on unless set). Where that is
#            refused it connects again without it, as its manual says for brokers other than Mosquitto.
# Happens:   RabbitMQ takes the bit for a packet that it cannot parse, and closes the connection without the answer, unacceptable version, that
#            Mosquitto waits for to leave it off: it tries the same again for ever, and its log says only that the connection was closed.
#            With try_private false it connects. A topic in both directions then delivers what was published at Mosquitto to its own
#            subscribers twice: once at once and once as it comes back from RabbitMQ.
#            With MQTT 5 both work: Mosquitto sends no bit, but asks RabbitMQ for messages that are not its own.
# Who meets it: who collects messages of sites with Mosquitto, the usual broker at the edge, in RabbitMQ, with the bridge of the manual's
#            example: nothing arrives, and then commands to machines are carried out twice.
. "$(dirname "$0")/lib.bash"

python_packages paho-mqtt==2.2.0
debian_packages mosquitto=2.1.2-3
mqtt_port=$(free_port)
rabbitmq_conf="mqtt.listeners.tcp.1 = 127.0.0.1:$mqtt_port"
rabbitmq 4.3.6-1 rabbitmq_mqtt

local_port=$(free_port)
bridge() {
  printf '%s\n' "connection $1" "address 127.0.0.1:$mqtt_port" 'remote_username guest' 'remote_password guest' \
    "topic $1/# both 1" 'notifications false' 'restart_timeout 1' "${@:2}"
}
{
  printf '%s\n' "listener $local_port 127.0.0.1" 'allow_anonymous true' 'user root'
  bridge default
  bridge plain 'try_private false'
  bridge five 'bridge_protocol_version mqttv50'
} >"$work/debian/bridges.conf"
echo 'root:x:0:0::/root:/bin/sh' >"$work/debian/etc/passwd"
run_in_background "$work/mosquitto.log" env LC_ALL=C chroot "$work/debian" mosquitto -v -c /bridges.conf

cat >"$work/bridges.py" <<'PY'
import sys
import time

import paho.mqtt.client as mqtt

local_port, mqtt_port, log, rabbitmq_log = sys.argv[1:]
got = {"at Mosquitto": [], "at RabbitMQ": []}


def client(name, port):
    each = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name.replace(" ", ""))
    each.username_pw_set("guest", "guest")
    each.on_message = lambda client, data, message: got[name].append(message.topic)
    each.connect("127.0.0.1", int(port))
    each.subscribe("#", 1)
    each.loop_start()
    return each


def text(name):
    with open(name, errors="replace") as lines:
        return lines.read()


for _ in range(100):
    if text(log).count("Received SUBACK from") == 2:
        break
    time.sleep(0.2)
clients = [client("at Mosquitto", local_port), client("at RabbitMQ", mqtt_port)]
time.sleep(2)
for each, topic in zip(clients, ("here", "there")):
    for bridge in ("default", "plain", "five"):
        each.publish(f"{bridge}/{topic}", "", 1)
time.sleep(10)
for name in got:
    got[name].sort()
    print(f"{name}: {got[name]}")
tries = text(log).count(".default sending CONNECT")
unparseable = text(rabbitmq_log).count("Unparseable MQTT packet")
print(f"tries of the bridge that is not told anything: {tries}; packets that RabbitMQ could not parse: {unparseable}")
right = got == {
    "at Mosquitto": ["default/here", "five/here", "five/there", "plain/here", "plain/here", "plain/there"],
    "at RabbitMQ": ["default/there", "five/here", "five/there", "plain/here", "plain/there"],
}
sys.exit(0 if right and tries > 2 and unparseable > 2 else 1)
PY

wait_for_port "$local_port" 20 || not_shown "Mosquitto did not start: $(tail -1 "$work/mosquitto.log")"

verdict "$python" "$work/bridges.py" "$local_port" "$mqtt_port" "$work/mosquitto.log" "$work/rabbitmq.log"
