/* The list of queues and streams. */

import { html } from '../lib/lit-html.js';
import { get, path, put } from '../api.js';
import { QUEUE_ARGUMENTS, argumentEditor, entered, fill } from '../arguments.js';
import { badge, field, listControls, listQuery, section, table } from '../components.js';
import { bytes, number, rate, rateOf } from '../format.js';
import { selectedVhost, toQueue } from '../router.js';
import { isDown, nodeColumn } from './node-column.js';
import { mayDeclare, vhostChoice, vhostColumn } from './vhost-choice.js';

const COLUMNS = [
  'name', 'vhost', 'type', 'node', 'members', 'state', 'durable', 'auto_delete', 'exclusive', 'arguments', 'policy', 'operator_policy',
  'effective_policy_definition', 'messages', 'messages_ready', 'messages_unacknowledged', 'messages_delayed', 'message_bytes',
  'consumers', 'message_stats.publish_details', 'message_stats.deliver_get_details', 'message_stats.ack_details',
];

export const title = () => 'Queues and streams';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'queues' : path`queues/${vhost}`) + listQuery(COLUMNS), options);
}

const MARKS = [
  ['message-ttl', 'TTL', 'messages expire'],
  ['expires', 'lease', 'deleted when it is not used'],
  ['max-length', 'max', 'limited number of messages'],
  ['max-length-bytes', 'max B', 'limited size'],
  ['dead-letter-exchange', 'DLX', 'has a dead letter exchange'],
  ['max-priority', 'prio', 'has priorities'],
  ['single-active-consumer', 'SAC', 'single active consumer'],
];

/** Small marks for what is special about a queue. */
export function marks(queue) {
  const set = key => queue.arguments?.['x-' + key] ?? queue.effective_policy_definition?.[key];
  return html`
    ${queue.durable ? badge('D', 'durable: survives a restart') : badge('transient', 'does not survive a restart')}
    ${queue.auto_delete ? badge('AD', 'auto-delete: is deleted with its last consumer') : ''}
    ${queue.exclusive ? badge('excl', 'exclusive: belongs to one connection') : ''}
    ${MARKS.filter(([key]) => set(key) !== undefined).map(([key, word, meaning]) => badge(word, `${meaning}: ${key} = ${JSON.stringify(set(key))}`))}
    ${queue.policy ? badge(queue.policy, 'policy', 'soft') : ''}
    ${queue.operator_policy ? badge(queue.operator_policy, 'operator policy', 'soft') : ''}`;
}

function addForm(page) {
  const submit = event => {
    event.preventDefault();
    const form = new FormData(event.target);
    const { vhost, name, type, durable } = Object.fromEntries(form);
    page.act(async () => {
      const args = entered(page, 'new-queue-arguments');
      if (type !== 'classic') {
        args['x-queue-type'] = type;
      }
      await put(path`queues/${vhost}/${name}`, {
        durable: durable === 'yes', auto_delete: form.get('auto_delete') !== null, arguments: args,
      });
      event.target.reset();
      fill(page, 'new-queue-arguments');
    }, `Queue ${name} is there.`);
  };
  return html`
    <form class="form" @submit=${submit}>
      ${vhostChoice()}
      ${field('Name', html`<input name="name" required>`)}
      ${field('Type', html`<select name="type"><option value="classic">classic</option><option value="quorum">quorum</option><option value="stream">stream</option></select>`,
        'A stream keeps messages after they were consumed. Quorum queues and streams are durable.')}
      ${field('Durability', html`<select name="durable"><option value="yes">durable</option><option value="no">transient</option></select>`)}
      <label class="check"><input type="checkbox" name="auto_delete"> delete with its last consumer</label>
      ${argumentEditor(page, 'new-queue-arguments', 'Arguments', QUEUE_ARGUMENTS)}
      <button class="primary">Add queue</button>
    </form>`;
}

/** A rate of a queue; it is not known while the node of the queue is down. */
const queueRate = (queue, name) => (isDown(queue) ? rate(undefined) : rateOf(queue.message_stats, name));

export function view(page, list) {
  return html`
    <div class="title"><h1>Queues and streams</h1></div>
    ${listControls(list, 'queue')}
    ${table([
      { title: 'Name', sort: 'name', cell: q => html`<a href=${toQueue(q.vhost, q.name)}>${q.name}</a>` },
      vhostColumn(),
      ...nodeColumn(list.items),
      { title: 'Type', sort: 'type', secondary: true, cell: q => q.type },
      { title: 'Features', cell: marks, secondary: true },
      { title: 'Ready', sort: 'messages_ready', numeric: true, cell: q => number(q.messages_ready) },
      { title: 'Unacked', sort: 'messages_unacknowledged', numeric: true, cell: q => number(q.messages_unacknowledged) },
      { title: 'Total', sort: 'messages', numeric: true, cell: q => number(q.messages) },
      { title: 'Bytes', sort: 'message_bytes', numeric: true, cell: q => bytes(q.message_bytes) },
      { title: 'Consumers', sort: 'consumers', numeric: true, cell: q => number(q.consumers) },
      { title: 'In', sort: 'message_stats.publish_details.rate', numeric: true, cell: q => queueRate(q, 'publish') },
      { title: 'Out', sort: 'message_stats.deliver_get_details.rate', numeric: true, cell: q => queueRate(q, 'deliver_get') },
      { title: 'Acked', sort: 'message_stats.ack_details.rate', numeric: true, cell: q => queueRate(q, 'ack') },
    ], list.items, { name: 'Queues and streams', sortable: true, empty: 'No queues.' })}
    <p class="hint">D: durable. AD: deleted with its last consumer. excl: of one connection. TTL: messages expire. lease: deleted when it is not used.
      max: limited length. DLX: has a dead letter exchange. prio: has priorities. SAC: single active consumer. +2: on two more nodes. Tinted: the policies that apply.</p>
    ${mayDeclare() ? section(page, 'add', 'Add a queue', () => addForm(page)) : ''}`;
}
