/* The list of channels. */

import { html } from '../lib/lit-html.js';
import { get, path } from '../api.js';
import { badge, listControls, listQuery, table } from '../components.js';
import { number, rateOf } from '../format.js';
import { selectedVhost, toChannel } from '../router.js';
import { nodeColumn } from './node-column.js';
import { vhostColumn } from './vhost-choice.js';

export const CHANNEL_COLUMNS = [
  'name', 'number', 'user', 'vhost', 'node', 'state', 'confirm', 'transactional', 'consumer_count', 'prefetch_count',
  'global_prefetch_count', 'messages_unacknowledged', 'messages_unconfirmed', 'connection_details',
  'message_stats.publish_details', 'message_stats.confirm_details', 'message_stats.deliver_get_details',
  'message_stats.ack_details',
];

export const title = () => 'Channels';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'channels' : path`vhosts/${vhost}/channels`) + listQuery(CHANNEL_COLUMNS), options);
}

/** How a channel publishes. */
export const mode = each => html`
  ${each.confirm ? badge('confirms', 'publisher confirms') : ''}${each.transactional ? badge('tx', 'transactional') : ''}`;

/** A table of channels. */
export const channelTable = (channels, sortable) => table([
  { title: 'Channel', sort: 'name', cell: c => html`<a href=${toChannel(c.name)}>${c.name}</a>` },
  vhostColumn(),
  ...nodeColumn(channels),
  { title: 'User', sort: 'user', cell: c => c.user },
  { title: 'Mode', cell: mode },
  { title: 'State', sort: 'state', cell: c => c.state },
  { title: 'Consumers', sort: 'consumer_count', numeric: true, cell: c => number(c.consumer_count) },
  { title: 'Prefetch', sort: 'prefetch_count', numeric: true, cell: c => (c.prefetch_count === 0 ? 'no limit' : number(c.prefetch_count)) },
  { title: 'Unacked', sort: 'messages_unacknowledged', numeric: true, cell: c => number(c.messages_unacknowledged) },
  { title: 'Unconfirmed', sort: 'messages_unconfirmed', numeric: true, cell: c => number(c.messages_unconfirmed) },
  { title: 'Published', sort: 'message_stats.publish_details.rate', numeric: true, cell: c => rateOf(c.message_stats, 'publish') },
  { title: 'Delivered', sort: 'message_stats.deliver_get_details.rate', numeric: true, cell: c => rateOf(c.message_stats, 'deliver_get') },
  { title: 'Acked', sort: 'message_stats.ack_details.rate', numeric: true, cell: c => rateOf(c.message_stats, 'ack') },
], channels, { name: 'Channels', sortable, empty: 'No channels.' });

export function view(page, list) {
  return html`
    <div class="title"><h1>Channels</h1></div>
    ${listControls(list, 'channel')}
    ${channelTable(list.items, true)}`;
}
