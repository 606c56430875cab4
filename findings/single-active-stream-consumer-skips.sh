#!/usr/bin/env bash
# A Python stream consumer that is to be the single active one never reads what was there before it, not even at the offset FIRST.
#
# With:      rstream 1.1.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a consumer that subscribes at the offset FIRST reads the stream from its beginning, and one at an offset from there on. With
#            single-active-consumer among its properties it does so once it is the active one.
# Happens:   when RabbitMQ makes a consumer the active one, it asks the client where to start. Without a consumer_update_listener the client
#            answers NEXT, whatever the subscription says: the consumer gets what is published from then on. What is
#            published while no instance runs, as in a deployment, no instance reads, and there is no error.
# Who meets it: who adds the property to a consumer that works, so as to run a second instance of it: the same code, with
#            the same offset specification, begins to skip messages at each restart.
. "$(dirname "$0")/lib.bash"

python_packages rstream==1.1.1
stream_listener
rabbitmq 4.3.6-1 rabbitmq_stream

cat >"$work/skip.py" <<'PY'
import asyncio
import sys

from rstream import Consumer, ConsumerOffsetSpecification, OffsetType, Producer

server = {"host": "127.0.0.1", "port": int(sys.argv[1]), "username": "guest", "password": "guest"}
SINGLE = {"single-active-consumer": "true", "name": "billing"}


async def consume(producer, specification, properties, *during):
    """Runs a consumer, publishes while it runs, and returns what it got."""
    got = []
    async with Consumer(**server) as consumer:
        await consumer.subscribe(
            "orders", lambda message, context: got.append(bytes(message).decode()),
            offset_specification=specification, properties=properties)
        await asyncio.sleep(2)
        for message in during:
            await producer.send_wait("orders", message)
        await asyncio.sleep(2)
    return got


async def main():
    first = ConsumerOffsetSpecification(OffsetType.FIRST, None)
    results = {}
    async with Producer(**server) as producer:
        await producer.create_stream("orders")
        await producer.send_wait("orders", b"0")
        await producer.send_wait("orders", b"1")
        results["first"] = await consume(producer, first, dict(SINGLE), b"2")
        await producer.send_wait("orders", b"3")
        results["again"] = await consume(producer, ConsumerOffsetSpecification(OffsetType.OFFSET, 3), dict(SINGLE), b"4")
        results["not single, first"] = await consume(producer, first, None)
        results["not single, offset 3"] = await consume(producer, ConsumerOffsetSpecification(OffsetType.OFFSET, 3), None)
    print(results)
    return results == {
        "first": ["2"], "again": ["4"], "not single, first": ["0", "1", "2", "3", "4"], "not single, offset 3": ["3", "4"]}


sys.exit(0 if asyncio.run(main()) else 1)
PY

verdict "$python" "$work/skip.py" "$stream_port"
