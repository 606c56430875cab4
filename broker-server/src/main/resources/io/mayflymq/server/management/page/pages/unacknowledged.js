/* Who holds messages that were delivered and not acknowledged: channels, and their consumers by queue. */

import { html } from '../lib/lit-html.js';
import { get, path, query } from '../api.js';
import { badge, named, table } from '../components.js';
import { count, number } from '../format.js';
import { selectedVhost, toChannel, toQueue } from '../router.js';
import { consumerTabs } from './consumer-tabs.js';
import { prefetch } from './consumers.js';

/** So many holders are shown, those with most messages first. */
const MOST = 100;

const mostFirst = (columns, more = {}) => query({
  page: 1, page_size: MOST, sort: 'messages_unacknowledged', sort_reverse: true, columns: columns.join(), ...more,
});

const CHANNEL = ['name', 'vhost', 'user', 'node', 'messages_unacknowledged', 'consumer_count', 'prefetch_count', 'idle_since', 'connection_details'];
const CONSUMER = ['consumer_tag', 'queue', 'prefetch_count', 'messages_unacknowledged', 'channel_details'];

export const title = () => 'Unacknowledged messages';

export async function load(page, options) {
  const vhost = selectedVhost();
  const [channels, consumers, overview] = await Promise.all([
    get((vhost === null ? 'channels' : path`vhosts/${vhost}/channels`) + mostFirst(CHANNEL), options),
    get((vhost === null ? 'consumers' : path`consumers/${vhost}`) + mostFirst(CONSUMER), options),
    vhost === null
      ? get('overview?columns=queue_totals.messages_unacknowledged', options).then(each => each.queue_totals)
      : get(path`vhosts/${vhost}` + '?columns=messages_unacknowledged', options),
  ]);
  const holding = list => list.items.filter(each => each.messages_unacknowledged > 0);
  return { channels: holding(channels), consumers: holding(consumers), total: overview?.messages_unacknowledged ?? 0 };
}

const share = (amount, total) => (total === 0 ? '–' : `${Math.round(Math.min(1, amount / total) * 100)} %`);

const unacked = total => [
  { title: 'Unacked', numeric: true, cell: each => number(each.messages_unacknowledged) },
  { title: 'Of all', numeric: true, cell: each => share(each.messages_unacknowledged, total) },
];

const channelLink = (name, clientName) => named(html`<a href=${toChannel(name)}>${name}</a>`, clientName);

export const view = (page, { channels, consumers, total }) => html`
  <div class="title"><h1>Unacknowledged messages</h1></div>
  ${consumerTabs()}
  <p>${count(total, 'message')} ${total === 1 ? 'was' : 'were'} delivered and not acknowledged yet. Who holds most comes first. They return to their queue when their channel ends,
    or when the consumer timeout is over.</p>
  <section aria-label="By channel"><h2>By channel</h2>
  ${table([
    { title: 'Channel', cell: c => channelLink(c.name, c.connection_details?.user_provided_name) },
    { title: 'User', cell: c => c.user },
    ...unacked(total),
    { title: 'Prefetch', numeric: true, cell: prefetch },
    { title: 'Consumers', numeric: true, cell: c => html`${number(c.consumer_count)} ${c.consumer_count === 0 ? badge('basic.get', 'without a consumer: they were got one by one') : ''}` },
    { title: 'Virtual host', secondary: true, cell: c => c.vhost },
    { title: 'Node', secondary: true, cell: c => c.node },
  ], channels, { name: 'Holders by channel', empty: 'No channel holds messages.' })}</section>
  <section aria-label="By consumer and queue"><h2>By consumer and queue</h2>
  ${table([
    { title: 'Queue', cell: c => html`<a href=${toQueue(c.queue.vhost, c.queue.name)}>${c.queue.name}</a>` },
    { title: 'Consumer tag', cell: c => c.consumer_tag },
    ...unacked(total),
    { title: 'Prefetch', numeric: true, cell: prefetch },
    { title: 'Channel', cell: c => (c.channel_details?.name === undefined ? '–' : channelLink(c.channel_details.name, c.channel_details.user_provided_name)) },
  ], consumers, { name: 'Holders by consumer and queue', empty: 'No consumer holds messages.' })}</section>
  <p class="hint">At most ${MOST} of each. What a channel holds beyond its consumers was got by basic.get.</p>`;
