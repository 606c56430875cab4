#!/usr/bin/env bash
# A headers exchange never matches a timestamp with the same timestamp.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), amqplib 2.3.1 (any client that can write AMQP timestamps)
# Expected:  a queue bound with {x-match: all, h: timestamp T} gets the messages whose header h is the timestamp T, as it
#            is with integers, booleans, texts.
# Happens:   it gets none of them. It gets messages whose h is the plain integer T; and those with the timestamp T go to a queue
#            bound with the timestamp 1000 T. In an array, {h: [T]}, equal timestamps do match, and consumers read T unchanged.
# Why:       as it seems, message headers are turned into AMQP 1.0's milliseconds before they are matched, binding arguments into
#            plain integers; what is inside arrays is not.
# Who meets it: who routes by a date, and who moves such bindings between clients that write dates as timestamps or as integers.
. "$(dirname "$0")/lib.bash"

node_packages amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/headers.js" <<'JS'
const amqp = require('amqplib');

const seconds = 1767225600;
const timestamp = value => ({'!': 'timestamp', value});
const values = {
  text: 'x',
  timestamp: timestamp(seconds),
  milliseconds: timestamp(seconds * 1000),
  integer: seconds,
  array: [timestamp(seconds)],
};
const expected = {
  text: 'text',
  timestamp: 'integer',
  milliseconds: 'timestamp',
  integer: 'integer',
  array: 'array',
};

async function main() {
  const connection = await amqp.connect(`amqp://guest:guest@127.0.0.1:${process.argv[2]}`);
  const channel = await connection.createConfirmChannel();
  await channel.assertExchange('dates', 'headers', {durable: true});
  for (const [name, h] of Object.entries(values)) {
    await channel.assertQueue(name, {durable: true});
    await channel.bindQueue(name, 'dates', '', {'x-match': 'all', h});
  }
  for (const [name, h] of Object.entries(values)) {
    channel.publish('dates', '', Buffer.from(name), {headers: {h}});
  }
  await channel.waitForConfirms();
  let same = true;
  for (const name of Object.keys(values)) {
    const got = [];
    for (let message; (message = await channel.get(name, {noAck: true})); ) {
      const content = message.content.toString();
      got.push(content);
      same &&= JSON.stringify(message.properties.headers.h) === JSON.stringify(values[content]);
    }
    console.log(`binding with ${name}: messages with ${got.join(', ') || 'none'}`);
    same &&= got.join() === expected[name];
  }
  await connection.close();
  process.exit(same ? 0 : 1);
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
JS
verdict node "$work/node/headers.js" "$amqp_port"
