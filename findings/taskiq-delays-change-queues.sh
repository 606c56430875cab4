#!/usr/bin/env bash
# A delayed task of taskiq runs in the workers of another queue than the one that it was sent to.
#
# With:      taskiq-aio-pika 0.6.1, taskiq 0.13.0, aio-pika 10.2.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  with several queues the label queue_name says which one a task goes to. With a delay it goes there when the delay is over.
#            A task that names no queue goes to the first, or is refused.
# Happens:   all delayed tasks wait in one delay queue, whose dead letters go to the first of the broker's queues: that is where
#            every delayed task ends, whatever queue it names. Its priority is kept, its queue is not. And as each waits with
#            an expiration of its own, one with a short delay waits behind one with a long delay, for the whole of it.
#            A task that names no queue is published where no queue is bound, and is lost: kiq() returns as usual.
# Who meets it: who keeps slow or heavy tasks apart in a queue of their own, and delays or retries some: the retries land among
#            the fast tasks, in workers without the memory, the files or the rights that they need. A delay of an hour
#            makes all delays that come after it an hour long.
. "$(dirname "$0")/lib.bash"

python_packages taskiq-aio-pika==0.6.1 taskiq==0.13.0 aio-pika==10.2.1
rabbitmq 4.3.6-1

cat >"$work/delay.py" <<'PY'
import asyncio
import logging
import sys
import time

import aio_pika
from taskiq.kicker import AsyncKicker
from taskiq_aio_pika import AioPikaBroker, Queue

logging.disable(logging.CRITICAL)
url = f"amqp://guest:guest@127.0.0.1:{sys.argv[1]}/"


async def main():
    broker = AioPikaBroker(url, delay_queue=Queue(name="delays")).with_queues(Queue(name="fast"), Queue(name="heavy"))

    @broker.task(task_name="report")
    async def report():
        pass

    await broker.startup()
    for name, labels in {
        "at once": {"queue_name": "heavy"},
        "long": {"queue_name": "heavy", "delay": 8},
        "short": {"queue_name": "heavy", "delay": 1},
    }.items():
        await AsyncKicker("report", broker, labels).with_task_id(name).kiq()
    began = time.monotonic()
    where, when = {"fast": [], "heavy": []}, {}
    async with await aio_pika.connect(url) as connection:
        channel = await connection.channel()
        queues = {name: await channel.get_queue(name) for name in where}
        while len(when) < 3 and time.monotonic() - began < 30:
            for name, queue in queues.items():
                message = await queue.get(no_ack=True, fail=False)
                if message:
                    where[name].append(message.headers["task_id"])
                    when[message.headers["task_id"]] = round(time.monotonic() - began)
            await asyncio.sleep(0.2)
    await AsyncKicker("report", broker, {}).with_task_id("no queue").kiq()
    async with await aio_pika.connect(url) as connection:
        channel = await connection.channel()
        left = [await (await channel.get_queue(name)).get(no_ack=True, fail=False) for name in (*where, "delays", "taskiq.dead_letter")]
    await broker.shutdown()
    print(f"all named the queue heavy, and came to {where}; after {when} seconds")
    print("a task that names no queue is in one:", any(left))
    return where == {"fast": ["long", "short"], "heavy": ["at once"]} and 8 <= when["short"] < 14 and not any(left)


sys.exit(0 if asyncio.run(main()) else 1)
PY

verdict "$python" "$work/delay.py" "$amqp_port"
