/* The list of connections. */

import { html } from '../lib/lit-html.js';
import { get, path } from '../api.js';
import { badge, listControls, listQuery, table } from '../components.js';
import { bytes, number, time } from '../format.js';
import { selectedVhost, toConnection } from '../router.js';
import { nodeColumn } from './node-column.js';
import { vhostColumn } from './vhost-choice.js';

const COLUMNS = [
  'name', 'user_provided_name', 'user', 'vhost', 'node', 'state', 'ssl', 'protocol', 'channels', 'connected_at',
  'recv_oct_details', 'send_oct_details', 'client_properties.product', 'client_properties.version',
  'client_properties.connection_name',
];

export const title = () => 'Connections';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'connections' : path`vhosts/${vhost}/connections`) + listQuery(COLUMNS), options);
}

/** The state of a connection; one that publishes is blocked by an alarm or slowed down. */
export const state = each => (each.state === 'running' ? 'running' : html`<strong>${each.state}</strong>`);

export function view(page, list) {
  return html`
    <div class="title"><h1>Connections</h1></div>
    ${listControls(list, 'connection')}
    ${table([
      { title: 'Name', sort: 'name', cell: c => html`<a href=${toConnection(c.name)}>${c.name}</a>${c.user_provided_name ? html`<br><span class="faint">${c.user_provided_name}</span>` : ''}` },
      vhostColumn(),
      ...nodeColumn(list.items),
      { title: 'User', sort: 'user', cell: c => c.user },
      { title: 'State', sort: 'state', cell: state },
      { title: 'Protocol', secondary: true, sort: 'protocol', cell: c => html`${c.protocol} ${c.ssl ? badge('TLS', 'encrypted') : ''}` },
      { title: 'Client', secondary: true, cell: c => `${c.client_properties?.product ?? ''} ${c.client_properties?.version ?? ''}` },
      { title: 'Channels', sort: 'channels', numeric: true, cell: c => number(c.channels) },
      { title: 'From client', sort: 'recv_oct_details.rate', numeric: true, cell: c => `${bytes(c.recv_oct_details?.rate ?? 0)}/s` },
      { title: 'To client', sort: 'send_oct_details.rate', numeric: true, cell: c => `${bytes(c.send_oct_details?.rate ?? 0)}/s` },
      { title: 'Connected', sort: 'connected_at', numeric: true, cell: c => time(c.connected_at) },
    ], list.items, { name: 'Connections', sortable: true, empty: 'No connections.' })}`;
}
