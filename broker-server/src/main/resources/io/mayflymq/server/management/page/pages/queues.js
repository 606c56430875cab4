/* The list of queues and streams. */

import { html } from '../lib/lit-html.js';
import { get, path, put, remove } from '../api.js';
import { QUEUE_ARGUMENTS, argumentEditor, entered, fill } from '../arguments.js';
import { columnChoice, fieldsOf, shown } from '../columns.js';
import { addButton, badge, field, listControls, listQuery, section, table } from '../components.js';
import { bytes, count, number, rate, rateOf } from '../format.js';
import { selectedVhost, toQueue } from '../router.js';
import { actOnRows, chosenBar, names, rowChoice } from '../rows.js';
import { may } from '../session.js';
import { deletedPart, deletedQueues } from './deleted-queues.js';
import { isDown, nodeColumn } from './node-column.js';
import { mayDeclare, vhostChoice, vhostColumn } from './vhost-choice.js';

/** What is needed whatever columns are shown. */
const ALWAYS = ['name', 'vhost', 'node', 'members', 'state', 'type', 'exclusive', 'messages', 'messages_ready', 'consumers'];

/** A rate of a queue; it is not known while the node of the queue is down. */
const rateColumn = (title, field, more = {}) => ({
  title,
  numeric: true,
  sort: `message_stats.${field}_details.rate`,
  fields: [`message_stats.${field}_details`],
  cell: queue => (isDown(queue) ? rate(undefined) : rateOf(queue.message_stats, field)),
  ...more,
});

const RATES = [
  rateColumn('In', 'publish', { meaning: 'In: published to it' }),
  rateColumn('Out', 'deliver_get', { meaning: 'Out: delivered or got' }),
  rateColumn('Acked', 'ack', { meaning: 'Acked: acknowledged' }),
  rateColumn('Redelivered', 'redeliver', { optional: true }),
  rateColumn('Got', 'get', { optional: true, meaning: 'Got: by basic.get, to be acknowledged' }),
  rateColumn('Got, auto ack', 'get_no_ack', { optional: true, meaning: 'Got, auto ack: by basic.get, without an acknowledgement' }),
  rateColumn('Empty gets', 'get_empty', { optional: true, meaning: 'Empty gets: basic.get that found nothing' }),
  rateColumn('Expired', 'expired', { optional: true }),
  rateColumn('Dead-lettered', 'dead_lettered', { optional: true }),
  rateColumn('Refused', 'refused', { optional: true, meaning: 'Refused: to publishers, as the queue was full' }),
];

const columnsOf = items => [
  { title: 'Name', fixed: true, sort: 'name', cell: q => html`<a href=${toQueue(q.vhost, q.name)}>${q.name}</a>` },
  vhostColumn(),
  ...nodeColumn(items),
  { title: 'Type', sort: 'type', secondary: true, cell: q => q.type },
  {
    title: 'Features', secondary: true, cell: marks,
    fields: ['durable', 'auto_delete', 'arguments', 'policy', 'operator_policy', 'effective_policy_definition'],
  },
  { title: 'Ready', sort: 'messages_ready', numeric: true, cell: q => number(q.messages_ready) },
  { title: 'Unacked', sort: 'messages_unacknowledged', numeric: true, fields: ['messages_unacknowledged'], cell: q => number(q.messages_unacknowledged) },
  { title: 'Total', sort: 'messages', numeric: true, cell: q => number(q.messages) },
  { title: 'Delayed', sort: 'messages_delayed', numeric: true, optional: true, fields: ['messages_delayed'], cell: q => number(q.messages_delayed) },
  { title: 'Bytes', sort: 'message_bytes', numeric: true, fields: ['message_bytes'], cell: q => bytes(q.message_bytes) },
  { title: 'Consumers', sort: 'consumers', numeric: true, cell: q => number(q.consumers) },
  { title: 'Keep up', sort: 'consumer_capacity', numeric: true, optional: true, fields: ['consumer_capacity'], meaning: 'Keep up: the part of the time in which consumers take what is there at once', cell: q => (q.consumers > 0 && typeof q.consumer_capacity === 'number' ? `${Math.round(q.consumer_capacity * 100)} %` : '–') },
  ...RATES,
];

export const title = () => 'Queues and streams';

export async function load(page, options) {
  const vhost = selectedVhost();
  const [list, deleted] = await Promise.all([
    get((vhost === null ? 'queues' : path`queues/${vhost}`)
      + listQuery([...ALWAYS, ...fieldsOf('queues', columnsOf([]))]), options),
    deletedQueues(vhost, options),
  ]);
  return { ...list, deleted };
}

const MARKS = [
  ['message-ttl', 'TTL', 'messages expire'],
  ['expires', 'lease', 'deleted when it is not used'],
  ['max-length', 'max', 'limited number of messages'],
  ['max-length-bytes', 'max B', 'limited size'],
  ['dead-letter-exchange', 'DLX', 'has a dead letter exchange'],
  ['max-priority', 'prio', 'has priorities'],
  ['single-active-consumer', 'SAC', 'single active consumer'],
  ['delivery-rate', 'rate', 'limited rate of deliveries'],
  ['publish-rate', 'in rate', 'limited rate of publishers'],
  ['pause', 'paused', 'consumers or publishers wait'],
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
    }, `Queue ${name} is there.`, event.target);
  };
  return html`
    <form class="form" @submit=${submit}>
      ${vhostChoice()}
      ${field('Name', html`<input name="name" required data-about="queue name|reserved prefix|access to queue">`)}
      ${field('Type', html`<select name="type" data-about="x-queue-type|queue type"><option value="classic">classic</option><option value="quorum">quorum</option><option value="stream">stream</option></select>`,
        'A stream keeps messages after they were consumed. Quorum queues and streams are durable.')}
      ${field('Durability', html`<select name="durable" data-about="transient|exclusive"><option value="yes">durable</option><option value="no">transient</option></select>`)}
      <label class="check"><input type="checkbox" name="auto_delete"> delete with its last consumer</label>
      ${argumentEditor(page, 'new-queue-arguments', 'Arguments', QUEUE_ARGUMENTS)}
      <button class="primary">Add queue</button>
    </form>`;
}

/** An exclusive queue can be used by its connection only, one whose node is down by none. */
const mayUse = what => queue => !queue.exclusive && !isDown(queue) && may(what, queue.vhost, queue.name);
const mayDelete = mayUse('configure');
const mayPurge = queue => queue.type !== 'stream' && mayUse('read')(queue);

const nameOf = queue => queue.name;
const sum = (queues, field) => queues.reduce((all, queue) => all + (queue[field] ?? 0), 0);
const THINGS = ['queue', 'queues'];

function purgeAll(page, queues) {
  return () => actOnRows(page, queues, {
    question: {
      title: `Purge ${count(queues.length, ...THINGS)}?`,
      text: `${names(queues, nameOf)}: all ready messages are removed, ${count(sum(queues, 'messages_ready'), 'message')} at the moment. They are not dead-lettered.`,
      action: 'Purge',
    },
    act: queue => remove(path`queues/${queue.vhost}/${queue.name}/contents`),
    label: nameOf, things: THINGS, done: 'purged',
  });
}

function deleteAll(page, queues) {
  return () => actOnRows(page, queues, {
    question: {
      title: `Delete ${count(queues.length, ...THINGS)}?`,
      text: `${names(queues, nameOf)}: deleted with ${count(sum(queues, 'messages'), 'message')}, ${count(sum(queues, 'consumers'), 'consumer')} and their bindings.`,
      action: 'Delete',
    },
    act: queue => remove(path`queues/${queue.vhost}/${queue.name}`),
    label: nameOf, things: THINGS, done: 'deleted',
  });
}

export function view(page, list) {
  const columns = columnsOf(list.items);
  const choice = rowChoice(page, list.items, {
    key: queue => JSON.stringify([queue.vhost, queue.name]),
    label: nameOf,
    may: queue => mayDelete(queue) || mayPurge(queue),
  });
  const purgeable = choice.rows.filter(mayPurge);
  const deletable = choice.rows.filter(mayDelete);
  return html`
    <div class="title"><h1>Queues and streams</h1><span class="spring"></span>${mayDeclare() ? addButton(page, 'Add a queue') : ''}</div>
    ${listControls(list, 'queue', { columns: columnChoice(page, 'queues', columns) })}
    ${chosenBar(choice, [
      { label: 'Purge', rows: purgeable, act: purgeAll(page, purgeable) },
      { label: 'Delete', rows: deletable, act: deleteAll(page, deletable) },
    ])}
    ${table(shown('queues', columns), list.items, { name: 'Queues and streams', sortable: true, empty: 'No queues.', choice })}
    <p class="hint">D: durable. AD: deleted with its last consumer. excl: of one connection. TTL: messages expire. lease: deleted when it is not used.
      max: limited length. DLX: has a dead letter exchange. prio: has priorities. SAC: single active consumer. +2: on two more nodes. Tinted: the policies that apply.</p>
    ${deletedPart(page, list.deleted)}
    ${mayDeclare() ? section(page, 'add', 'Add a queue', () => addForm(page)) : ''}`;
}
