#!/usr/bin/env bash
# A Python stream consumer whose connection ends waits for ever, without an error; the producer beside it connects again.
#
# With:      rstream 1.1.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  when its connection ends, as when a node restarts, a consumer connects again and goes on where it was, or consumer.run(),
#            which a program awaits, ends with an error. The library connects again: its producers do.
# Happens:   both have a recovery strategy, but that of the consumer is off unless one is given. It notes the end of the connection,
#            forgets its subscription, and writes nothing above the level INFO. run() goes on waiting. RabbitMQ shows no consumer, the
#            program runs, and what the producer publishes is not read until the program is started anew.
# Who meets it: who runs a consumer as in the library's first example. After an upgrade of RabbitMQ, or when an operator
#            closes connections, all producers are back within seconds and all consumers are idle.
. "$(dirname "$0")/lib.bash"

python_packages rstream==1.1.1
stream_listener
rabbitmq 4.3.6-1 rabbitmq_stream

cat >"$work/wait.py" <<'PY'
import asyncio
import logging
import subprocess
import sys

from rstream import Consumer, ConsumerOffsetSpecification, OffsetType, Producer

port, *rabbitmqctl = sys.argv[1:]
server = {"host": "127.0.0.1", "port": int(port), "username": "guest", "password": "guest"}
logged = []


class Warnings(logging.Handler):
    def emit(self, record):
        logged.append(f"{record.name}: {record.getMessage()[:80]}")


logging.basicConfig(level=logging.WARNING, handlers=[Warnings(logging.WARNING)])


async def send(producer, message):
    try:
        await producer.send_wait("orders", message)
        return True
    except Exception as error:
        return type(error).__name__


async def main():
    got = []
    async with Producer(**server) as producer:
        await producer.create_stream("orders")
        async with Consumer(**server) as consumer:
            await consumer.subscribe(
                "orders", lambda message, context: got.append(bytes(message).decode()),
                offset_specification=ConsumerOffsetSpecification(OffsetType.FIRST, None))
            running = asyncio.create_task(consumer.run())
            sent = [await send(producer, b"before")]
            await asyncio.sleep(2)
            subprocess.run([*rabbitmqctl, "close_all_connections", "maintenance"], check=True, stdout=subprocess.DEVNULL)
            await asyncio.sleep(2)
            sent.append(await send(producer, b"after"))
            await asyncio.sleep(12)
            sent.append(await send(producer, b"later"))
            await asyncio.sleep(2)
            print(f"sent {sent}, got {got}; run() is done: {running.done()}; consumer's log: {[x for x in logged if 'consumer' in x]}")
            ended = running.done()
            running.cancel()
    return got == ["before"] and not ended and sent[0] is sent[2] is True and not any("consumer" in each for each in logged)


sys.exit(0 if asyncio.run(main()) else 1)
PY

verdict "$python" "$work/wait.py" "$stream_port" "${rabbitmqctl[@]}"
