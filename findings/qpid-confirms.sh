#!/usr/bin/env bash
# Qpid Broker-J has publisher confirms: pika denies it, amqplib uses them, and what is returned is nacked, before its return.
#
# With:      Qpid Broker-J 10.1.0 (AMQP 0-9-1), pika 1.4.4, amqplib 2.3.1
# Expected:  confirms are RabbitMQ's own, so Qpid has none; or, if it has, then in RabbitMQ's way: a mandatory message that no queue
#            takes is returned first and then acked, since the broker has dealt with it.
# Happens:   confirm.select is answered, and messages are acked. pika never sends it: it looks for RabbitMQ's capability
#            "publisher_confirms", while Qpid announces "qpid.confirmed_publish_supported", and raises MethodNotImplemented.
#            amqplib does not look. The unroutable mandatory message is nacked, and basic.return comes after the nack. Without
#            mandatory it is acked, as in RabbitMQ.
# Who meets it: who writes to a Qpid (or a cloud's broker made of it) with a RabbitMQ client: code that sends nacked messages
#            again does so for ever with one that has no queue; and code that looks at the nack for what was returned
#            before it, as with RabbitMQ's acks, finds nothing yet.
. "$(dirname "$0")/lib.bash"

python_packages pika==1.4.4
node_packages amqplib@2.3.1
qpid 10.1.0

cat >"$work/confirms.py" <<'PY'
import sys

import pika
import pika.exceptions

connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]), virtual_host="default"))
try:
    connection.channel().confirm_delivery()
    seen = "confirms are on"
except pika.exceptions.MethodNotImplemented as error:
    seen = type(error).__name__
except Exception as error:
    seen = f"{type(error).__name__} {error}"
print("pika:", seen)
sys.exit(0 if seen == "MethodNotImplemented" else 1)
PY
cat >"$work/node/confirms.js" <<'JS'
const amqp = require('amqplib');
const {setTimeout: sleep} = require('node:timers/promises');

async function main() {
  const connection = await amqp.connect(`amqp://guest:guest@127.0.0.1:${process.argv[2]}/default`);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue('orders', {durable: false});
  let events = [];
  channel.on('return', () => events.push('return'));
  const seen = {};
  for (const [name, key, options] of [
    ['routed', 'orders', {}],
    ['unroutable', 'nowhere', {}],
    ['unroutable, mandatory', 'nowhere', {mandatory: true}],
    ['routed again', 'orders', {}],
  ]) {
    events = [];
    channel.publish('', key, Buffer.from('x'), options, error => events.push(error ? 'nack' : 'ack'));
    await sleep(1500);
    seen[name] = events.join(', ');
    console.log(`amqplib, ${name}: ${seen[name]}`);
  }
  const same = Object.values(seen).join('; ') === 'ack; ack; nack, return; ack';
  process.exit(same ? 0 : 1);
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
JS
verdict "$python" "$work/confirms.py" "$amqp_port"
verdict node "$work/node/confirms.js" "$amqp_port"
