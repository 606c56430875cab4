// NestJS: a microservice with the RabbitMQ transport, in Node.js. Usually its decorators are written as such, in TypeScript.
import 'reflect-metadata';

import assert from 'node:assert';
import {readFileSync} from 'node:fs';
import readline from 'node:readline';
import {Controller, Module} from '@nestjs/common';
import {NestFactory} from '@nestjs/core';
import {
  ClientProxyFactory,
  Ctx,
  EventPattern,
  MessagePattern,
  Payload,
  RmqContext,
  RpcException,
  Transport,
} from '@nestjs/microservices';
import {firstValueFrom, timeout} from 'rxjs';

const URL = process.env.AMQP_URL || 'amqp://guest:guest@localhost:5672/%2f';

const ok = (area, what) => console.log(`ok ${area} ${what}`);

const options = (queue, more) => ({
  transport: Transport.RMQ,
  options: {urls: [URL], queue, queueOptions: {durable: true}, persistent: true, ...more},
});

let held = [];
let most = 0;
let done = 0;
let reached = () => {};

/** Handles what the queue brings, and acknowledges it itself. */
class Orders {
  sum(numbers) {
    return numbers.reduce((a, b) => a + b, 0);
  }

  fail() {
    throw new RpcException('as asked');
  }

  created(order, context) {
    held.push(order.number);
    most = Math.max(most, held.length - done);
    setTimeout(() => {
      context.getChannelRef().ack(context.getMessage());
      done++;
      reached();
    }, 5);
  }
}

class Shop {}

function decorate() {
  const apply = (method, ...decorators) =>
    decorators.forEach((decorator) =>
      decorator(Orders.prototype, method, Object.getOwnPropertyDescriptor(Orders.prototype, method)),
    );
  apply('sum', MessagePattern('sum'));
  apply('fail', MessagePattern('fail'));
  apply('created', EventPattern('created'));
  Payload()(Orders.prototype, 'sum', 0);
  Payload()(Orders.prototype, 'created', 0);
  Ctx()(Orders.prototype, 'created', 1);
  Reflect.defineMetadata('design:paramtypes', [Object, RmqContext], Orders.prototype, 'created');
  Controller()(Orders);
  Module({controllers: [Orders]})(Shop);
}

async function serve(config) {
  const app = await NestFactory.createMicroservice(Shop, {...config, logger: ['error']});
  await app.listen();
  return app;
}

const call = (client, pattern, data, limit = 60_000) =>
  firstValueFrom(client.send(pattern, data).pipe(timeout(limit)));

async function request(client) {
  assert.strictEqual(await call(client, 'sum', [20, 22]), 42);
  ok('request', 'a question is answered through direct reply-to');
  await assert.rejects(call(client, 'fail', {}), (error) => /as asked/.test(error.message ?? error));
  ok('error', 'the error of a handler comes back');
}

async function events(client) {
  const all = new Promise((resolve) => {
    reached = () => done === 100 && resolve();
  });
  const emitted = Array.from({length: 100}, (_, number) =>
    firstValueFrom(client.emit('created', {number}), {defaultValue: undefined}),
  );
  await Promise.all(emitted);
  await all;
  assert.deepStrictEqual(held, [...Array(100).keys()]);
  assert.ok(most <= 10, `${most} at a time`);
  ok('prefetch', `100 events came in order, at most ${most} at a time, and are acknowledged`);
}

async function restart(client) {
  console.log('restart');
  await new Promise((resolve) =>
    readline.createInterface({input: process.stdin}).once('line', resolve),
  );
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      assert.strictEqual(await call(client, 'sum', [1, 2], 2000), 3);
      break;
    } catch (error) {
      assert.ok(Date.now() < deadline, `no call returns after the restart: ${error}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  ok('restart', 'both sides are connected again, and a call returns');
}

const manifest = new globalThis.URL('./node_modules/@nestjs/microservices/package.json', import.meta.url);
console.log(`version ${JSON.parse(readFileSync(manifest)).version}`);
decorate();
const socketOptions = {reconnectTimeInSeconds: 0.2};
await serve(options('orders', {noAck: false, prefetchCount: 10, socketOptions}));
await serve(options('calls', {socketOptions}));
const client = ClientProxyFactory.create(options('orders', {socketOptions}));
const caller = ClientProxyFactory.create(options('calls', {socketOptions}));
await request(caller);
await events(client);
await restart(caller);
process.exit(0);
