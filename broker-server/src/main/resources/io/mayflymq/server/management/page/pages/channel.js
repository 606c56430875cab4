/* One channel, with its consumers. */

import { html } from '../lib/lit-html.js';
import { get, path, query } from '../api.js';
import { DELIVERED_KINDS, PUBLISHED_KINDS, card, facts, plot, rangeChoice, ratesTable, section, table } from '../components.js';
import { number, rate } from '../format.js';
import { sampleParameters } from '../history.js';
import { toConnection, toQueue } from '../router.js';
import { mode } from './channels.js';
import { consumerState, prefetch } from './consumers.js';

export const open = ['consumers'];

export const title = page => `Channel ${page.parts[0]}`;

export async function load(page, options) {
  const channel = await get(path`channels/${page.parts[0]}` + query(sampleParameters()), options);
  const consumers = page.isOpen('consumers') && channel.consumer_count > 0
    ? await get(path`consumers/${channel.vhost}` + query({ columns: 'consumer_tag,queue,ack_required,prefetch_count,messages_unacknowledged,active,activity_status,exclusive,channel_details.name' }), options)
    : [];
  return { channel, consumers: consumers.filter(each => each.channel_details?.name === channel.name) };
}

export function view(page, { channel, consumers }) {
  const stats = channel.message_stats ?? {};
  const key = `channel.${channel.name}`;
  return html`
    <div class="title">
      <h1>Channel <span class="name">${channel.name}</span></h1><span class="spring"></span>${rangeChoice()}
    </div>
    <div class="columns">
      ${card('Rates', plot(key, 'Messages per second', [
        { label: 'published', object: stats, field: 'publish', isRate: true },
        { label: 'confirmed', object: stats, field: 'confirm', isRate: true },
        { label: 'delivered', object: stats, field: 'deliver_get', isRate: true },
        { label: 'acknowledged', object: stats, field: 'ack', isRate: true },
        { label: 'returned', object: stats, field: 'return_unroutable', isRate: true },
      ], rate))}
      ${card('Channel', facts([
        ['Connection', html`<a href=${toConnection(channel.connection_details.name)}>${channel.connection_details.name}</a>`],
        ['Client', channel.connection_details.user_provided_name],
        ['User', channel.user],
        ['Virtual host', channel.vhost],
        ['Node', channel.node],
        ['State', channel.state],
        ['Mode', channel.confirm || channel.transactional ? mode(channel) : undefined],
        ['Prefetch of each consumer', channel.prefetch_count === 0 ? 'no limit' : number(channel.prefetch_count)],
        ['Prefetch of the channel', channel.global_prefetch_count === 0 ? 'no limit' : number(channel.global_prefetch_count)],
        ['Unacknowledged', number(channel.messages_unacknowledged)],
        ['Unconfirmed', number(channel.messages_unconfirmed)],
        ['Uncommitted', channel.transactional ? `${number(channel.messages_uncommitted)} messages, ${number(channel.acks_uncommitted)} acknowledgements` : undefined],
      ]))}
    </div>
    ${section(page, 'rates', 'Rates by kind', () => ratesTable(stats, [...PUBLISHED_KINDS, ...DELIVERED_KINDS]), 'confirmed, unroutable, got, redelivered')}
    ${section(page, 'consumers', 'Consumers', () => table([
      { title: 'Consumer tag', cell: c => c.consumer_tag },
      { title: 'Queue', cell: c => html`<a href=${toQueue(c.queue.vhost, c.queue.name)}>${c.queue.name}</a>` },
      { title: 'Prefetch', numeric: true, cell: prefetch },
      { title: 'Unacked', numeric: true, cell: c => number(c.messages_unacknowledged) },
      { title: 'Acknowledges', cell: c => (c.ack_required ? 'yes' : 'no') },
      { title: 'State', cell: consumerState },
    ], consumers, { name: 'Consumers', empty: 'No consumers.' }), number(channel.consumer_count))}`;
}
