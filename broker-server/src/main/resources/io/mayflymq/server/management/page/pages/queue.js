/* One queue or stream. */

import { html } from '../lib/lit-html.js';
import { get, getUnless, path, put, query, remove } from '../api.js';
import { DELIVERED_KINDS, badge, card, facts, plot, rangeChoice, ratesTable, section, table } from '../components.js';
import { bytes, count, number, rate, rateOf, time } from '../format.js';
import { sampleParameters } from '../history.js';
import { confirm } from '../notices.js';
import { go, link, toConnection } from '../router.js';
import { may } from '../session.js';
import { bindForm, bindingsTable } from './bindings.js';
import { argumentsCell, consumerChannel, consumerState, prefetch } from './consumers.js';
import { deathsTable } from './deaths-table.js';
import { browsePart, getPart } from './messages.js';
import { isDown } from './node-column.js';
import { publishForm } from './publish.js';
import { marks } from './queues.js';
import { proofPart } from './queue-proof.js';
import { redrivePart } from './queue-redrive.js';
import { effectivePart, leasePart } from './queue-settings.js';
import { deadlinesPart, scheduledPart } from './queue-time.js';
import { undoPart } from './queue-undo.js';

/** A queue with more messages is looked at less often: that takes the broker a tenth of a second for a million. */
const MANY = 50_000;
const MANY_EVERY_MILLIS = 30_000;

export const open = ['consumers', 'time'];

const nameOf = page => ({ vhost: page.parts[0], name: page.parts[1] });

export const title = page => `Queue ${nameOf(page).name}`;

export async function load(page, options) {
  const { vhost, name } = nameOf(page);
  const root = path`queues/${vhost}/${name}`;
  const wanted = (id, allowed, statuses, where) =>
    (allowed && page.isOpen(id) ? getUnless(statuses, root + where, options) : undefined);
  const queue = await get(root + query(sampleParameters()), options);
  const reads = mayUse('read', queue);
  const [effective, replicas, deadlines, bindings, scheduled, deaths, redrive, proof] = await Promise.all([
    get(root + '/effective', options),
    isReplicated(queue) ? get(path`queues/${queue.type}/${vhost}/${name}/status`, options) : undefined,
    reads && hasDeadlines(queue) ? loadDeadlines(page, queue, root, options) : undefined,
    wanted('bindings', true, [], '/bindings'),
    wanted('scheduled', reads, [], '/scheduled' + query({ limit: 50, after: page.state.scheduledAfter })),
    wanted('deaths', !isDown(queue), [404], '/deaths' + query({ limit: 20, reason: page.state.deathReason })),
    wanted('redrive', reads, [404], '/redrive'),
    wanted('proof', queue.type !== 'stream', [404], '/proof'),
  ]);
  return { queue, effective, replicas, deadlines, bindings, scheduled, deaths, redrive, proof };
}

const isReplicated = queue => queue.members?.length > 1;

/** An exclusive queue can be used by its connection only. */
const mayUse = (what, queue) => !queue.exclusive && !isDown(queue) && may(what, queue.vhost, queue.name);

const hasDeadlines = queue => queue.type !== 'stream';

async function loadDeadlines(page, queue, root, options) {
  const last = page.state.deadlines;
  if (!page.isOpen('time') || (last && queue.messages > MANY && Date.now() - last.loaded < MANY_EVERY_MILLIS)) {
    return last;
  }
  const loaded = await get(root + '/deadlines?limit=6', options);
  page.state.deadlines = { ...loaded, loaded: Date.now() };
  return page.state.deadlines;
}

function consumersTable(queue) {
  return table([
    { title: 'Consumer tag', cell: c => c.consumer_tag },
    { title: 'Channel', cell: consumerChannel },
    { title: 'Connection', cell: c => (c.channel_details ? html`<a href=${toConnection(c.channel_details.connection_name)}>connection</a>` : '–') },
    { title: 'User', cell: c => c.channel_details?.user ?? '–' },
    { title: 'Prefetch', numeric: true, cell: prefetch },
    { title: 'Unacked', numeric: true, cell: c => number(c.messages_unacknowledged) },
    { title: 'Acknowledges', cell: c => (c.ack_required ? 'yes' : 'no') },
    { title: 'State', cell: consumerState },
    { title: 'Arguments', cell: argumentsCell },
  ], queue.consumer_details ?? [], { name: 'Consumers', empty: 'No consumers.' });
}

function purge(page, queue) {
  const { vhost, name } = queue;
  return async () => {
    if (await confirm(`Purge queue ${name}?`, `All ready messages are removed: ${count(queue.messages_ready, 'message')} at the moment. They are not dead-lettered.`, 'Purge')) {
      page.act(() => remove(path`queues/${vhost}/${name}/contents`), `Queue ${name} was purged.`);
    }
  };
}

function pause(page, queue) {
  const { vhost, name } = queue;
  return async () => {
    const answer = await confirm(`Pause queue ${name}?`, 'Its consumers get no messages, and its publishers wait, until it is resumed: also over a restart.', 'Pause', 'TTL stands still meanwhile');
    if (answer) {
      page.act(() => put(path`queues/${vhost}/${name}/pause`, answer.chosen ? { ttl: 'stop' } : {}), `Queue ${name} is paused.`);
    }
  };
}

const resume = (page, { vhost, name }) => () =>
  page.act(() => remove(path`queues/${vhost}/${name}/pause`), `Queue ${name} was resumed.`);

const PAUSES = {
  deliveries: 'its consumers get no messages',
  publishing: 'its publishers wait',
  both: 'its consumers get no messages, and its publishers wait',
};

const pausedNote = queue => (queue.paused ? html`<p class="trouble" role="status">This queue is paused: ${PAUSES[queue.paused]}${queue.paused_ttl ? ', and TTL stands still' : ''}.</p>` : '');

function pauseButton(page, queue) {
  return queue.paused
    ? html`<button type="button" @click=${resume(page, queue)}>Resume</button>`
    : html`<button type="button" @click=${pause(page, queue)}>Pause …</button>`;
}

function deleteQueue(page, queue) {
  const { vhost, name } = queue;
  return async () => {
    if (await confirm(`Delete queue ${name}?`, `The queue in virtual host ${vhost} is deleted with ${count(queue.messages, 'message')}, ${count(queue.consumers, 'consumer')} and its bindings.`, 'Delete queue')) {
      page.act(async () => {
        await remove(path`queues/${vhost}/${name}`);
        go(link(['queues']));
      }, `Queue ${name} was deleted.`);
    }
  };
}

const OUTCOMES = [
  ['expired', 'expired'],
  ['expired_by_deadline', 'of these, expired by deadline before delivery'],
  ['maxlen', 'over the length limit'],
  ['rejected', 'rejected'],
  ['delivery_limit', 'returned too often'],
  ['dead_lettered', 'dead-lettered'],
  ['dropped_no_exchange', 'dropped: no dead letter exchange'],
  ['dropped_unroutable', 'dropped: no queue for the dead letter'],
  ['dropped_refused', 'dropped: refused by the dead letter queue'],
  ['refused', 'refused to the publisher'],
  ['redelivered', 'redelivered'],
  ['purged', 'purged'],
  ['redriven', 'redriven'],
  ['moved', 'moved by an operator'],
];

function outcomes(stats) {
  const rows = OUTCOMES.filter(([name]) => stats?.[name] > 0);
  return table([
    { title: 'Outcome', cell: ([, words]) => words },
    { title: 'Messages', numeric: true, cell: ([name]) => number(stats[name]) },
    { title: 'Rate', numeric: true, cell: ([name]) => rateOf(stats, name) },
  ], rows, { name: 'What became of messages', empty: 'No message was lost, dead-lettered or refused since the start.' });
}

/** Unknown arguments that are one edit away from a known one. */
const mistyped = effective => Object.entries(effective?.mistyped_arguments ?? {}).map(([argument, meant]) => html`
  <p class="trouble" role="alert">The argument <code>${argument}</code> is unknown and has no effect: did you mean <code>${meant}</code>?
  Arguments cannot be changed: delete the queue and declare it again, or use a policy.</p>`);

const argumentsOf = queue => (Object.keys(queue.arguments).length === 0 ? undefined
  : Object.entries(queue.arguments).map(([argument, value]) => html`<div><code>${argument} = ${JSON.stringify(value)}</code></div>`));

/** The highest first; not if all are of one priority. */
const byPriority = queue => (queue.messages_active_priorities > 1
  ? Object.entries(queue.messages_by_priority).reverse().map(([priority, ready]) => `${number(ready)} of ${priority}`).join(', ') : undefined);

/** The values that take turns, the largest first. */
const shares = queue => (queue.fair_shares === undefined ? undefined : [
  `${number(queue.fair_shares)} take turns`,
  ...queue.fair_shares_largest.slice(0, 5).map(share => `${share.value ?? 'none'}: ${number(share.messages_ready)}`),
  ...(queue.fair_shares_unread > 0 ? [`${number(queue.fair_shares_unread)} still to be shared out`] : []),
].join(', '));

const bindingsPart = (page, queue, bindings) => section(page, 'bindings', 'Bindings', () => html`
  ${bindingsTable(page, bindings ?? [], 'Bindings to this queue')}
  ${mayUse('write', queue) ? bindForm(page, { vhost: queue.vhost, queue: queue.name }) : ''}`);

const settingsPart = (page, effective) =>
  section(page, 'settings', 'Effective settings', () => effectivePart(effective), 'what holds, and which policy or argument says so');

const proofSection = (page, queue, proof) => (queue.type === 'stream' ? ''
  : section(page, 'proof', 'What can happen', () => (proof === undefined ? '' : proofPart(proof)), 'to a message, what cannot, and what would change it'));

const STATES = {
  leader: 'leads', follower: 'follows', writer: 'leads', replica: 'follows', nodedown: html`<strong>down</strong>`,
};
const stateOf = each => each['Raft State'] ?? each.role;

/** The nodes that keep a replicated queue or stream, whose status has other names. */
const replicasPart = replicas => (replicas === undefined ? '' : card('Replicas', table([
  { title: 'Node', cell: each => each['Node Name'] ?? each.node },
  { title: 'State', cell: each => STATES[stateOf(each)] ?? stateOf(each) },
  { title: 'In sync', cell: each => (each['In Sync'] ?? each.in_sync ? 'yes' : html`<strong>no</strong>`) },
], replicas, { name: 'Replicas' })));

const trouble = queue => (isReplicated(queue)
  ? html`Of the nodes ${queue.members.join(', ')}, which keep this queue, ${queue.online.length === 0 ? 'none' : `only ${queue.online.join(', ')}`} can be reached.
    Its messages can be used again when a majority of them is back.`
  : html`Node ${queue.node}, which this ${queue.type === 'stream' ? 'stream' : 'queue'} is on, cannot be reached.
    Its messages can be used again when that node is back.`);

/** What all nodes know of a queue. */
const viewDown = (page, { queue, effective, replicas, bindings, proof }) => html`
  <div class="title">
    <h1>${queue.type === 'stream' ? 'Stream' : 'Queue'} <span class="name">${queue.name}</span></h1>
    <span class="faint">in virtual host ${queue.vhost}</span>
  </div>
  <p class="marks">${badge(queue.type)} ${marks(queue)}</p>
  <p class="trouble" role="alert">${trouble(queue)}</p>
  ${replicasPart(replicas)}
  ${card('Now', facts([['Node', queue.node], ['Arguments', argumentsOf(queue)]]))}
  ${bindingsPart(page, queue, bindings)}
  ${settingsPart(page, effective)}
  ${proofSection(page, queue, proof)}`;

function viewUp(page, { queue, effective, replicas, deadlines, bindings, scheduled, deaths, redrive, proof }) {
  const { vhost, name } = queue;
  const stats = queue.message_stats ?? {};
  const key = `queue.${vhost}.${name}`;
  const reads = mayUse('read', queue);
  const configures = mayUse('configure', queue);
  const stream = queue.type === 'stream';
  return html`
    <div class="title">
      <h1>${stream ? 'Stream' : 'Queue'} <span class="name">${name}</span></h1>
      <span class="faint">in virtual host ${vhost}</span>
      <span class="spring"></span>${rangeChoice()}
      ${reads && !stream ? html`<button type="button" @click=${purge(page, queue)}>Purge …</button>` : ''}
      ${configures && !stream ? pauseButton(page, queue) : ''}
      ${configures ? html`<button type="button" class="danger" @click=${deleteQueue(page, queue)}>Delete …</button>` : ''}
    </div>
    <p class="marks">${badge(queue.type)} ${marks(queue)}</p>
    ${pausedNote(queue)}
    ${mistyped(effective)}
    <div class="columns">
      ${card('Messages', plot(key + '.depth', 'Messages', [
        { label: 'ready', object: queue, field: 'messages_ready' },
        { label: 'unacknowledged', object: queue, field: 'messages_unacknowledged' },
        { label: 'total', object: queue, field: 'messages' },
      ], number))}
      ${card('Rates', plot(key + '.rates', 'Messages per second', [
        { label: 'in', object: stats, field: 'publish', isRate: true },
        { label: 'out', object: stats, field: 'deliver_get', isRate: true },
        { label: 'acknowledged', object: stats, field: 'ack', isRate: true },
        { label: 'expired', object: stats, field: 'expired', isRate: true },
        { label: 'dead-lettered', object: stats, field: 'dead_lettered', isRate: true },
      ], rate))}
    </div>
    <div class="columns">
      ${card('Now', facts([
        [isReplicated(queue) ? 'Leader' : 'Node', queue.node],
        ['Ready', `${number(queue.messages_ready)} (${bytes(queue.message_bytes_ready)})`],
        ['Ready by priority', byPriority(queue)],
        ['Fair shares', shares(queue)],
        ['Unacknowledged', `${number(queue.messages_unacknowledged)} (${bytes(queue.message_bytes_unacknowledged)})`],
        ['Persistent', `${number(queue.messages_persistent)} (${bytes(queue.message_bytes_persistent)})`],
        ['Delayed', queue.messages_delayed > 0 ? number(queue.messages_delayed) : undefined],
        ['Dead letters that wait', queue.messages_dlx > 0 ? number(queue.messages_dlx) : undefined],
        ['Unreadable', queue.messages_unreadable > 0 ? number(queue.messages_unreadable) : undefined],
        ['Consumers', number(queue.consumers)],
        ['Locks renewed', queue.lock_renewals > 0 ? number(queue.lock_renewals) : undefined],
        ['Consumers keep up', queue.consumers > 0 && typeof queue.consumer_capacity === 'number' ? `${Math.round(queue.consumer_capacity * 100)} % of the time` : undefined],
        ['Nothing happened since', queue.idle_since && time(Date.parse(queue.idle_since))],
        ['Belongs to', queue.owner_pid_details && html`<a href=${toConnection(queue.owner_pid_details.name)}>${queue.owner_pid_details.name}</a>`],
        ['Arguments', argumentsOf(queue)],
      ]))}
      ${replicasPart(replicas)}
      ${card('Outcomes since the start of the broker', outcomes(stats))}
      ${leasePart(queue, effective)}
    </div>
    ${reads && hasDeadlines(queue) ? section(page, 'time', 'Time to live', () => (deadlines === undefined ? '' : deadlinesPart(deadlines)), 'when messages expire, and how old they are') : ''}
    ${section(page, 'rates', 'Rates by kind', () => ratesTable(stats, [['publish', 'published to the queue'], ...DELIVERED_KINDS]), 'delivered, got, redelivered, acknowledged')}
    ${section(page, 'consumers', 'Consumers', () => consumersTable(queue), number(queue.consumers))}
    ${bindingsPart(page, queue, bindings)}
    ${may('write', vhost, 'amq.default') ? section(page, 'publish', 'Publish a message', () => publishForm(page, vhost, '', name)) : ''}
    ${reads && !stream ? section(page, 'get', 'Get messages', () => getPart(page, queue), 'takes them, or puts them back') : ''}
    ${reads ? section(page, 'browse', 'Browse messages', () => browsePart(page, queue), 'without consuming them') : ''}
    ${reads ? section(page, 'scheduled', 'Scheduled messages', () => scheduledPart(page, queue, scheduled), number(queue.messages_scheduled)) : ''}
    ${section(page, 'deaths', 'Death journal', () => deathsTable(page, deaths ?? []), 'messages that expired, were rejected or dropped, and why')}
    ${reads && !stream ? section(page, 'redrive', 'Redrive or move', () => redrivePart(page, queue, redrive), 'sends dead letters back to where they came from') : ''}
    ${configures && mayUse('write', queue) && !stream ? section(page, 'undo', 'Undo', () => undoPart(page, queue), 'brings back what was purged, has expired or was dropped') : ''}
    ${settingsPart(page, effective)}
    ${proofSection(page, queue, proof)}`;
}

export const view = (page, loaded) => (isDown(loaded.queue) ? viewDown(page, loaded) : viewUp(page, loaded));
