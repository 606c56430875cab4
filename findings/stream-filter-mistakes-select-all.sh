#!/usr/bin/env bash
# A mistake in the SQL filter of a stream selects every message; the name of an x- header, rightly spelt, selects none.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), rabbitmq-amqp-python-client 1.0.1 (RabbitMQ's own, AMQP 1.0), pika 1.4.4
# Expected:  a filter that the broker cannot read, such as region == 'north', is refused; one that it can read sees what a publisher
#            by AMQP 0-9-1 has set: all headers are application properties, and type is the subject.
# Happens:   the broker leaves a filter that it cannot read out of what it grants, as AMQP 1.0 lets it, and sends everything. The client
#            does not look at what was granted; there is no error and no warning. == for =, a function or a section that it does not
#            know are enough. Headers that begin with x- are message annotations, which no filter sees: x-tenant is always null
#            in it; so is the subject, since type becomes an annotation, too. Such a filter selects nothing, without an end.
# Who meets it: who lets a service have its tenant's or region's part of a stream by a filter: with a typing mistake it
#            gets, and handles, those of all others; with names as gateways and tracers like them, x-tenant, it waits for ever.
. "$(dirname "$0")/lib.bash"

python_packages rabbitmq-amqp-python-client==1.0.1 pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/filters.py" <<'PY'
import os
import sys
import threading

import pika
from rabbitmq_amqp_python_client import (
    AddressHelper,
    AMQPMessagingHandler,
    Environment,
    OffsetSpecification,
    StreamConsumerOptions,
    StreamFilterOptions,
)

port = int(sys.argv[1])
STREAM = "orders"
channel = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port)).channel()
channel.confirm_delivery()
channel.queue_declare(STREAM, durable=True, arguments={"x-queue-type": "stream"})
for region in "north", "south":
    headers = {"region": region, "x-tenant": region}
    channel.basic_publish("", STREAM, region.encode(), pika.BasicProperties(headers=headers, type=region, message_id=region))
channel.basic_publish("", STREAM, b"last", pika.BasicProperties(headers={"last": True}))


class Handler(AMQPMessagingHandler):
    def __init__(self):
        super().__init__()
        self.bodies, self.over = [], threading.Event()

    def on_amqp_message(self, event):
        body = bytes(event.message.body).decode()
        self.delivery_context.accept(event)
        if body == "last":
            self.over.set()
        else:
            self.bodies.append(body)


def selected(sql):
    """Returns what the filter selects. Every filter selects the last message, too, so that the end is known."""
    connection = Environment(uri=f"amqp://guest:guest@127.0.0.1:{port}/").connection()
    connection.dial()
    handler = Handler()
    options = StreamConsumerOptions(offset_specification=OffsetSpecification.first,
                                    filter_options=StreamFilterOptions(sql=f"last = TRUE OR {sql}"))
    consumer = connection.consumer(AddressHelper.queue_address(STREAM), message_handler=handler, consumer_options=options)
    threading.Thread(target=consumer.run, daemon=True).start()
    if not handler.over.wait(20):
        print("the last message did not come", file=sys.stderr)
        return None
    return handler.bodies


ONE, ALL, NONE = ["north"], ["north", "south"], []
right = True
for sql, expected in (
    ("region = 'north'", ONE),
    ("properties.message_id = 'north'", ONE),
    ("region == 'north'", ALL),
    ("CONTAINS(region, 'north')", ALL),
    ("region = 'north' AND header.ttl > 1000", ALL),
    ("\"x-tenant\" = 'north'", NONE),
    ("properties.subject = 'north'", NONE),
):
    bodies = selected(sql)
    print(f"{sql} selects {bodies}", flush=True)
    right = right and bodies == expected
# The client's threads do not end by themselves.
os._exit(0 if right else 1)
PY

verdict "$python" "$work/filters.py" "$amqp_port"
