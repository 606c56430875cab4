#!/usr/bin/env bash
# A robust consumer of aio-pika that was too slow once cuts its whole connection, and the handlers of all its channels.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), aio-pika 10.2.1 (aiormq 7.2.4, pamqp 4.0.1)
# Expected:  4.3 cancels the consumer of a quorum queue that holds a message for longer than its consumer timeout, so that its channel
#            and connection live on. A robust consumer consumes again, as it does when its queue was deleted.
# Happens:   aio-pika does so after five seconds, with the consumer tag it had. RabbitMQ has told the client that this consumer is gone,
#            but keeps its tag in use as long as the channel is open, even when the late ack has come: it answers 530, attempt to
#            reuse consumer tag, which ends the connection. The handlers of all its channels are cancelled where they are, with
#            CancelledError, and five seconds later their messages are delivered again on a new connection.
# Who meets it: who has handlers that take longer than the timeout now and then, 30 minutes if nothing is set, and others on the
#            same connection: they are stopped halfway, and begin again.
. "$(dirname "$0")/lib.bash"

python_packages aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1
rabbitmq 4.3.6-1

cat >"$work/slow.py" <<'PY'
import asyncio
import logging
import sys

import aio_pika

logging.disable(logging.CRITICAL)
URL = f"amqp://guest:guest@127.0.0.1:{sys.argv[1]}/"
SLOW, LONG = 4, 8


class Worker:
    """Takes a while for each message that it gets for the first time, and notes what it gets and what ends it."""

    def __init__(self, seconds):
        self.seconds, self.got, self.acked, self.ended = seconds, [], 0, []

    async def handle(self, message):
        self.got.append(message.redelivered)
        try:
            if not message.redelivered:
                await asyncio.sleep(self.seconds)
            await message.ack()
            self.acked += 1
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise


async def main():
    connection = await aio_pika.connect_robust(URL)
    closed = []
    connection.close_callbacks.add(lambda _, error: closed.append(str(error)))
    workers = {"slow": Worker(SLOW), "long": Worker(LONG)}
    for name, arguments in (("slow", {"x-queue-type": "quorum", "x-consumer-timeout": 2000}), ("long", {"x-queue-type": "quorum"})):
        channel = await connection.channel()
        queue = await channel.declare_queue(name, durable=True, arguments=arguments)
        await channel.default_exchange.publish(aio_pika.Message(name.encode()), name)
        await queue.consume(workers[name].handle)
    for _ in range(400):
        await asyncio.sleep(0.1)
        if all(len(worker.got) > 1 and worker.acked for worker in workers.values()):
            break
    slow, long = workers["slow"], workers["long"]
    print("the connection was closed:", [text.split("'")[0].strip() for text in closed])
    print(f"slow worker: got its message {len(slow.got)} times, ended by {slow.ended}")
    print(f"the other, which has no timeout to fear: got its message {len(long.got)} times, ended by {long.ended}")
    again = [False, True]
    right = len(closed) == 1 and "attempt to reuse consumer tag" in closed[0]
    return right and slow.got == again and not slow.ended and long.got == again and long.ended == ["CancelledError"]


sys.exit(0 if asyncio.run(main()) else 1)
PY

verdict "$python" "$work/slow.py" "$amqp_port"
