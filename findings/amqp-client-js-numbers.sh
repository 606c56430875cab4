#!/usr/bin/env bash
# With amqp-client.js, 3000000000 arrives as -1294967296, an expiry of 30 days is refused as negative, and a time loses its seconds.
#
# With:      @cloudamqp/amqp-client 4.1.1, amqplib 2.3.1 to read the headers, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  a number that JavaScript holds exactly arrives as it is, as 4294967296 does, in headers and in arguments of queues.
# Happens:   integers from 2147483648 to 4294967295 are written as 32 bits with a sign, and arrive as negative numbers; negative ones beyond
#            -2147483648 arrive as positive ones. Numbers with a fraction are written as floats of 32 bits while they are below 4294967296, so
#            a time in seconds is off by up to a minute. Beyond 4294967296 all are right.
# Who meets it: who sends sizes, identifiers or times in headers; and who gives a queue an expiry or a message TTL of 25 to 49 days, or
#            a length limit of 2 to 4 GB, in its arguments: it cannot be declared.
. "$(dirname "$0")/lib.bash"

node_packages @cloudamqp/amqp-client@4.1.1 amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/numbers.mjs" <<'JS'
import { AMQPSession } from "@cloudamqp/amqp-client"
import amqplib from "amqplib"

const url = `amqp://guest:guest@127.0.0.1:${process.argv[2]}`
const DAY = 24 * 60 * 60 * 1000
const sent = {
  "up to 31 bits": 2147483647, "size": 3000000000, "identifier": 4294967295, "difference": -3000000000,
  "beyond 32 bits": 4294967296, "time": 1796000012.75, "beyond, with a fraction": 10000000000.5
}
const described = {
  "up to 31 bits": 2147483647, "size": -1294967296, "identifier": -1, "difference": 1294967296,
  "beyond 32 bits": 4294967296, "time": 1796000000, "beyond, with a fraction": 10000000000.5
}

const connection = await amqplib.connect(url)
const channel = await connection.createChannel()
const session = await AMQPSession.connect(url)
const queue = await session.queue("numbers")
await queue.publish("17", { headers: sent })
const { headers } = (await channel.get("numbers", { noAck: true })).properties
let same = true
for (const [name, value] of Object.entries(sent)) {
  console.log(`${name}: ${value} arrives as ${headers[name]}`)
  same &&= headers[name] === described[name]
}
for (const [name, value] of [["x-expires", 20 * DAY], ["x-expires", 30 * DAY], ["x-message-ttl", 30 * DAY], ["x-max-length-bytes", 3e9]]) {
  const result = await session.queue(`${name} ${value}`, { arguments: { [name]: value } }).then(() => "declared", error => error.message)
  console.log(`a queue with ${name} of ${value}: ${result}`)
  same &&= value === 20 * DAY ? result === "declared" : result.includes("value_negative")
}
await session.stop()
await connection.close()
process.exit(same ? 0 : 1)
JS

verdict node "$work/node/numbers.mjs" "$amqp_port"
