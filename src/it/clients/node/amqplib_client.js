// amqplib: promises and confirm channels, in Node.js.
'use strict';

const assert = require('node:assert');
const readline = require('node:readline');
const amqp = require('amqplib');

const URL = process.env.AMQP_URL || 'amqp://guest:guest@localhost:5672/%2f';

const ok = (area, what) => console.log(`ok ${area} ${what}`);

/** Resolves with the next `count` messages of a queue, which are left unacknowledged. */
function take(channel, queue, count, options) {
  return new Promise((resolve, reject) => {
    const messages = [];
    const timer = setTimeout(
      () => reject(new Error(`${messages.length} of ${count} messages came from ${queue}`)),
      60_000,
    );
    const taken = (message) => {
      messages.push(message);
      if (messages.length === count) {
        clearTimeout(timer);
        resolve(messages);
      }
    };
    channel.consume(queue, taken, options).catch(reject);
  });
}

async function declare(connection, channel) {
  await channel.assertExchange('orders', 'direct', {durable: true});
  await channel.assertQueue('orders', {durable: true});
  await channel.bindQueue('orders', 'orders', 'new');
  const other = await connection.createChannel();
  other.on('error', () => {});
  await assert.rejects(other.assertQueue('orders', {durable: false}), /406/);
  ok('declare', 'a redeclaration that differs is refused');
}

async function confirms(channel) {
  for (let number = 0; number < 100; number++) {
    channel.publish('orders', 'new', Buffer.from(String(number)), {persistent: true});
  }
  await channel.waitForConfirms();
  ok('confirms', '100 persistent messages are confirmed');
  const returned = new Promise((resolve) => channel.once('return', resolve));
  channel.publish('orders', 'nowhere', Buffer.from('lost'), {mandatory: true});
  assert.strictEqual((await returned).fields.replyText, 'NO_ROUTE');
  ok('returns', 'a message without a route comes back');
}

async function prefetch(connection) {
  const channel = await connection.createChannel();
  await channel.prefetch(10);
  const bodies = [];
  let held = 0;
  let most = 0;
  let done = 0;
  await new Promise((resolve) =>
    channel.consume('orders', (message) => {
      most = Math.max(most, ++held);
      bodies.push(Number(message.content));
      setTimeout(() => {
        held--;
        channel.ack(message);
        if (++done === 100) {
          resolve();
        }
      }, 2);
    }),
  );
  assert.ok(most <= 10, `${most} at a time`);
  assert.deepStrictEqual(bodies, [...Array(100).keys()]);
  ok('prefetch', `at most ${most} at a time, and all in order`);
  await channel.close();
}

async function timeToLive(connection) {
  const channel = await connection.createChannel();
  await channel.assertQueue('dead');
  await channel.assertQueue('mortal', {deadLetterExchange: '', deadLetterRoutingKey: 'dead'});
  const start = performance.now();
  channel.sendToQueue('mortal', Buffer.from('brief'), {expiration: '200'});
  const [message] = await take(channel, 'dead', 1, {noAck: true});
  const lived = performance.now() - start;
  assert.strictEqual(message.content.toString(), 'brief');
  assert.ok(lived >= 199, `it lived for ${lived} ms`);
  ok('ttl', `it lived for ${lived.toFixed()} ms of 200`);
  const death = message.properties.headers['x-death'][0];
  assert.deepStrictEqual(
    [death.queue, death.reason, death.count, death['original-expiration']],
    ['mortal', 'expired', 1, '200'],
  );
  assert.strictEqual(message.properties.expiration, undefined);
  ok('dead-letter', 'x-death tells where and why');
  await channel.close();
}

async function replyTo(connection) {
  const asking = await connection.createChannel();
  const answer = take(asking, 'amq.rabbitmq.reply-to', 1, {noAck: true});
  asking.publish('orders', 'new', Buffer.from('ping'), {
    replyTo: 'amq.rabbitmq.reply-to',
    correlationId: '1',
  });
  const serving = await connection.createChannel();
  const [question] = await take(serving, 'orders', 1, {noAck: true});
  const {replyTo, correlationId} = question.properties;
  serving.sendToQueue(replyTo, Buffer.from('pong'), {correlationId});
  const [{content, properties}] = await answer;
  assert.deepStrictEqual([content.toString(), properties.correlationId], ['pong', '1']);
  ok('reply-to', 'a question is answered through amq.rabbitmq.reply-to');
  await serving.close();
  await asking.close();
}

async function restart(connection, channel) {
  channel.publish('orders', 'new', Buffer.from('kept'), {persistent: true});
  await channel.waitForConfirms();
  const closed = new Promise((resolve) => connection.once('close', resolve));
  console.log('restart');
  await new Promise((resolve) =>
    readline.createInterface({input: process.stdin}).once('line', resolve),
  );
  // amqplib does not reconnect by itself: the event tells when to.
  assert.match((await closed).message, /320/);
  const again = await amqp.connect(URL);
  const [message] = await take(await again.createChannel(), 'orders', 1, {noAck: true});
  assert.strictEqual(message.content.toString(), 'kept');
  ok('restart', "the persistent message is there after the broker's restart");
  await again.close();
}

async function main() {
  console.log(`version ${require('./node_modules/amqplib/package.json').version}`);
  const connection = await amqp.connect(URL);
  connection.on('error', () => {}); // followed by 'close', which restart() awaits
  const channel = await connection.createConfirmChannel();
  await declare(connection, channel);
  await confirms(channel);
  await prefetch(connection);
  await timeToLive(connection);
  await replyTo(connection);
  await restart(connection, channel);
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
