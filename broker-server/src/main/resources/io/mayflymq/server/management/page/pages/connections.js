/* The list of connections. */

import { html } from '../lib/lit-html.js';
import { get, path, remove } from '../api.js';
import { columnChoice, fieldsOf, shown } from '../columns.js';
import { badge, listControls, listQuery, named, table } from '../components.js';
import { bytes, count, number, time } from '../format.js';
import { selectedVhost, toConnection } from '../router.js';
import { actOnRows, chosenBar, names, rowChoice } from '../rows.js';
import { isAdministrator, userName } from '../session.js';
import { nodeColumn } from './node-column.js';
import { vhostColumn } from './vhost-choice.js';

/** What is needed whatever columns are shown. */
const ALWAYS = ['name', 'user_provided_name', 'user', 'vhost', 'node', 'state', 'channels'];

const bytesColumn = (title, field) => ({
  title, numeric: true, sort: `${field}_details.rate`, fields: [`${field}_details`],
  cell: c => `${bytes(c[field + '_details']?.rate ?? 0)}/s`,
});

const columnsOf = items => [
  { title: 'Name', fixed: true, sort: 'name', cell: c => named(html`<a href=${toConnection(c.name)}>${c.name}</a>`, c.user_provided_name) },
  vhostColumn(),
  ...nodeColumn(items),
  { title: 'User', sort: 'user', cell: c => c.user },
  { title: 'State', sort: 'state', cell: state },
  { title: 'Protocol', secondary: true, sort: 'protocol', fields: ['protocol', 'ssl'], cell: c => html`${c.protocol} ${c.ssl ? badge('TLS', 'encrypted') : ''}` },
  {
    title: 'Client', secondary: true, fields: ['client_properties.product', 'client_properties.version'],
    cell: c => `${c.client_properties?.product ?? ''} ${c.client_properties?.version ?? ''}`,
  },
  { title: 'Channels', sort: 'channels', numeric: true, cell: c => number(c.channels) },
  bytesColumn('From client', 'recv_oct'),
  bytesColumn('To client', 'send_oct'),
  { title: 'Waits to be sent', sort: 'send_pend', numeric: true, optional: true, fields: ['send_pend'], cell: c => bytes(c.send_pend) },
  { title: 'Heartbeat', sort: 'timeout', numeric: true, optional: true, fields: ['timeout'], cell: c => (c.timeout === 0 ? 'off' : `${c.timeout} s`) },
  { title: 'Memory', sort: 'memory', numeric: true, optional: true, fields: ['memory'], meaning: 'Memory: held for the client', cell: c => bytes(c.memory) },
  { title: 'Connected', sort: 'connected_at', numeric: true, fields: ['connected_at'], cell: c => time(c.connected_at) },
];

export const title = () => 'Connections';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'connections' : path`vhosts/${vhost}/connections`)
    + listQuery([...ALWAYS, ...fieldsOf('connections', columnsOf([]))], { all_names: true }), options);
}

/** The state of a connection; one that publishes is blocked by an alarm or slowed down. */
export const state = each => (each.state === 'running' ? 'running' : html`<strong>${each.state}</strong>`);

/** Everybody may close the own connections, administrators all. */
const mayClose = each => isAdministrator() || each.user === userName();

const labelOf = each => each.user_provided_name ?? each.name;
const THINGS = ['connection', 'connections'];

function closeAll(page, connections) {
  return () => actOnRows(page, connections, {
    question: {
      title: `Close ${count(connections.length, ...THINGS)}?`,
      text: `${names(connections, labelOf)}: ${count(connections.reduce((all, each) => all + each.channels, 0), 'channel')} and their consumers end, and exclusive queues are deleted. Most clients connect again.`,
      action: 'Close',
    },
    act: each => remove(path`connections/${each.name}`, { headers: { 'x-reason': 'Closed by the management page' } }),
    label: labelOf, things: THINGS, done: 'closed',
  });
}

export function view(page, list) {
  const columns = columnsOf(list.items);
  const choice = rowChoice(page, list.items, { key: each => each.name, label: labelOf, may: mayClose });
  return html`
    <div class="title"><h1>Connections</h1></div>
    ${listControls(list, 'connection', { finds: 'part of a name', columns: columnChoice(page, 'connections', columns) })}
    ${chosenBar(choice, [{ label: 'Close', rows: choice.rows, act: closeAll(page, choice.rows) }])}
    ${table(shown('connections', columns), list.items, { name: 'Connections', sortable: true, empty: 'No connections.', choice })}`;
}
