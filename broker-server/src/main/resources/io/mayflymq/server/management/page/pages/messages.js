/* Messages of a queue: got, or browsed without consuming them. */

import { html } from '../lib/lit-html.js';
import { get, path, post, query } from '../api.js';
import { facts, field } from '../components.js';
import { bytes, count, duration, exchangeName, number, time, value } from '../format.js';
import { confirm } from '../notices.js';
import { may } from '../session.js';
import { SKIPPED } from './queue-redrive.js';

/** A message, and perhaps below it what can be done to it. */
function message(each, actions = () => '') {
  const { headers, ...properties } = Array.isArray(each.properties) ? {} : each.properties ?? {};
  const table = object => Object.entries(object ?? {}).map(([key, any]) => html`<div><code>${key} = ${value(any)}</code></div>`);
  const encoded = each.payload_encoding === 'base64';
  return html`
    <li class="message">
      ${facts([
        ['Position', each.position === undefined ? undefined : number(each.position)],
        ['Exchange', each.exchange === undefined ? undefined : exchangeName(each.exchange)],
        ['Routing key', each.routing_key === undefined ? undefined : html`<code>${each.routing_key}</code>`],
        ['Redelivered', each.redelivered ? 'yes' : undefined],
        ['Arrived', each.enqueued_at ? time(each.enqueued_at) : undefined],
        ['Expires', each.deadline ? `${time(each.deadline)}, in ${duration(each.ttl_left_ms)}` : undefined],
        ['Returned', each.delivery_count > 0 ? count(each.delivery_count, 'time') : undefined],
        ['Properties', Object.keys(properties).length === 0 ? undefined : table(properties)],
        ['Headers', headers === undefined || Object.keys(headers).length === 0 ? undefined : table(headers)],
      ])}
      <p class="faint">Payload: ${bytes(each.payload_bytes)}${encoded ? ', as base64' : ''}${each.payload === null ? ', too long to be read here' : ''}</p>
      ${each.payload ? html`<pre tabindex="0" aria-label="Payload">${each.payload}</pre>` : ''}
      ${actions(each)}
    </li>`;
}

const list = (messages, empty, actions) => (messages.length === 0
  ? html`<p class="empty">${empty}</p>`
  : html`<ol class="messages">${messages.map(each => message(each, actions))}</ol>`);

const MODES = [
  ['ack_requeue_true', 'put back (marked as redelivered)'],
  ['ack_requeue_false', 'remove'],
  ['reject_requeue_false', 'reject: dead-letter or drop'],
];

/** Takes messages from a queue. */
export function getPart(page, queue) {
  const { vhost, name } = queue;
  const submit = async event => {
    event.preventDefault();
    const { ackmode, count: wanted } = Object.fromEntries(new FormData(event.target));
    if (ackmode !== 'ack_requeue_true' && !await confirm(
      `Take messages from ${name}?`,
      ackmode === 'ack_requeue_false'
        ? `Up to ${wanted} messages are removed from the queue and only shown here.`
        : `Up to ${wanted} messages are rejected: dead-lettered if the queue has a dead letter exchange, or else dropped.`,
      'Take messages')) {
      return;
    }
    page.act(async () => {
      page.state.got = await post(path`queues/${vhost}/${name}/get`, { count: Number(wanted), ackmode, encoding: 'auto', truncate: 50_000 });
    }, '', event.target);
  };
  return html`
    <form class="form" @submit=${submit} aria-label="Get messages">
      ${field('Messages', html`<input name="count" type="number" min="1" max="1000" value="1" required>`)}
      ${field('And then', html`<select name="ackmode">${MODES.map(([mode, words]) => html`<option value=${mode}>${words}</option>`)}</select>`,
        'To look without any effect, browse instead.')}
      <button class="primary">Get messages</button>
    </form>
    ${page.state.got === undefined ? '' : list(page.state.got, 'The queue is empty.')}`;
}

/** Moves a message that is shown to another queue, or deletes it. */
function single(page, { vhost, name }, each) {
  const gone = () => {
    const { browsed } = page.state;
    page.state.browsed = { ...browsed, items: browsed.items.filter(other => other.sequence !== each.sequence) };
  };
  const move = event => {
    event.preventDefault();
    const { to } = Object.fromEntries(new FormData(event.target));
    page.act(async () => {
      const report = await post(path`queues/${vhost}/${name}/messages/move`, { sequence: each.sequence, to });
      if (report.moved === 0) {
        const [why] = Object.keys(report.skipped_because);
        throw new Error(why === undefined ? 'The message is not ready any more.' : `The message stays: ${SKIPPED[why] ?? why}.`);
      }
      gone();
    }, `The message was moved to ${to}.`, event.target);
  };
  const erase = async () => {
    if (await confirm('Delete this message?', `Message ${each.sequence} leaves ${name} and goes nowhere.`, 'Delete')) {
      page.act(async () => {
        const { purged } = await post(path`queues/${vhost}/${name}/purge`, { sequence: each.sequence });
        if (purged === 0) {
          throw new Error('The message is not ready any more.');
        }
        gone();
      }, 'The message was deleted.');
    }
  };
  return html`
    <form class="controls" id="message-${each.sequence}" @submit=${move} aria-label="Message ${each.sequence}">
      ${may('write', vhost, 'amq.default') ? html`<label>Move to queue <input name="to" required></label><button>Move</button>` : ''}
      <button type="button" class="danger" @click=${erase}>Delete …</button>
    </form>`;
}

/** Shows messages in the order of delivery and changes nothing. */
export function browsePart(page, queue) {
  const { vhost, name } = queue;
  const actions = queue.type === 'stream' ? undefined : each => single(page, queue, each);
  const from = (where, form) => page.act(async () => {
    page.state.browsed = await get(path`queues/${vhost}/${name}/messages` + query({ from: where, count: 20, truncate: 4096 }));
  }, '', form);
  const browsed = page.state.browsed;
  const submit = event => {
    event.preventDefault();
    from(new FormData(event.target).get('from'), event.target);
  };
  return html`
    <form class="form" @submit=${submit} aria-label="Browse messages">
      ${field('From position', html`<input name="from" type="number" min="0" value="0" required>`, '0 is the message that would be delivered next.')}
      <button class="primary">Browse</button>
    </form>
    ${browsed === undefined ? '' : html`
      <p>${count(browsed.messages_ready, 'ready message')}; shown are ${count(browsed.item_count, 'message')} from position ${number(browsed.from)}.</p>
      ${list(browsed.items, 'No message is ready there.', actions)}
      ${browsed.next === null ? '' : html`<button type="button" @click=${() => from(browsed.next)}>Next messages</button>`}`}`;
}
