/* The list of channels. */

import { html } from '../lib/lit-html.js';
import { get, path } from '../api.js';
import { columnChoice, fieldsOf, shown } from '../columns.js';
import { badge, listControls, listQuery, named, table } from '../components.js';
import { number, rateOf } from '../format.js';
import { selectedVhost, toChannel } from '../router.js';
import { nodeColumn } from './node-column.js';
import { vhostColumn } from './vhost-choice.js';

const ALWAYS = ['name', 'vhost', 'node', 'state', 'connection_details'];

/** How a channel publishes. */
export const mode = each => html`
  ${each.confirm ? badge('confirms', 'publisher confirms') : ''}${each.transactional ? badge('tx', 'transactional') : ''}`;

const count = (title, field, more = {}) =>
  ({ title, sort: field, numeric: true, fields: [field], cell: c => number(c[field]), ...more });

const rateColumn = (title, field, more = {}) => ({
  title, numeric: true, sort: `message_stats.${field}_details.rate`, fields: [`message_stats.${field}_details`],
  cell: c => rateOf(c.message_stats, field), ...more,
});

const RATES = [
  rateColumn('Published', 'publish'),
  rateColumn('Confirmed', 'confirm'),
  rateColumn('Returned', 'return_unroutable', { optional: true, meaning: 'Returned: unroutable and mandatory' }),
  rateColumn('Unroutable', 'drop_unroutable', { optional: true, meaning: 'Unroutable: dropped, as no queue took them' }),
  rateColumn('Delivered', 'deliver_get', { meaning: 'Delivered: also by basic.get' }),
  rateColumn('Redelivered', 'redeliver', { optional: true }),
  rateColumn('Got', 'get', { optional: true, meaning: 'Got: by basic.get, to be acknowledged' }),
  rateColumn('Got, auto ack', 'get_no_ack', { optional: true, meaning: 'Got, auto ack: by basic.get, without an acknowledgement' }),
  rateColumn('Empty gets', 'get_empty', { optional: true, meaning: 'Empty gets: basic.get that found nothing' }),
  rateColumn('Acked', 'ack', { meaning: 'Acked: acknowledged' }),
];

const columnsOf = items => [
  { title: 'Channel', fixed: true, sort: 'name', cell: c => named(html`<a href=${toChannel(c.name)}>${c.name}</a>`, c.connection_details?.user_provided_name) },
  vhostColumn(),
  ...nodeColumn(items),
  { title: 'User', sort: 'user', fields: ['user'], cell: c => c.user },
  { title: 'Mode', fields: ['confirm', 'transactional'], cell: mode },
  { title: 'State', sort: 'state', cell: c => c.state },
  count('Consumers', 'consumer_count'),
  { title: 'Prefetch', sort: 'prefetch_count', numeric: true, fields: ['prefetch_count'], cell: c => (c.prefetch_count === 0 ? 'no limit' : number(c.prefetch_count)) },
  { title: 'Prefetch of the channel', sort: 'global_prefetch_count', numeric: true, optional: true, fields: ['global_prefetch_count'], cell: c => (c.global_prefetch_count === 0 ? 'no limit' : number(c.global_prefetch_count)) },
  count('Unacked', 'messages_unacknowledged'),
  count('Unconfirmed', 'messages_unconfirmed'),
  count('Uncommitted', 'messages_uncommitted', { optional: true }),
  ...RATES,
];

export const title = () => 'Channels';

const fields = () => [...ALWAYS, ...fieldsOf('channels', columnsOf([]))];

/** The query of a list of channels with the columns that are shown. */
export const channelFields = () => fields().join();

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'channels' : path`vhosts/${vhost}/channels`) + listQuery(fields(), { all_names: true }), options);
}

/** A table of channels. */
export const channelTable = (channels, sortable) =>
  table(shown('channels', columnsOf(channels)), channels, { name: 'Channels', sortable, empty: 'No channels.' });

export function view(page, list) {
  return html`
    <div class="title"><h1>Channels</h1></div>
    ${listControls(list, 'channel', { finds: 'part of a name', columns: columnChoice(page, 'channels', columnsOf(list.items)) })}
    ${channelTable(list.items, true)}`;
}
