"""FastStream: subscribers as functions, on aio-pika, in Python with asyncio."""

import asyncio
import os
import time
from importlib.metadata import version
from typing import Any

from aio_pika.exceptions import ChannelPreconditionFailed, DeliveryError
from faststream import AckPolicy
from faststream.exceptions import RejectMessage
from faststream.rabbit import (
    Channel,
    ExchangeType,
    RabbitBroker,
    RabbitExchange,
    RabbitMessage,
    RabbitQueue,
)

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")
DEAD_LETTERS = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
ORDERS = RabbitExchange("orders", type=ExchangeType.TOPIC, durable=True)

broker = RabbitBroker(URL, default_channel=Channel(prefetch_count=10, on_return_raises=True))
taken = asyncio.Queue()
dead = asyncio.Queue()
held = []
go_on = asyncio.Event()


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


# Each subscriber declares its queue and its binding when the broker is started.
@broker.subscriber(
    RabbitQueue("orders", durable=True, routing_key="order.*", arguments=DEAD_LETTERS),
    ORDERS,
    ack_policy=AckPolicy.REJECT_ON_ERROR,
)
async def take(body: dict):
    if body.get("bad"):
        raise RejectMessage
    await taken.put(body)


@broker.subscriber(RabbitQueue("slow", durable=True), channel=Channel(prefetch_count=10))
async def slow(body: int):
    held.append(body)
    await go_on.wait()


@broker.subscriber(RabbitQueue("dead", durable=True))
async def bury(body: Any, message: RabbitMessage):
    await dead.put((body, message.headers["x-death"][0], time.monotonic()))


@broker.subscriber(RabbitQueue("questions", durable=True))
@broker.publisher(RabbitQueue("answers", durable=True))
async def answer(number: int) -> int:
    return number * number


async def next_of(queue):
    async with asyncio.timeout(5):
        return await queue.get()


async def declare():
    # A channel of another connection, as the refusal closes the channel.
    async with RabbitBroker(URL) as other:
        try:
            await other.declare_queue(RabbitQueue("orders", durable=False))
            raise AssertionError("the redeclaration was taken")
        except ChannelPreconditionFailed:
            ok("declare", "a redeclaration that differs is refused")


async def confirms():
    for number in range(100):
        await broker.publish({"number": number}, "order.new", ORDERS, persist=True)
    got = [(await next_of(taken))["number"] for _ in range(100)]
    assert sorted(got) == list(range(100)), got
    ok("confirms", "100 persistent messages are confirmed, and arrive as JSON")
    try:
        await broker.publish({"number": 0}, "nowhere", ORDERS)
        raise AssertionError("the message was taken")
    except DeliveryError:
        ok("returns", "a message without a route comes back")


async def prefetch():
    for number in range(30):
        await broker.publish(number, "slow")
    async with asyncio.timeout(5):
        while len(held) < 10:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert len(held) == 10, "more than the prefetch count"
    go_on.set()
    async with asyncio.timeout(5):
        while len(held) < 30:
            await asyncio.sleep(0.01)
    ok("prefetch", "10 at a time")


async def dead_letters():
    await broker.publish({"bad": True}, "order.bad", ORDERS)
    _, death, _ = await next_of(dead)
    assert (death["queue"], death["reason"], death["count"]) == ("orders", "rejected", 1), death
    ok("dead-letter", "what a subscriber rejects is in the dead letter queue")
    await broker.declare_queue(RabbitQueue("mortal", durable=True, arguments=DEAD_LETTERS))
    start = time.monotonic()
    await broker.publish("brief", "mortal", expiration=0.2)
    body, death, end = await next_of(dead)
    assert (body, death["reason"]) == ("brief", "expired"), death
    assert end - start >= 0.199, end - start
    ok("ttl", f"it lived for {(end - start) * 1000:.0f} ms of 200")


async def request():
    queue = await broker.declare_queue(RabbitQueue("answers", durable=True))
    response = await broker.request(12, "questions", timeout=60)
    assert await response.decode() == 144
    ok("request", "a question is answered through direct reply-to")
    async with asyncio.timeout(5):
        while (message := await queue.get(no_ack=True, fail=False)) is None:
            await asyncio.sleep(0.01)
    assert message.body == b"144", message.body
    ok("publisher", "what a function returns is published")


async def restart():
    print("restart", flush=True)
    await asyncio.to_thread(input)
    async with asyncio.timeout(30):
        while True:
            try:
                await broker.publish({"number": 100}, "order.new", ORDERS, timeout=2)
                break
            except Exception:  # of any layer, until the connection is back
                await asyncio.sleep(0.1)
    assert (await next_of(taken))["number"] == 100
    ok("restart", "the connection is back, and its subscribers go on")


async def main():
    print(f"version {version('faststream')}", flush=True)
    async with broker:
        await broker.start()
        await declare()
        await confirms()
        await prefetch()
        await dead_letters()
        await request()
        await restart()


if __name__ == "__main__":
    asyncio.run(main())
