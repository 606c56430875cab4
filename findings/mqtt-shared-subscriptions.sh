#!/usr/bin/env bash
# RabbitMQ grants a shared subscription of MQTT, and delivers nothing to it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its MQTT plugin, paho-mqtt 2.2.0, MQTT 3.1.1 and 5
# Expected:  it has no shared subscriptions and says so (SharedSubscriptionAvailable 0 when connecting with MQTT 5), so it refuses
#            $share/workers/jobs/#: in MQTT 5 with the reason code 0x9E that exists for this, in 3.1.1 with 0x80.
# Happens:   SUBACK grants QoS 1 with both. The filter is taken for a topic whose first levels are $share and workers; messages of
#            jobs/1 are confirmed to their publisher and are in no queue. A message published to $share/workers/jobs/1 does arrive.
# Who meets it: who moves workers from Mosquitto, EMQX or HiveMQ: all of them are connected and subscribed, and idle.
. "$(dirname "$0")/lib.bash"

python_packages paho-mqtt==2.2.0
mqtt_port=$(free_port)
rabbitmq_conf="mqtt.listeners.tcp.1 = 127.0.0.1:$mqtt_port"
rabbitmq 4.3.6-1 rabbitmq_mqtt

cat >"$work/shared.py" <<'PY'
import queue
import sys

import paho.mqtt.client as mqtt

port = int(sys.argv[1])
SHARED, LAST = "$share/workers/jobs/#", "end"


class Client:
    """A connected client that notes what it is answered and the topics of what it gets."""

    def __init__(self, protocol, name):
        self.arrived, self.connected, self.subscribed = queue.Queue(), queue.Queue(), queue.Queue()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, name, protocol=protocol)
        self.client.username_pw_set("guest", "guest")
        self.client.on_connect = lambda _client, _data, _flags, _reason, properties: self.connected.put(properties)
        self.client.on_subscribe = lambda _client, _data, _id, reasons, _properties: self.subscribed.put(reasons)
        self.client.on_message = lambda _client, _data, message: self.arrived.put(message.topic)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.properties = self.connected.get(timeout=20)

    def subscribe(self, *filters):
        self.client.subscribe([(each, 1) for each in filters])
        return [reason.value for reason in self.subscribed.get(timeout=20)]

    def publish(self, topic):
        self.client.publish(topic, b"", qos=1).wait_for_publish(20)

    def topics(self):
        """Returns what arrived before the last message, which is published after all others."""
        return list(iter(lambda: self.arrived.get(timeout=20), LAST))

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def seen(protocol, version):
    workers = [Client(protocol, f"{version}-{number}") for number in range(2)]
    plain = Client(protocol, f"{version}-plain")
    codes = [worker.subscribe(SHARED, LAST)[0] for worker in workers]
    plain.subscribe("jobs/#", LAST)
    publisher = Client(protocol, f"{version}-publisher")
    for number in range(4):
        publisher.publish(f"jobs/{number}")
    publisher.publish(LAST)
    got = [worker.topics() for worker in workers]
    by_plain = plain.topics()
    publisher.publish("$share/workers/jobs/1")
    publisher.publish(LAST)
    literally = [worker.topics() for worker in workers]
    available = getattr(publisher.properties, "SharedSubscriptionAvailable", "not said")
    for client in [*workers, plain, publisher]:
        client.close()
    print(f"MQTT {version}: shared subscriptions available: {available}; SUBACK to {SHARED}: {codes}")
    print(f"  4 messages to jobs/...: workers got {got}, a plain subscription got {by_plain}")
    print(f"  a message to $share/workers/jobs/1: workers got {literally}")
    return codes, got, len(by_plain), literally, available


literal = [["$share/workers/jobs/1"]] * 2
same = seen(mqtt.MQTTv311, "3.1.1") == ([1, 1], [[], []], 4, literal, "not said")
same &= seen(mqtt.MQTTv5, "5") == ([1, 1], [[], []], 4, literal, 0)
sys.exit(0 if same else 1)
PY
verdict "$python" "$work/shared.py" "$mqtt_port"
