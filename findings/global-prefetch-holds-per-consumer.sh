#!/usr/bin/env bash
# RabbitMQ 4.3 accepts a prefetch for the whole channel, and applies it to each consumer instead, in place of that one's own.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), amqplib 2.3.1, pika 1.4.4
# Expected:  global prefetch is denied by default in 4.3, so a client that asks for it gets an error; or it holds for the channel as before:
#            with 5, three consumers have five messages in hand together, and when it is changed to 8, eight.
# Happens:   basic.qos with global is answered with qos-ok, and taken as one without: each of the three consumers has five messages.
#            A change is not applied to consumers that are there. With a prefetch of 3 for each consumer and then 10 for the channel
#            each has ten. The broker's log has a line for it, the client sees nothing.
# Who meets it: who limits a channel with several consumers, as prefetch(5, true) of amqplib, global_qos of pika, channelPrefetch of
#            Rascal and isGlobalPrefetchCount of NestJS do; and who changes the prefetch while consuming, which only the global one could.
. "$(dirname "$0")/lib.bash"

node_packages amqplib@2.3.1
python_packages pika==1.4.4
rabbitmq 4.3.6-1

cat >"$work/node/prefetch.mjs" <<'JS'
import amqplib from "amqplib"

const url = `amqp://guest:guest@127.0.0.1:${process.argv[2]}`
const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

async function consume(queue, type, prefetches, later) {
  const connection = await amqplib.connect(url)
  const channel = await connection.createChannel()
  await channel.assertQueue(queue, { arguments: { "x-queue-type": type } })
  for (let i = 0; i < 50; i++) channel.sendToQueue(queue, Buffer.from("17"))
  for (const [count, global] of prefetches) await channel.prefetch(count, global)
  const inHand = [0, 0, 0]
  for (const consumer of inHand.keys()) await channel.consume(queue, () => inHand[consumer]++)
  await wait(2000)
  if (later) await channel.prefetch(later, true)
  await wait(1000)
  await connection.close()
  return inHand.join()
}

let same = true
for (const type of ["classic", "quorum"]) {
  const global = await consume(`${type}-global`, type, [[5, true]])
  const changed = await consume(`${type}-changed`, type, [[5, true]], 8)
  const both = await consume(`${type}-both`, type, [[3, false], [10, true]])
  console.log(`${type} queue, three consumers have in hand: with 5 for the channel ${global}, changed to 8 then ${changed},`,
    `with 3 each and then 10 for the channel ${both}`)
  same &&= global === "5,5,5" && changed === "5,5,5" && both === "10,10,10"
}
process.exit(same ? 0 : 1)
JS
cat >"$work/prefetch.py" <<'PY'
import sys

import pika

connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1])))
channel = connection.channel()
channel.queue_declare("pika", durable=True)
for _ in range(50):
    channel.basic_publish("", "pika", b"17")
channel.basic_qos(prefetch_count=5, global_qos=True)
in_hand = []
for _ in range(3):
    channel.basic_consume("pika", lambda *message: in_hand.append(message))
connection.process_data_events(2)
print(f"pika with global_qos and 5: three consumers have {len(in_hand)} in hand")
sys.exit(0 if len(in_hand) == 15 else 1)
PY

verdict sh -c '"$1" "$2" "$3" && node "$4" "$3"' sh "$python" "$work/prefetch.py" "$amqp_port" "$work/node/prefetch.mjs"
