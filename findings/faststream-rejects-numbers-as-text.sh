#!/usr/bin/env bash
# FastStream rejects a message for a handler of text if its text happens to be a number, true or null.
#
# With:      FastStream 0.7.8 (aio-pika 10.2.1, pydantic 2.14.4), pika 1.4.4, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a handler with the parameter msg: str gets the body as text, and one with msg: bytes the body as it was sent. A body
#            without a content type is bytes and no more.
# Happens:   without a content type the body is first tried as JSON. What is JSON by chance is a number, a truth value, None or a dict
#            then, which the check of the parameter refuses: the message is rejected without requeue, and lost where there is
#            no dead letter exchange. So of a stream of numbers of orders, A17 and 007 arrive, and 17 and 1e5 do not.
#            "A17" with quotation marks loses these. With the content type text/plain all arrive as they were sent.
# Who meets it: who consumes what others publish. pika, amqplib, the clients of Go and Java, and RabbitMQ's page set no content type by
#            themselves. FastStream's own publisher does, and so a test with it passes.
. "$(dirname "$0")/lib.bash"

python_packages faststream==0.7.8 aio-pika==10.2.1 pydantic==2.14.4 fast-depends==3.0.9 pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/text.py" <<'PY'
import asyncio
import sys

import pika
from faststream.rabbit import RabbitBroker, RabbitQueue

port = int(sys.argv[1])
BODIES = [b"A17", b"007", b"17", b"1e5", b"true", b"null", b'{"id": 17}', b'"A17"', b"two words"]
dead_letters = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}


async def sent(channel, parameter, content_type):
    """Publishes each body to a handler with such a parameter, and returns by body what the handler got, or that it is a dead letter."""
    broker = RabbitBroker(f"amqp://guest:guest@127.0.0.1:{port}/", logger=None)
    name = f"{parameter.__name__}.{content_type}"
    handled = asyncio.Queue()

    @broker.subscriber(RabbitQueue(name, durable=True, arguments=dead_letters))
    async def handle(msg: parameter):
        await handled.put(msg)

    await broker.start()
    seen = {}
    for body in BODIES:
        channel.basic_publish("", name, body, pika.BasicProperties(content_type=content_type))
        for _ in range(300):
            await asyncio.sleep(0.02)
            if not handled.empty():
                seen[body] = handled.get_nowait()
                break
            if channel.basic_get("dead", auto_ack=True)[0]:
                seen[body] = "rejected"
                break
        print(f"msg: {parameter.__name__}, content type {content_type}, {body.decode()} -> {seen.get(body, 'nothing')!r}")
    await broker.stop()
    return seen


async def main(channel):
    channel.queue_declare("dead", durable=True)
    rejected = {b"17", b"1e5", b"true", b"null", b'{"id": 17}'}
    same = True
    for parameter in str, bytes:
        as_sent = {body: body.decode() if parameter is str else body for body in BODIES}
        by_chance = as_sent | dict.fromkeys(rejected, "rejected")
        by_chance[b'"A17"'] = "A17" if parameter is str else b"A17"
        same &= await sent(channel, parameter, None) == by_chance
        same &= await sent(channel, parameter, "text/plain") == as_sent
    return same


with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port)) as connection:
    sys.exit(0 if asyncio.run(main(connection.channel())) else 1)
PY
verdict "$python" "$work/text.py" "$amqp_port"
