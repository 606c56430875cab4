"""aioamqp: a thin layer over AMQP's methods, in Python with asyncio."""

import asyncio
import os
import time

import aioamqp
from aioamqp.exceptions import AioamqpException, ChannelClosed, PublishFailed

URL = os.environ.get("AMQP_URL", "amqp://guest:guest@localhost:5672/%2f").replace("%2f", "/")
PERSISTENT = {"delivery_mode": 2}


def ok(area, what):
    print(f"ok {area} {what}", flush=True)


async def connect():
    async def on_error(_):
        """Of the connection's end the pending call tells as well."""

    _, protocol = await aioamqp.from_url(URL, on_error=on_error)
    return protocol


async def declare(protocol, channel):
    await channel.exchange_declare("orders", "direct", durable=True)
    await channel.queue_declare("orders", durable=True)
    await channel.queue_bind("orders", "orders", "new")
    doomed = await protocol.channel()
    try:
        await doomed.queue_declare("orders", durable=False)
        raise AssertionError("the redeclaration was taken")
    except ChannelClosed as refused:
        assert refused.code == 406, refused.code
    ok("declare", "a redeclaration that differs is refused")


async def confirms(protocol):
    returned = []

    async def on_return(_channel, body, envelope, _properties):
        returned.append((body, envelope.reply_code))

    channel = await protocol.channel(return_callback=on_return)
    await channel.confirm_select()
    for number in range(100):
        await channel.publish(str(number).encode(), "orders", "new", PERSISTENT, mandatory=True)
    ok("confirms", "100 persistent messages are confirmed")
    try:
        await channel.publish(b"lost", "orders", "nowhere", mandatory=True)
    except PublishFailed:
        raise AssertionError("a message without a route is confirmed, too") from None
    assert returned == [(b"lost", 312)], returned
    ok("returns", "a message without a route comes back")
    return channel


async def consume(channel, queue, no_ack):
    messages = asyncio.Queue()

    async def take(_channel, body, envelope, properties):
        await messages.put((body, envelope, properties))

    tag = (await channel.basic_consume(take, queue_name=queue, no_ack=no_ack))["consumer_tag"]
    return messages, tag


async def next_of(messages):
    async with asyncio.timeout(5):
        return await messages.get()


async def prefetch(protocol):
    channel = await protocol.channel()
    await channel.basic_qos(prefetch_count=10)
    messages, tag = await consume(channel, "orders", no_ack=False)
    held = [await next_of(messages) for _ in range(10)]
    await asyncio.sleep(0.2)
    assert messages.empty(), "more than the prefetch count"
    await channel.basic_client_ack(held[-1][1].delivery_tag, multiple=True)
    for _ in range(90):
        held.append(await next_of(messages))
        await channel.basic_client_ack(held[-1][1].delivery_tag)
    await channel.basic_cancel(tag)
    assert [int(body) for body, _, _ in held] == list(range(100))
    await channel.close()
    ok("prefetch", "10 at a time, and all in order")


async def time_to_live(protocol):
    channel = await protocol.channel()
    await channel.queue_declare("dead", durable=True)
    dead_letters = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}
    await channel.queue_declare("mortal", durable=True, arguments=dead_letters)
    letters, _ = await consume(channel, "dead", no_ack=True)
    start = time.monotonic()
    await channel.basic_publish(b"brief", "", "mortal", {"expiration": "200"})
    _, _, properties = await next_of(letters)
    lived = time.monotonic() - start
    assert lived >= 0.199, lived
    ok("ttl", f"it lived for {lived * 1000:.0f} ms of 200")
    death = properties.headers["x-death"][0]
    assert (death["queue"], death["reason"], death["count"]) == ("mortal", "expired", 1), death
    assert not properties.expiration, "it would die again"
    ok("dead-letter", "x-death tells where and why")


async def cancelled(protocol):
    """A consumer is told that its queue is deleted."""
    channel = await protocol.channel()
    told = asyncio.Event()

    async def on_cancel(_channel, _tag):
        told.set()

    channel.add_cancellation_callback(on_cancel)
    await channel.queue_declare("short-lived")
    await consume(channel, "short-lived", no_ack=True)
    other = await protocol.channel()
    await other.queue_delete("short-lived")
    async with asyncio.timeout(5):
        await told.wait()
    ok("cancel", "a consumer is told that its queue is deleted")


async def restart(channel):
    await channel.publish(b"kept", "orders", "new", PERSISTENT)
    print("restart", flush=True)
    await asyncio.to_thread(input)
    try:
        async with asyncio.timeout(5):
            await channel.basic_get("orders")
        raise AssertionError("the connection outlived its broker")
    except (AioamqpException, OSError, TimeoutError):
        protocol = await connect()
    again = await protocol.channel()
    kept = await again.basic_get("orders", no_ack=True)
    assert kept["message"] == b"kept", kept
    await protocol.close()
    ok("restart", "the persistent message is there after the broker's restart")


async def main():
    print(f"version {aioamqp.__version__}", flush=True)
    protocol = await connect()
    channel = await protocol.channel()
    await declare(protocol, channel)
    confirming = await confirms(protocol)
    await prefetch(protocol)
    await time_to_live(protocol)
    await cancelled(protocol)
    await restart(confirming)


if __name__ == "__main__":
    asyncio.run(main())
