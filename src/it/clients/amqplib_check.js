// Declares, publishes with confirms, consumes with prefetch, and lets messages die: with amqplib.
'use strict';

const assert = require('node:assert');
const amqp = require('amqplib');

const url = `amqp://guest:guest@${process.env.AMQP_HOST}:${process.env.AMQP_PORT}`;
const prefix = `amqplib-check-${process.pid}-`;

function check(condition, what) {
  assert.ok(condition, what);
  console.log(`    amqplib: ${what}`);
}

/** Resolves with the next message of a queue that is consumed without acknowledgement. */
function next(channel, queue) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came from ${queue}`)), 5000);
    const taken = (message) => {
      clearTimeout(timer);
      resolve(message);
    };
    channel.consume(queue, taken, {noAck: true}).catch(reject);
  });
}

async function confirmsAndPrefetch(connection) {
  const channel = await connection.createConfirmChannel();
  const queue = prefix + 'work';
  await channel.assertQueue(queue, {durable: false, autoDelete: true});
  for (let i = 0; i < 100; i++) {
    channel.sendToQueue(queue, Buffer.from(String(i)));
  }
  await channel.waitForConfirms();
  await channel.prefetch(5);
  const bodies = [];
  let most = 0;
  let held = 0;
  await new Promise((resolve) =>
    channel.consume(queue, (message) => {
      most = Math.max(most, ++held);
      bodies.push(Number(message.content));
      setImmediate(() => {
        held--;
        channel.ack(message);
        if (bodies.length === 100) {
          resolve();
        }
      });
    }),
  );
  check(bodies.every((body, i) => body === i), '100 confirmed messages are consumed in order');
  check(most <= 5, 'no more than the prefetch count is held');
  const returned = new Promise((resolve) => channel.once('return', resolve));
  channel.publish('', prefix + 'nowhere', Buffer.from('lost'), {mandatory: true});
  check((await returned).fields.replyText === 'NO_ROUTE', 'an unroutable message is returned');
  await channel.close();
}

async function timeToLiveAndDeadLetters(connection) {
  const channel = await connection.createChannel();
  const dead = (await channel.assertQueue('', {exclusive: true})).queue;
  const queue = prefix + 'ttl';
  await channel.assertQueue(queue, {
    durable: false,
    messageTtl: 60000,
    expires: 60000,
    deadLetterExchange: '',
    deadLetterRoutingKey: dead,
  });
  const start = process.hrtime.bigint();
  channel.sendToQueue(queue, Buffer.from('mortal'), {expiration: '200', messageId: 'one'});
  const message = await next(channel, dead);
  const lived = Number(process.hrtime.bigint() - start) / 1e6;
  check(message.content.toString() === 'mortal', 'an expired message is dead-lettered');
  check(lived >= 199 && lived < 5000, 'it lived for its TTL');
  check(message.properties.messageId === 'one', 'it kept its properties');
  const death = message.properties.headers['x-death'][0];
  assert.deepStrictEqual(
    [death.queue, death.reason, death.count, death['original-expiration']],
    [queue, 'expired', 1, '200'],
  );
  check(message.properties.expiration === undefined, 'x-death tells what happened');
  await channel.deleteQueue(queue);
  await channel.close();
}

async function channelErrors(connection) {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  await assert.rejects(channel.checkQueue(prefix + 'absent'), /404/);
  check(true, 'a missing queue closes the channel with 404');
}

async function main() {
  const connection = await amqp.connect(url);
  await confirmsAndPrefetch(connection);
  await timeToLiveAndDeadLetters(connection);
  await channelErrors(connection);
  await connection.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
