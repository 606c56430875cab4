#!/usr/bin/env bash
# A request by MQTT 5 comes to a service that speaks AMQP 0-9-1 without reply_to, and the other way round without a response topic.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1) with its MQTT plugin, paho-mqtt 2.2.0, pika 1.4.4
# Expected:  MQTT 5 and AMQP both have a request with an address for the reply and a correlation, and the broker converts what both
#            have: Response Topic and Correlation Data arrive as reply_to and correlation_id, and back.
# Happens:   the correlation does, while it is text. The Response Topic arrives as a header, x-reply-to-topic, with dots for slashes,
#            and means a routing key of amq.topic. reply_to is not set, and services that answer to reply_to, as all of 0-9-1 do, take
#            the request for a message without an answer. A request by 0-9-1 comes to MQTT without a Response Topic, whatever its
#            reply_to is; it has one if the requester sets that header.
# Who meets it: who puts devices that speak MQTT 5 before services of a RabbitMQ that has served RPC for years, or calls a device from
#            them: the request is there, with the right correlation, and the caller waits until its time is over.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4 paho-mqtt==2.2.0
mqtt_port=$(free_port)
rabbitmq_conf="mqtt.listeners.tcp.1 = 127.0.0.1:$mqtt_port"
rabbitmq 4.3.6-1 rabbitmq_mqtt

cat >"$work/requests.py" <<'PY'
import queue
import sys
import time

import paho.mqtt.client as mqtt
import pika
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

amqp_port, mqtt_port = map(int, sys.argv[1:])
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", amqp_port))
channel = connection.channel()
arrived, subscribed = queue.Queue(), queue.Queue()
device = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "device", protocol=mqtt.MQTTv5)
device.username_pw_set("guest", "guest")
device.on_connect = lambda client, *_: client.subscribe([("answers/device", 1), ("devices/calls", 1)])
device.on_subscribe = lambda *_: subscribed.put(True)
device.on_message = lambda _client, _data, message: arrived.put(message)
device.connect("127.0.0.1", mqtt_port)
device.loop_start()
subscribed.get(timeout=20)


def request_of_device():
    """Returns the properties with which a request by MQTT comes to a queue of 0-9-1."""
    name = channel.queue_declare("service").method.queue
    channel.queue_bind(name, "amq.topic", "services.time")
    properties = Properties(PacketTypes.PUBLISH)
    properties.ResponseTopic, properties.CorrelationData = "answers/device", b"call 17"
    device.publish("services/time", b"?", 1, properties=properties).wait_for_publish(20)
    for _ in range(200):
        method, properties, _ = channel.basic_get(name, auto_ack=True)
        if method:
            return properties
        time.sleep(0.1)
    sys.exit("the request did not come")


def call_of_device(**properties):
    """Returns the Response Topic and the correlation with which a request by 0-9-1 comes to MQTT."""
    channel.basic_publish("amq.topic", "devices.calls", b"?", pika.BasicProperties(delivery_mode=2, **properties))
    message = arrived.get(timeout=20)
    return getattr(message.properties, "ResponseTopic", None), getattr(message.properties, "CorrelationData", None)


request = request_of_device()
print(f"MQTT to 0-9-1: reply_to {request.reply_to}, correlation_id {request.correlation_id}, headers {request.headers}")
right = (request.reply_to, request.correlation_id, request.headers) == (None, "call 17", {"x-reply-to-topic": "answers.device"})

channel.basic_publish("amq.topic", request.headers["x-reply-to-topic"], b"noon",
                      pika.BasicProperties(correlation_id=request.correlation_id, delivery_mode=2))
reply = arrived.get(timeout=20)
print(f"a reply with that header as routing key comes to {reply.topic} with {reply.properties.CorrelationData}")
right = right and (reply.topic, reply.properties.CorrelationData) == ("answers/device", b"call 17")

with_reply_to = call_of_device(reply_to="replies", correlation_id="call 18")
with_header = call_of_device(headers={"x-reply-to-topic": "answers.service"}, correlation_id="call 19")
print(f"0-9-1 to MQTT: with reply_to {with_reply_to}, with the header {with_header}")
right = right and with_reply_to == (None, b"call 18") and with_header == ("answers/service", b"call 19")
device.disconnect()
device.loop_stop()
sys.exit(0 if right else 1)
PY

verdict "$python" "$work/requests.py" "$amqp_port" "$mqtt_port"
