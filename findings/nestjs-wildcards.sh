#!/usr/bin/env bash
# NestJS binds its queue for a pattern with # at the front, and then drops the messages that come for it; of two handlers one is called.
#
# With:      @nestjs/microservices 12.1.1 (Transport.RMQ with wildcards), @nestjs/core and common 12.5.1, amqp-connection-manager 5.0.0,
#            amqplib 2.3.1, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  with wildcards, the queue is bound to a topic exchange with the pattern of each handler, and an event goes to the handlers whose
#            patterns match it as the exchange matches them: both of order.* and order.created for order.created.
# Happens:   NestJS matches anew, and a # that is not at the end matches nothing. What the exchange has routed for #.failed or a.#.z is
#            rejected and not put back: it is dead-lettered, or lost, with a warning. An event whose handlers have different patterns goes
#            to one of them, the one with the event's very name first.
# Who meets it: who has a handler for all failures, say, or adds one that logs order.# beside those that work.
. "$(dirname "$0")/lib.bash"

node_packages @nestjs/microservices@12.1.1 @nestjs/core@12.5.1 @nestjs/common@12.5.1 reflect-metadata@0.2.2 rxjs@7.8.2 \
  amqp-connection-manager@5.0.0 amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/events.mjs" <<'JS'
import "reflect-metadata"
import { ServerRMQ } from "@nestjs/microservices"
import amqplib from "amqplib"

const url = `amqp://guest:guest@127.0.0.1:${process.argv[2]}`
const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

const connection = await amqplib.connect(url)
const channel = await connection.createChannel()
await channel.assertQueue("dead")
const called = {}
const server = new ServerRMQ({
  urls: [url], queue: "shop", exchange: "events", wildcards: true, noAck: false,
  queueOptions: { durable: true, deadLetterExchange: "", deadLetterRoutingKey: "dead" }
})
for (const pattern of ["order.*", "order.created", "order.#", "#.failed", "stock.#.low"]) {
  server.addHandler(pattern, async (data, context) => {
    (called[context.getPattern()] ??= []).push(pattern)
    context.getChannelRef().ack(context.getMessage())
  }, true)
}
await new Promise((resolve, reject) => server.listen(error => error ? reject(error) : resolve()))

const described = {
  "order.created": ["order.created"], "order.paid": ["order.*"], "order.item.added": ["order.#"],
  "payment.card.failed": [], "stock.tea.low": []
}
for (const event of Object.keys(described)) {
  channel.publish("events", event, Buffer.from(JSON.stringify({ pattern: event, data: { id: 17 } })))
}
await wait(3000)
let same = true
for (const [event, handlers] of Object.entries(described)) {
  const got = called[event] ?? []
  console.log(`${event}: handled by ${got.join(" and ") || "none"}`)
  same &&= got.join() === handlers.join()
}
const dead = []
for (let message; (message = await channel.get("dead", { noAck: true }));) dead.push(JSON.parse(message.content).pattern)
console.log(`dead-lettered: ${dead.join(", ")}`)
same &&= dead.sort().join() === "payment.card.failed,stock.tea.low"
process.exit(same ? 0 : 1)
JS

verdict env NO_COLOR=1 node "$work/node/events.mjs" "$amqp_port"
