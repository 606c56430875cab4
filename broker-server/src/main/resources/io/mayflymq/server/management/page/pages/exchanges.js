/* The list of exchanges. */

import { html } from '../lib/lit-html.js';
import { get, path, put } from '../api.js';
import { argumentEditor, entered, fill } from '../arguments.js';
import { badge, field, listControls, listQuery, section, table } from '../components.js';
import { exchangeName, rateOf } from '../format.js';
import { selectedVhost, toExchange } from '../router.js';
import { mayDeclare, vhostChoice, vhostColumn } from './vhost-choice.js';

const COLUMNS = [
  'name', 'vhost', 'type', 'durable', 'auto_delete', 'internal', 'arguments', 'policy',
  'message_stats.publish_in_details', 'message_stats.publish_out_details',
];

const KNOWN = [
  { key: 'alternate-exchange', type: 'text', label: 'alternate exchange', help: 'where messages go that no binding takes' },
  { key: 'x-delayed-type', type: 'text', label: 'delayed type', help: 'x-delayed-message: the type whose rules it follows' },
  { key: 'x-expires', type: 'number', label: 'lease', help: 'ms that the exchange may be unused until it is deleted' },
  { key: 'hash-header', type: 'text', label: 'hash header', help: 'x-consistent-hash: the header instead of the routing key' },
];

export const title = () => 'Exchanges';

export async function load(page, options) {
  const vhost = selectedVhost();
  const [list, overview] = await Promise.all([
    get((vhost === null ? 'exchanges' : path`exchanges/${vhost}`) + listQuery(COLUMNS), options),
    page.state.types ?? get('overview?columns=exchange_types', options),
  ]);
  page.state.types = overview;
  return { list, types: overview.exchange_types };
}

/** Small marks for what is special about an exchange. */
export const exchangeMarks = each => html`
  ${each.durable ? badge('D', 'durable: survives a restart') : badge('transient', 'does not survive a restart')}
  ${each.auto_delete ? badge('AD', 'auto-delete: is deleted with its last binding') : ''}
  ${each.internal ? badge('internal', 'clients cannot publish to it') : ''}
  ${Object.entries(each.arguments ?? {}).map(([key, value]) => badge(key, `${key} = ${JSON.stringify(value)}`))}
  ${each.policy ? badge(each.policy, 'policy', 'soft') : ''}`;

function addForm(page, types) {
  const submit = event => {
    event.preventDefault();
    const form = new FormData(event.target);
    const { vhost, name, type, durable } = Object.fromEntries(form);
    page.act(async () => {
      await put(path`exchanges/${vhost}/${name}`, {
        type, durable: durable === 'yes', auto_delete: form.get('auto_delete') !== null,
        internal: form.get('internal') !== null, arguments: entered(page, 'new-exchange-arguments'),
      });
      event.target.reset();
      fill(page, 'new-exchange-arguments');
    }, `Exchange ${name} is there.`);
  };
  return html`
    <form class="form" @submit=${submit}>
      ${vhostChoice()}
      ${field('Name', html`<input name="name" required>`)}
      ${field('Type', html`<select name="type">${types.map(each => html`<option title=${each.description}>${each.name}</option>`)}</select>`)}
      ${field('Durability', html`<select name="durable"><option value="yes">durable</option><option value="no">transient</option></select>`)}
      <label class="check"><input type="checkbox" name="auto_delete"> delete with its last binding</label>
      <label class="check"><input type="checkbox" name="internal"> internal: only for bindings from other exchanges</label>
      ${argumentEditor(page, 'new-exchange-arguments', 'Arguments', KNOWN)}
      <button class="primary">Add exchange</button>
    </form>`;
}

export function view(page, { list, types }) {
  return html`
    <div class="title"><h1>Exchanges</h1></div>
    ${listControls(list, 'exchange')}
    ${table([
      { title: 'Name', sort: 'name', cell: e => html`<a href=${toExchange(e.vhost, e.name)}>${exchangeName(e.name)}</a>` },
      vhostColumn(),
      { title: 'Type', sort: 'type', cell: e => e.type },
      { title: 'Features', cell: exchangeMarks, secondary: true },
      { title: 'In', sort: 'message_stats.publish_in_details.rate', numeric: true, cell: e => rateOf(e.message_stats, 'publish_in') },
      { title: 'Out', sort: 'message_stats.publish_out_details.rate', numeric: true, cell: e => rateOf(e.message_stats, 'publish_out') },
    ], list.items, { name: 'Exchanges', sortable: true, empty: 'No exchanges.' })}
    ${mayDeclare() ? section(page, 'add', 'Add an exchange', () => addForm(page, types)) : ''}`;
}
