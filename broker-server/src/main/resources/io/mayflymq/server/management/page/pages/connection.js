/* One connection. */

import { html } from '../lib/lit-html.js';
import { get, path, query, remove } from '../api.js';
import { badge, card, facts, plot, rangeChoice, section } from '../components.js';
import { bytes, count, number, time, value } from '../format.js';
import { sampleParameters } from '../history.js';
import { confirm } from '../notices.js';
import { go, link } from '../router.js';
import { channelFields, channelTable } from './channels.js';
import { state } from './connections.js';

export const open = ['channels'];

export const title = page => `Connection ${page.parts[0]}`;

export async function load(page, options) {
  const root = path`connections/${page.parts[0]}`;
  const [connection, channels] = await Promise.all([
    get(root + query(sampleParameters()), options),
    get(root + '/channels' + query({ columns: channelFields() }), options),
  ]);
  return { connection, channels };
}

function close(page, connection) {
  return async () => {
    if (await confirm(`Close connection ${connection.name}?`, `Its ${count(connection.channels, 'channel')} and their consumers end, and its exclusive queues are deleted. Most clients connect again.`, 'Close connection')) {
      page.act(async () => {
        await remove(path`connections/${connection.name}`, { headers: { 'x-reason': 'Closed by the management page' } });
        go(link(['connections']));
      }, 'The connection was closed.');
    }
  };
}

const perSecond = amount => `${bytes(amount)}/s`;

export function view(page, { connection, channels }) {
  const client = connection.client_properties ?? {};
  return html`
    <div class="title">
      <h1>Connection <span class="name">${connection.name}</span></h1>
      <span class="spring"></span>${rangeChoice()}
      <button type="button" class="danger" @click=${close(page, connection)}>Close …</button>
    </div>
    <div class="columns">
      ${card('Data', plot(`connection.${connection.name}`, 'Bytes per second', [
        { label: 'from the client', object: connection, field: 'recv_oct', isRate: true },
        { label: 'to the client', object: connection, field: 'send_oct', isRate: true },
      ], perSecond))}
      ${card('Connection', facts([
        ['Given name', connection.user_provided_name],
        ['User', connection.user],
        ['Virtual host', connection.vhost],
        ['Node', connection.node],
        ['State', state(connection)],
        ['Connected', time(connection.connected_at)],
        ['Protocol', html`${connection.protocol} ${connection.ssl ? badge(connection.ssl_protocol ?? 'TLS') : ''}`],
        ['Cipher', connection.ssl ? connection.ssl_cipher : undefined],
        ['Client certificate', connection.peer_cert_subject || undefined],
        ['Logged in by', connection.auth_mechanism],
        ['Heartbeat', connection.timeout === 0 ? 'off' : `${connection.timeout} s`],
        ['Largest frame', bytes(connection.frame_max)],
        ['Most channels', number(connection.channel_max)],
        ['From the client', bytes(connection.recv_oct)],
        ['To the client', bytes(connection.send_oct)],
        ['Waits to be sent', connection.send_pend > 0 ? bytes(connection.send_pend) : undefined],
      ]))}
      ${card('Client', facts(Object.entries(client).map(([key, any]) =>
        [key, key === 'capabilities' ? Object.keys(any).join(', ') : value(any)])))}
    </div>
    ${section(page, 'channels', 'Channels', () => channelTable(channels, false), number(channels.length))}`;
}
