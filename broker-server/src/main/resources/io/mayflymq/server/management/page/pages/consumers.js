/* The list of all consumers. */

import { html } from '../lib/lit-html.js';
import { get, path } from '../api.js';
import { columnChoice, fieldsOf, shown } from '../columns.js';
import { badge, listControls, listQuery, named, table } from '../components.js';
import { duration, number } from '../format.js';
import { selectedVhost, toChannel, toQueue } from '../router.js';
import { consumerTabs } from './consumer-tabs.js';

const ALWAYS = ['consumer_tag', 'queue', 'channel_details'];

/** What a consumer gets at the moment. */
export const consumerState = each => html`${each.active ? 'gets messages' : 'waits'}
  ${each.activity_status === 'single_active' ? badge('single active') : ''}${each.exclusive ? badge('exclusive') : ''}`;

/** The channel of a consumer, with what its client calls the connection. */
export const consumerChannel = each => (each.channel_details?.name === undefined ? '–'
  : named(html`<a href=${toChannel(each.channel_details.name)}>${each.channel_details.name}</a>`, each.channel_details.user_provided_name));

export const prefetch = each => (each.prefetch_count === 0 ? 'no limit' : number(each.prefetch_count));

export const argumentsCell = each =>
  (Object.keys(each.arguments ?? {}).length === 0 ? '' : html`<code>${JSON.stringify(each.arguments)}</code>`);

const columns = () => [
  { title: 'Consumer tag', fixed: true, sort: 'consumer_tag', cell: c => c.consumer_tag },
  { title: 'Queue', sort: 'queue.name', cell: c => html`<a href=${toQueue(c.queue.vhost, c.queue.name)}>${c.queue.name}</a>` },
  selectedVhost() === null && { title: 'Virtual host', sort: 'queue.vhost', secondary: true, cell: c => c.queue.vhost },
  { title: 'Channel', sort: 'channel_details.name', cell: consumerChannel },
  { title: 'User', sort: 'channel_details.user', cell: c => c.channel_details?.user ?? '–' },
  { title: 'Prefetch', sort: 'prefetch_count', numeric: true, fields: ['prefetch_count'], cell: prefetch },
  { title: 'Acknowledges', sort: 'ack_required', fields: ['ack_required'], cell: c => (c.ack_required ? 'yes' : 'no') },
  { title: 'Unacked', sort: 'messages_unacknowledged', numeric: true, fields: ['messages_unacknowledged'], cell: c => number(c.messages_unacknowledged) },
  { title: 'State', sort: 'active', fields: ['active', 'activity_status', 'exclusive'], cell: consumerState },
  { title: 'Node', sort: 'channel_details.node', optional: true, meaning: 'Node: that the client is connected to', cell: c => c.channel_details?.node ?? '–' },
  { title: 'Timeout', sort: 'consumer_timeout', numeric: true, optional: true, fields: ['consumer_timeout'], meaning: 'Timeout: how long a message may stay unacknowledged', cell: c => duration(c.consumer_timeout) },
  { title: 'Arguments', secondary: true, fields: ['arguments'], cell: argumentsCell },
];

export const title = () => 'Consumers';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'consumers' : path`consumers/${vhost}`)
    + listQuery([...ALWAYS, ...fieldsOf('consumers', columns())], { all_names: true }), options);
}

export const view = (page, list) => html`
  <div class="title"><h1>Consumers</h1></div>
  ${consumerTabs()}
  ${listControls(list, 'consumer', { finds: 'part of a name', columns: columnChoice(page, 'consumers', columns()) })}
  ${table(shown('consumers', columns()), list.items, { name: 'Consumers', sortable: true, empty: 'No consumers.' })}`;
