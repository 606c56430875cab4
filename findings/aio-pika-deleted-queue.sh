#!/usr/bin/env bash
# A queue that is deleted under an aio-pika consumer comes back within seconds, or its iterator waits for ever.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), aio-pika 10.2.1 (aiormq 7.2.4, pamqp 4.0.1)
# Expected:  the broker sends basic.cancel to the consumers of a deleted queue; "async for message in iterator" ends or raises.
#            A robust connection restores queues after a lost connection only.
# Happens:   - connect(): the iterator neither ends nor raises; the task waits on a queue that is gone. What the library has
#              to say is one line in its log.
#            - connect_robust(): though the connection was never lost, about five seconds later the library declares the deleted queue
#              again and consumes from it. So it does with queue.consume() too.
# Who meets it: who decommissions a queue with its consumers still running: it is back, durable, and takes messages again; and
#            with connect() who expects that a supervisor restarts a consumer whose queue is gone.
. "$(dirname "$0")/lib.bash"

python_packages aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1
rabbitmq 4.3.6-1

cat >"$work/deleted.py" <<'PY'
import asyncio
import logging
import sys

import aio_pika

logging.disable(logging.CRITICAL)
URL = f"amqp://guest:guest@127.0.0.1:{sys.argv[1]}/"


async def consumers_of(name):
    connection = await aio_pika.connect(URL)
    try:
        channel = await connection.channel()
        queue = await channel.declare_queue(name, passive=True)
        return queue.declaration_result.consumer_count
    except aio_pika.exceptions.ChannelNotFoundEntity:
        return None
    finally:
        await connection.close()


async def delete(name):
    connection = await aio_pika.connect(URL)
    channel = await connection.channel()
    await channel.queue_delete(name)
    await connection.close()


async def seen_with(connect):
    connection = await connect(URL)
    channel = await connection.channel()
    queue = await channel.declare_queue("orders", durable=True)

    async def consume():
        async with queue.iterator() as iterator:
            async for message in iterator:
                await message.ack()

    task = asyncio.create_task(consume())
    while await consumers_of("orders") != 1:
        await asyncio.sleep(0.2)
    await delete("orders")
    back_after = None
    for second in range(1, 16):
        await asyncio.sleep(1)
        if await consumers_of("orders") == 1:
            back_after = second
            break
    still_iterating = not task.done()
    print(f"{connect.__qualname__}: the queue is", "gone for 15 s" if back_after is None else f"back after {back_after} s",
          "and the iterator", "waits" if still_iterating else "has ended")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await connection.close()
    return back_after is not None, still_iterating


async def main():
    plain = await seen_with(aio_pika.connect)
    robust = await seen_with(aio_pika.connect_robust)
    return plain == (False, True) and robust == (True, True)


sys.exit(0 if asyncio.run(main()) else 1)
PY
verdict "$python" "$work/deleted.py" "$amqp_port"
