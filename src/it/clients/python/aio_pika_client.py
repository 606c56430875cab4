"""aio-pika: robust connections, in Python with asyncio."""

import asyncio
import os
import time
from importlib.metadata import version

import aio_pika
from aio_pika import DeliveryMode, Message
from aio_pika.exceptions import (
    CONNECTION_EXCEPTIONS,
    ChannelInvalidStateError,
    ChannelPreconditionFailed,
    DeliveryError,
)
from aio_pika.patterns import RPC

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f")


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


async def declare(connection):
    channel = await connection.channel(on_return_raises=True)
    exchange = await channel.declare_exchange("orders", aio_pika.ExchangeType.DIRECT, durable=True)
    queue = await channel.declare_queue("orders", durable=True)
    await queue.bind(exchange, "new")
    async with await aio_pika.connect(URL) as other:
        try:
            await (await other.channel()).declare_queue("orders", durable=False)
        except ChannelPreconditionFailed:
            ok("declare", "a redeclaration that differs is refused")
    return channel, exchange, queue


async def confirms(exchange):
    # Channels confirm unless opened with publisher_confirms=False, and messages are mandatory.
    bodies = [str(number).encode() for number in range(100)]
    await asyncio.gather(
        *(
            exchange.publish(Message(body, delivery_mode=DeliveryMode.PERSISTENT), "new")
            for body in bodies
        )
    )
    ok("confirms", "100 persistent messages are confirmed")
    try:
        await exchange.publish(Message(b"lost"), "nowhere")
    except DeliveryError:
        ok("returns", "a message without a route comes back")


async def prefetch(channel, queue):
    await channel.set_qos(prefetch_count=10)
    held = []
    finished = asyncio.Event()

    async def take(message):
        held.append(message)
        if len(held) > 10:
            await message.ack()
        if len(held) == 100:
            finished.set()

    tag = await queue.consume(take)
    async with asyncio.timeout(5):
        while len(held) < 10:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert len(held) == 10, "more than the prefetch count"
    for message in held[:10]:
        await message.ack()
    async with asyncio.timeout(5):
        await finished.wait()
    await queue.cancel(tag)
    assert [int(message.body) for message in held] == list(range(100))
    ok("prefetch", "10 at a time, and all in order")


async def time_to_live(channel):
    dead = await channel.declare_queue("dead", durable=True)
    await channel.declare_queue(
        "mortal",
        durable=True,
        arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.name},
    )
    start = time.monotonic()
    # Seconds here; the library makes the milliseconds of AMQP out of them.
    await channel.default_exchange.publish(Message(b"brief", expiration=0.2), "mortal")
    async with dead.iterator(no_ack=True, timeout=60) as messages:
        message = await anext(messages)
    lived = time.monotonic() - start
    assert message.body == b"brief"
    assert lived >= 0.199, lived
    ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
    death = message.headers["x-death"][0]
    assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
    assert death["original-expiration"] == "200", death
    assert message.expiration is None, "it would die again"
    ok("dead-letter", "x-death tells where and why")


async def rpc(connection):
    """The library's pattern for remote calls, which uses an exclusive queue and dead letters."""
    channel = await connection.channel()
    calls = await RPC.create(channel)

    async def square(*, number):
        return number * number

    await calls.register("square", square, auto_delete=True)
    assert await calls.proxy.square(number=12) == 144
    ok("rpc", "a remote call returns")
    # The call may return before the callee, which waits for the confirm of its answer, has
    # acknowledged the call. An acknowledgement on a closed channel would end the connection (504),
    # so the channel is left only after the round trips that stop both sides.
    await calls.unregister(square)
    await calls.close()
    await channel.close()


async def restart(exchange, queue):
    received = asyncio.Queue()
    await queue.consume(received.put, no_ack=True)
    await exchange.publish(Message(b"before", delivery_mode=DeliveryMode.PERSISTENT), "new")
    assert (await received.get()).body == b"before"
    print("restart", flush=True)
    await asyncio.to_thread(input)
    # The robust connection comes back by itself, with its channels and consumers.
    async with asyncio.timeout(30):
        while True:
            try:
                await exchange.publish(Message(b"after"), "new", timeout=2)
                break
            except (*CONNECTION_EXCEPTIONS, ChannelInvalidStateError, TimeoutError):
                await asyncio.sleep(0.1)
        assert (await received.get()).body == b"after"
    ok("restart", "the connection is back, and its consumer goes on")


async def main():
    print(f"version {version('aio-pika')}", flush=True)
    connection = await aio_pika.connect_robust(URL, reconnect_interval=0.2)
    async with connection:
        channel, exchange, queue = await declare(connection)
        await confirms(exchange)
        await prefetch(channel, queue)
        await time_to_live(channel)
        await rpc(connection)
        await restart(exchange, queue)


if __name__ == "__main__":
    asyncio.run(main())
