/* One exchange. */

import { html } from '../lib/lit-html.js';
import { get, path, query, remove } from '../api.js';
import { badge, card, facts, plot, rangeChoice, section } from '../components.js';
import { exchangeName, number, rate, value } from '../format.js';
import { sampleParameters } from '../history.js';
import { confirm } from '../notices.js';
import { exchangeInPath, go, link } from '../router.js';
import { may } from '../session.js';
import { bindForm, bindingsTable } from './bindings.js';
import { exchangeMarks } from './exchanges.js';
import { publishForm } from './publish.js';
import { effectivePart } from './queue-settings.js';

export const open = ['from', 'to'];

export const title = page => `Exchange ${page.parts[1]}`;

/** A default exchange in a busy virtual host has a binding for each queue; so many are shown. */
const MOST_BINDINGS = 200;

export async function load(page, options) {
  const [vhost, name] = page.parts;
  const root = path`exchanges/${vhost}/${name}`;
  const bindings = (id, end) => (page.isOpen(id)
    ? get(root + '/bindings/' + end + query({ page: 1, page_size: MOST_BINDINGS }), options)
    : undefined);
  const [exchange, from, to, effective] = await Promise.all([
    get(root + query(sampleParameters()), options),
    bindings('from', 'source'),
    bindings('to', 'destination'),
    page.isOpen('settings') ? get(root + '/effective', options) : undefined,
  ]);
  return { exchange, from, to, effective };
}

function deleteExchange(page, { vhost, name }) {
  return async () => {
    if (await confirm(`Delete exchange ${name}?`, `The exchange in virtual host ${vhost} is deleted with its bindings. Publishers to it get an error.`, 'Delete exchange')) {
      page.act(async () => {
        await remove(path`exchanges/${vhost}/${name}`);
        go(link(['exchanges']));
      }, `Exchange ${name} was deleted.`);
    }
  };
}

function bindingList(page, list, name) {
  return list === undefined ? '' : html`
    ${bindingsTable(page, list.items, name)}
    ${list.total_count > list.item_count ? html`<p class="hint">The first ${number(list.item_count)} of ${number(list.total_count)}.</p>` : ''}`;
}

export function view(page, { exchange, from, to, effective }) {
  const { vhost, name } = exchange;
  const inPath = exchangeInPath(name);
  const own = name === '' || name.startsWith('amq.');
  const stats = exchange.message_stats ?? {};
  return html`
    <div class="title">
      <h1>Exchange <span class="name">${exchangeName(name)}</span></h1>
      <span class="faint">in virtual host ${vhost}</span>
      <span class="spring"></span>${rangeChoice()}
      ${!own && may('configure', vhost, name) ? html`<button type="button" class="danger" @click=${deleteExchange(page, exchange)}>Delete …</button>` : ''}
    </div>
    <p class="marks">${badge(exchange.type)} ${exchangeMarks(exchange)}</p>
    <div class="columns">
      ${card('Rates', plot(`exchange.${vhost}.${name}`, 'Messages per second', [
        { label: 'in', object: stats, field: 'publish_in', isRate: true },
        { label: 'out', object: stats, field: 'publish_out', isRate: true },
      ], rate))}
      ${card('Exchange', facts([
        ['Type', exchange.type],
        ['Policy', exchange.policy],
        ['Came in', number(stats.publish_in ?? 0)],
        ['Went out', html`${number(stats.publish_out ?? 0)} <span class="faint">(one for each queue)</span>`],
        ...Object.entries(exchange.arguments).map(([key, any]) => [key, html`<code>${value(any)}</code>`]),
      ]))}
    </div>
    ${section(page, 'from', 'Bindings from this exchange', () => html`
      ${bindingList(page, from, 'Bindings from this exchange')}
      ${name !== '' && may('read', vhost, inPath) ? bindForm(page, { vhost, exchange: name }) : ''}`, from && number(from.total_count))}
    ${name === '' ? '' : section(page, 'to', 'Bindings to this exchange', () => bindingList(page, to, 'Bindings to this exchange'), to && number(to.total_count))}
    ${may('write', vhost, inPath) && !exchange.internal ? section(page, 'publish', 'Publish a message', () => publishForm(page, vhost, name)) : ''}
    ${section(page, 'settings', 'Effective settings', () => (effective === undefined ? '' : effectivePart(effective)), 'what holds, and which policy or argument says so')}`;
}
