#!/usr/bin/env bash
# Rascal's recovery strategy ack rejects the message: it is dead-lettered, not acknowledged.
#
# With:      Rascal 21.0.1, amqplib 2.3.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  ackOrNack(error, { strategy: "ack" }) acknowledges a message whose handling has failed, so that it is gone; as the last of a
#            list it is what happens when the strategies before it have been used up.
# Happens:   it does what the strategy nack does: the message goes to the dead letter exchange. A list of republish with two attempts and
#            then ack ends in a dead letter, as one without ack does. ackOrNack() without an error acknowledges.
# Who meets it: who gives up on messages that are of no use any more, and keeps dead letters for those that a person has to look at.
. "$(dirname "$0")/lib.bash"

node_packages rascal@21.0.1 amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/recovery.mjs" <<'JS'
import rascal from "rascal"
import amqplib from "amqplib"

const url = `amqp://guest:guest@127.0.0.1:${process.argv[2]}`
const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

const connection = await amqplib.connect(url)
const channel = await connection.createChannel()
await channel.assertQueue("dead")
const broker = await rascal.BrokerAsPromised.create(rascal.withDefaultConfig({
  vhosts: {
    "/": {
      connection: { url },
      queues: { orders: { options: { arguments: { "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead" } } } },
      publications: { orders: { queue: "orders" } },
      subscriptions: { orders: { queue: "orders" } }
    }
  }
}))
broker.on("error", error => console.log(error.message))
const answers = {
  "no error": [],
  "ack": [new Error("too late"), { strategy: "ack" }],
  "nack": [new Error("too late"), { strategy: "nack" }],
  "republish, then ack": [new Error("too late"), [{ strategy: "republish", attempts: 2 }, { strategy: "ack" }]]
}
const calls = {}
const subscription = await broker.subscribe("orders")
subscription.on("message", (message, content, ackOrNack) => {
  calls[content] = (calls[content] ?? 0) + 1
  ackOrNack(...answers[content])
})
subscription.on("error", error => console.log(error.message))

const described = { "no error": 0, "ack": 1, "nack": 1, "republish, then ack": 1 }
let same = true
for (const [answer, dead] of Object.entries(described)) {
  await broker.publish("orders", answer)
  await wait(2000)
  const left = (await channel.checkQueue("orders")).messageCount
  const { messageCount } = await channel.purgeQueue("dead")
  console.log(`${answer}: handled ${calls[answer]} times, left ${left}, dead letters ${messageCount}`)
  same &&= messageCount === dead && left === 0
}
process.exit(same ? 0 : 1)
JS

verdict node "$work/node/recovery.mjs" "$amqp_port"
