#!/usr/bin/env bash
# Who leaves a loop over the messages of a queue with amqp-client.js keeps all messages of the queue, until the session ends.
#
# With:      @cloudamqp/amqp-client 4.1.1 (AMQPSession), amqplib 2.3.1 to look at the queue, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  for await (const message of await queue.subscribe()) acknowledges each message when the loop goes on. When it is left, by
#            break, return or an error, the subscription ends: what was fetched ahead is in the queue again, as when it is cancelled.
# Happens:   leaving the loop cancels the consumer, but its channel stays open and keeps what it has fetched, which is the whole queue,
#            since no prefetch is set by default; and the message at which it was left, which is handled, is not acknowledged. No other
#            consumer gets any of them, and a second loop of the same session gets none either. When the session stops they come again.
# Who meets it: who takes some messages from a queue in a program that goes on, or catches an error around such a loop and begins anew.
. "$(dirname "$0")/lib.bash"

node_packages @cloudamqp/amqp-client@4.1.1 amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/loop.mjs" <<'JS'
import { AMQPSession } from "@cloudamqp/amqp-client"
import amqplib from "amqplib"

const url = `amqp://guest:guest@127.0.0.1:${process.argv[2]}`
const MESSAGES = 10
const HANDLED = 3
const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

const connection = await amqplib.connect(url)
const channel = await connection.createChannel()
let same = true
for (const type of ["classic", "quorum"]) {
  const session = await AMQPSession.connect(url)
  const queue = await session.queue(type, { arguments: { "x-queue-type": type } })
  for (let i = 1; i <= MESSAGES; i++) {
    await queue.publish(`order ${i}`)
  }
  let handled = 0
  for await (const message of await queue.subscribe()) {
    handled++
    if (message.bodyString() === `order ${HANDLED}`) break
  }
  await wait(3000)
  const kept = (await channel.checkQueue(type)).messageCount
  const other = await channel.get(type, { noAck: true })
  const again = await queue.consumeOne({ timeout: 2000 }).then(() => 1, () => 0)
  await session.stop()
  await wait(1000)
  const back = (await channel.checkQueue(type)).messageCount
  console.log(`${type} queue: ${handled} of ${MESSAGES} orders handled, the loop left, ${kept} in the queue; another consumer got ${other ? 1 : 0},`,
    `the same session ${again}; when it has stopped ${back} in the queue`)
  same &&= handled === HANDLED && kept === 0 && !other && again === 0 && back === MESSAGES - HANDLED + 1
}
await connection.close()
process.exit(same ? 0 : 1)
JS

verdict node "$work/node/loop.mjs" "$amqp_port"
