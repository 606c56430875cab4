/* The broker as a whole, and its nodes. */

import { html } from '../lib/lit-html.js';
import { get, query } from '../api.js';
import { DELIVERED_KINDS, PUBLISHED_KINDS, badge, card, facts, gauge, plot, rangeChoice, ratesTable, section, table } from '../components.js';
import { bytes, count, duration, number, rate, rateOf } from '../format.js';
import { sampleParameters } from '../history.js';
import { link } from '../router.js';
import { isMonitor } from '../session.js';
import { changesTable, told } from './changes.js';

export const title = () => 'Overview';

export async function load(page, options) {
  const [overview, nodes, changes] = await Promise.all([
    get('overview' + query(sampleParameters()), options),
    isMonitor() ? get('nodes' + query(sampleParameters()), options) : [],
    isMonitor() ? get('changes', options) : undefined,
  ]);
  return { overview, nodes, changes };
}

/** What is wrong with the nodes, in words. */
function alarms(nodes) {
  const on = node => (nodes.length > 1 ? ` on node ${node.name}` : '');
  const raised = nodes.flatMap(node => [
    !node.running && `Node ${node.name} cannot be reached: queues and streams that only it keeps cannot be used.`,
    node.mem_alarm && `The memory alarm is raised${on(node)}: connections that publish are blocked.`,
    node.disk_free_alarm && `The disk alarm is raised${on(node)}: connections that publish are blocked.`,
    ...(node.failures ?? []).map(each => `Does not work${on(node)}: ${each}.`),
  ].filter(Boolean));
  return raised.length === 0
    ? html`<p class="fine"><span aria-hidden="true">✓</span> No alarms.</p>`
    : raised.map(text => html`<p class="trouble" role="alert">${text}</p>`);
}

function churn(rates) {
  const rows = [
    ['Connections', 'connection_created', 'connection_closed'],
    ['Channels', 'channel_created', 'channel_closed'],
    ['Queues', 'queue_created', 'queue_deleted'],
  ];
  const both = name => html`${number(rates[name])} <span class="faint">${rateOf(rates, name)}</span>`;
  return table(
    [
      { title: 'Of', cell: row => row[0] },
      { title: 'Opened', numeric: true, cell: row => both(row[1]) },
      { title: 'Closed', numeric: true, cell: row => both(row[2]) },
    ],
    rows,
    { name: 'Churn' });
}

const memory = node => gauge(node.mem_used, node.mem_limit, `${bytes(node.mem_used)} of ${bytes(node.mem_limit)}`, 'Memory in use');

const files = node => (node.fd_total
  ? gauge(node.fd_used, node.fd_total, `${number(node.fd_used)} of ${number(node.fd_total)}`, 'File descriptors in use') : undefined);

const disk = node => html`${bytes(node.disk_free)} <span class="faint">(alarm below ${bytes(node.disk_free_limit)})</span>`;

/** The nodes of a cluster. One that does not answer has no values. */
function nodesTable(nodes, here) {
  const known = cell => node => (node.mem_used === undefined ? '–' : cell(node));
  return table([
    { title: 'Name', cell: node => html`${node.name} ${node.name === here ? badge('this page', 'the node that this page asks') : ''}` },
    { title: 'State', cell: node => (node.running ? 'running' : html`<strong>down</strong>`) },
    { title: 'Up for', cell: known(node => duration(node.uptime)) },
    { title: 'Memory', cell: known(memory) },
    { title: 'Free disk', cell: known(disk) },
    { title: 'File descriptors', cell: known(node => files(node) ?? '–') },
    { title: 'Connections', numeric: true, cell: known(node => number(node.sockets_used)) },
  ], nodes, { name: 'Nodes' });
}

export function view(page, { overview, nodes, changes }) {
  const node = nodes.find(each => each.name === overview.node);
  const cluster = nodes.length > 1;
  const totals = overview.queue_totals ?? {};
  const stats = overview.message_stats ?? {};
  const objects = overview.object_totals ?? {};
  const tile = (label, value, where) => html`<a class="tile" href=${link([where])}><b>${number(value)}</b> ${label}</a>`;
  return html`
    <div class="title"><h1>Overview</h1><span class="spring"></span>${rangeChoice()}</div>
    ${node === undefined ? '' : alarms(nodes)}
    ${overview.manual_clock_ms === undefined ? '' : html`<p class="trouble" role="status">
      The clock of this broker is moved by hand and stands at ${new Date(overview.manual_clock_ms).toISOString()}: nothing expires before it is moved.</p>`}
    ${overview.totals_without_nodes === undefined ? '' : html`<p class="hint">The counts are without ${overview.totals_without_nodes.join(', ')}.</p>`}
    <div class="tiles">
      ${tile('connections', objects.connections, 'connections')}
      ${tile('channels', objects.channels, 'channels')}
      ${tile('consumers', objects.consumers, 'consumers')}
      ${tile('exchanges', objects.exchanges, 'exchanges')}
      ${tile('queues', objects.queues, 'queues')}
    </div>
    <div class="columns">
      ${card('Messages', plot('overview.depth', 'Messages in all queues', [
        { label: 'ready', object: totals, field: 'messages_ready' },
        { label: 'unacknowledged', object: totals, field: 'messages_unacknowledged' },
        { label: 'total', object: totals, field: 'messages' },
      ], number))}
      ${card('Rates', plot('overview.rates', 'Messages per second', [
        { label: 'published', object: stats, field: 'publish', isRate: true },
        { label: 'delivered', object: stats, field: 'deliver_get', isRate: true },
        { label: 'acknowledged', object: stats, field: 'ack', isRate: true },
        { label: 'expired', object: stats, field: 'expired', isRate: true },
        { label: 'dead-lettered', object: stats, field: 'dead_lettered', isRate: true },
      ], rate))}
    </div>
    ${stats.expired_by_deadline > 0 ? html`<p class="hint">Work saved: ${count(stats.expired_by_deadline, 'message')} expired by deadline before delivery, since the start of the broker.</p>` : ''}
    ${cluster ? card('Nodes', nodesTable(nodes, overview.node)) : ''}
    <div class="columns">
      ${node === undefined ? '' : card(cluster ? 'This node' : 'Node', facts([
        ['Name', node.name],
        ['Up for', duration(node.uptime)],
        ['Memory', memory(node)],
        ['Free disk', disk(node)],
        ['File descriptors', files(node)],
        ['Processors', number(node.processors)],
        ['Contained faults', node.contained_faults === undefined ? undefined : number(node.contained_faults)],
        ['Data directory', html`<code>${node.db_dir}</code>`],
        ['Runs on', overview.erlang_full_version],
      ]))}
      ${card('Churn', html`${churn(overview.churn_rates ?? {})}<p class="hint">Many short connections or channels cost more than messages do.</p>`)}
      ${overview.listeners === undefined ? '' : card('Listeners', table([
        ...(cluster ? [{ title: 'Node', cell: each => each.node }] : []),
        { title: 'Protocol', cell: each => badge(each.protocol) },
        { title: 'Address', cell: each => each.ip_address },
        { title: 'Port', numeric: true, cell: each => String(each.port) },
      ], overview.listeners, { name: 'Listeners' }))}
    </div>
    ${section(page, 'rates', 'Rates by kind', () => ratesTable(stats, [...PUBLISHED_KINDS, ...DELIVERED_KINDS]), 'confirmed, unroutable, got, redelivered')}
    ${changes === undefined ? '' : card('Changed lately', changesTable(told(changes).slice(0, 10)))}
    <p class="hint">${overview.product_name} ${overview.product_version} follows the rules of RabbitMQ ${overview.rabbitmq_version}. ${count(overview.exchange_types?.length ?? 0, 'exchange type')}.</p>`;
}
