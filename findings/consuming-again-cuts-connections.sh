#!/usr/bin/env bash
# Two libraries that consume again by themselves cut their connection when 4.3 has cancelled a slow consumer, with all other work on it.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), aio-pika 10.2.1 (aiormq 7.2.4, pamqp 4.0.1), amqp-connection-manager 5.0.0, amqplib 2.3.1
# Expected:  4.3 cancels the consumer of a quorum queue that holds a message for longer than its consumer timeout, so that its channel
#            and connection live on. A library that restores consumers consumes again, as it does when a queue was deleted.
# Happens:   both do, with the consumer tag they had. RabbitMQ has told the client that this consumer is gone, but keeps its tag in
#            use as long as the channel is open, even when the late ack has come: it answers 530, attempt to reuse consumer
#            tag, which ends the connection. amqp-connection-manager meets it at once, aio-pika after five seconds. With aio-pika the
#            handlers of all channels are cancelled where they are, with CancelledError. Five seconds later there is a new
#            connection, and what all consumers of the old one had in hand is delivered again.
# Who meets it: who has handlers that take longer than the timeout now and then, 30 minutes if nothing is set, and others on the
#            same connection: their work is stopped halfway or is done twice.
. "$(dirname "$0")/lib.bash"

python_packages aio-pika==10.2.1 aiormq==7.2.4 pamqp==4.0.1
node_packages amqp-connection-manager@5.0.0 amqplib@2.3.1
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
    print("aio-pika: the connection was closed:", [text.split("'")[0].strip() for text in closed])
    print(f"slow worker: got its message {len(slow.got)} times, ended by {slow.ended}")
    print(f"the other, which has no timeout to fear: got its message {len(long.got)} times, ended by {long.ended}")
    again = [False, True]
    right = len(closed) == 1 and "attempt to reuse consumer tag" in closed[0]
    return right and slow.got == again and not slow.ended and long.got == again and long.ended == ["CancelledError"]


sys.exit(0 if asyncio.run(main()) else 1)
PY

cat >"$work/node/slow.js" <<'JS'
const manager = require('amqp-connection-manager');
const {setTimeout: sleep} = require('node:timers/promises');

const SLOW = 4000, LONG = 6000;

async function main() {
  const connection = manager.connect([`amqp://guest:guest@127.0.0.1:${process.argv[2]}`]);
  const closed = [];
  connection.on('disconnect', event => closed.push(event.err ? event.err.message : ''));
  const deliveries = {};
  for (const [queue, milliseconds, options] of [
    ['slow node', SLOW, {'x-queue-type': 'quorum', 'x-consumer-timeout': 2000}], ['long node', LONG, {'x-queue-type': 'quorum'}]]) {
    deliveries[queue] = [];
    const channel = connection.createChannel({setup: async each => {
      await each.assertQueue(queue, {arguments: options});
      await each.prefetch(1);
    }});
    channel.on('error', () => {});
    await channel.waitForConnect();
    await channel.sendToQueue(queue, Buffer.from('message'));
    await channel.consume(queue, async message => {
      if (message === null) return;
      deliveries[queue].push(message.fields.redelivered);
      if (!message.fields.redelivered) await sleep(milliseconds);
      try {
        channel.ack(message);
      } catch (error) {
        // Its channel is gone.
      }
    });
  }
  for (let i = 0; i < 300 && Object.values(deliveries).some(each => each.length < 2); i++) await sleep(100);
  console.log('amqp-connection-manager: the connection was closed:', closed.map(text => text.replace(/ '.*/, '')));
  console.log('was the message delivered again?', JSON.stringify(deliveries));
  const right = closed.length === 1 && closed[0].includes('attempt to reuse consumer tag');
  process.exit(right && Object.values(deliveries).every(each => each.join() === 'false,true') ? 0 : 1);
}

main().catch(error => { console.error(error); process.exit(1); });
JS

both() {
  "$python" "$work/slow.py" "$amqp_port" && node "$work/node/slow.js" "$amqp_port"
}
verdict both
