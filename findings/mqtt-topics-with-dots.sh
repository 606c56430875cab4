#!/usr/bin/env bash
# A message of MQTT that is published to sites/10.0.0.7/temp arrives as one of sites/10/0/0/7/temp, and sites/+/temp does not get it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its MQTT plugin, paho-mqtt 2.2.0, MQTT 3.1.1 and 5
# Expected:  a dot means nothing in MQTT: one level of a topic may have any, and a subscriber is told the topic that was published to.
# Happens:   the level 10.0.0.7 becomes four levels. A "+" in its place does not match, a subscription to the four levels does, and
#            the subscription to the very topic gets its messages under the other topic, so that handlers by topic are not called.
#            A retained message comes back under the other topic as well.
# Who meets it: who has addresses, host names, versions or names of files in topics, and moves from another MQTT broker.
# Why:       topics become routing keys of a topic exchange, each "/" a "."; on the way back each "." is a "/".
. "$(dirname "$0")/lib.bash"

python_packages paho-mqtt==2.2.0
mqtt_port=$(free_port)
rabbitmq_conf="mqtt.listeners.tcp.1 = 127.0.0.1:$mqtt_port"
rabbitmq 4.3.6-1 rabbitmq_mqtt

cat >"$work/dots.py" <<'PY'
import queue
import sys

import paho.mqtt.client as mqtt

port = int(sys.argv[1])
TOPIC = "sites/10.0.0.7/temp"
LAST = "end/of/test"


class Client:
    """A connected client that notes the topics of what it gets."""

    def __init__(self, protocol, name):
        self.arrived, self.answers = queue.Queue(), queue.Queue()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, name, protocol=protocol)
        self.client.username_pw_set("guest", "guest")
        self.client.on_connect = lambda *_: self.answers.put("connected")
        self.client.on_subscribe = lambda *_: self.answers.put("subscribed")
        self.client.on_message = lambda _client, _data, message: self.arrived.put(message.topic)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.answers.get(timeout=20)

    def subscribe(self, *filters):
        self.client.subscribe([(each, 1) for each in filters])
        self.answers.get(timeout=20)

    def publish(self, topic, **options):
        self.client.publish(topic, b"21", qos=1, **options).wait_for_publish(20)

    def topics(self):
        """Returns what arrived before the last message, which is published after all others."""
        return list(iter(lambda: self.arrived.get(timeout=20), LAST))

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def seen(protocol, version):
    filters = [TOPIC, "sites/+/temp", "sites/10/0/0/7/temp", "sites/#"]
    subscribers = [Client(protocol, f"{version}-{number}") for number in range(len(filters))]
    for subscriber, each in zip(subscribers, filters):
        subscriber.subscribe(each, LAST)
    publisher = Client(protocol, f"{version}-publisher")
    for topic in TOPIC, "sites/north/temp", LAST:
        publisher.publish(topic)
    found = {each: subscriber.topics() for subscriber, each in zip(subscribers, filters)}
    publisher.publish("kept/10.0.0.7", retain=True)
    later = Client(protocol, f"{version}-later")
    later.subscribe("kept/10.0.0.7")
    found["kept/10.0.0.7, retained"] = [later.arrived.get(timeout=20)]
    publisher.publish("kept/10.0.0.7", retain=False)
    for client in [*subscribers, publisher, later]:
        client.close()
    print(f"MQTT {version}, published to {TOPIC} and sites/north/temp; a subscription to")
    for each, topics in found.items():
        print(f"  {each} got", *(topics or ["nothing"]))
    return found


other = "sites/10/0/0/7/temp"
expected = {
    TOPIC: [other],
    "sites/+/temp": ["sites/north/temp"],
    other: [other],
    "sites/#": [other, "sites/north/temp"],
    "kept/10.0.0.7, retained": ["kept/10/0/0/7"],
}
same = [seen(protocol, version) == expected for protocol, version in ((mqtt.MQTTv311, "3.1.1"), (mqtt.MQTTv5, "5"))]
sys.exit(0 if all(same) else 1)
PY
verdict "$python" "$work/dots.py" "$mqtt_port"
