#!/usr/bin/env bash
# With amqp-connection-manager a failed checkQueue on one channel cuts the whole connection, with all other channels.
#
# With:      RabbitMQ 4.3.6 (Debian 4.3.6-1), amqp-connection-manager 5.0.0, amqplib 2.3.1
# Expected:  channel errors (404, 406) end their channel: the library opens that channel again, and the connection's other
#            channels notice nothing.
# Happens:   the library closes the connection and waits five seconds before the next one. Consumers on other channels are gone that long;
#            what they hold goes back to its queue and is delivered again, and their acks throw "Channel closed".
# Who meets it: who asks with checkQueue whether a queue is there, or publishes to an exchange that is not: one such call in a service
#            stops all its consumers for seconds, and their work in hand is done twice.
. "$(dirname "$0")/lib.bash"

node_packages amqp-connection-manager@5.0.0 amqplib@2.3.1
rabbitmq 4.3.6-1

cat >"$work/node/channel-error.js" <<'JS'
const manager = require('amqp-connection-manager');
const {setTimeout: sleep} = require('node:timers/promises');

async function main() {
  const connection = manager.connect([`amqp://guest:guest@127.0.0.1:${process.argv[2]}`]);
  const started = Date.now();
  const events = [];
  connection.on('connect', () => events.push(['connect', Date.now() - started]));
  connection.on('disconnect', () => events.push(['disconnect', Date.now() - started]));

  const deliveries = [];
  const failedAcks = [];
  const consumer = connection.createChannel({
    setup: async channel => {
      await channel.assertQueue('orders', {durable: true});
      await channel.consume('orders', async message => {
        if (message === null) return;
        deliveries.push(message.fields.redelivered ? 'again' : 'first');
        await sleep(1000);
        try {
          channel.ack(message);
        } catch (error) {
          failedAcks.push(error.message);
        }
      });
    },
  });
  await consumer.waitForConnect();
  await consumer.sendToQueue('orders', Buffer.from('an order'));
  while (deliveries.length === 0) await sleep(50);

  const other = connection.createChannel();
  other.on('error', () => {});
  await other.waitForConnect();
  await other.checkQueue('nowhere').then(
    () => console.log('checkQueue: found'),
    error => console.log('checkQueue:', error.message),
  );
  for (let i = 0; i < 200 && !(deliveries.length === 2 && failedAcks.length === 1); i++) await sleep(100);

  const names = events.map(([name]) => name).join(', ');
  console.log('connection:', names, `at ${events.map(([, ms]) => ms).join(', ')} ms`);
  console.log('deliveries to the consumer on the other channel:', deliveries.join(', '));
  console.log('its acks that failed:', failedAcks.join(', ') || 'none');
  const same =
    names === 'connect, disconnect, connect' && deliveries.join() === 'first,again' && failedAcks.join() === 'Channel closed';
  process.exit(same ? 0 : 1);
}

main().catch(error => {
  console.error(error);
  process.exit(1);
});
JS
verdict node "$work/node/channel-error.js" "$amqp_port"
