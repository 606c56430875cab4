#!/usr/bin/env bash
# A Python publisher that routes by key sends everything to the partition of its first message.
#
# With:      rstream 1.1.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a super stream with a partition for each region, and RouteType.Key: each message goes to the partition whose binding key
#            is the key of the message, as when it is published with that routing key to the super stream's exchange.
# Happens:   the client asks RabbitMQ where the key of its first message leads, and keeps the answer for all keys: what follows goes
#            to that partition, whatever its key is, and each message is confirmed. After a restart it may be another partition.
#            Keys that lead nowhere are the exception only as long as no key has led anywhere.
# Who meets it: who splits a stream by region, tenant or kind with binding keys. The consumer of one partition gets the messages of all,
#            the others get none, and a test with one key passes.
. "$(dirname "$0")/lib.bash"

python_packages rstream==1.1.1
stream_listener
rabbitmq 4.3.6-1 rabbitmq_stream

cat >"$work/route.py" <<'PY'
import asyncio
import sys

from rstream import Consumer, ConsumerOffsetSpecification, OffsetType, RouteType, SuperStreamProducer
from rstream.superstream import SuperStreamCreationOption

REGIONS = ["africa", "asia", "europe"]
server = {"host": "127.0.0.1", "port": int(sys.argv[1]), "username": "guest", "password": "guest"}


async def region(message):
    return bytes(message).decode().split()[0]


async def publish(messages):
    confirmed = []
    async with SuperStreamProducer(
        **server, routing=RouteType.Key, routing_extractor=region, super_stream="orders",
        super_stream_creation_option=SuperStreamCreationOption(n_partitions=0, binding_keys=REGIONS),
    ) as producer:
        for message in messages:
            await producer.send(message.encode(), on_publish_confirm=lambda status: confirmed.append(status.is_confirmed))
        for _ in range(100):
            await asyncio.sleep(0.1)
            if len(confirmed) == len(messages):
                break
    return confirmed


async def read(partition):
    messages = []
    async with Consumer(**server) as consumer:
        await consumer.subscribe(
            partition, lambda message, context: messages.append(bytes(message).decode()),
            offset_specification=ConsumerOffsetSpecification(OffsetType.FIRST, None))
        await asyncio.sleep(2)
    return messages


async def main():
    first = ["europe 1", "asia 2", "africa 3", "asia 4", "europe 5"]
    second = ["africa 6", "europe 7", "nowhere 8"]
    confirmed = await publish(first) + await publish(second)
    partitions = {name: await read(f"orders-{name}") for name in REGIONS}
    print(f"{sum(confirmed)} confirmed; partitions: {partitions}")
    return len(confirmed) == sum(confirmed) == 8 and partitions == {"africa": second, "asia": [], "europe": first}


sys.exit(0 if asyncio.run(main()) else 1)
PY

verdict "$python" "$work/route.py" "$stream_port"
