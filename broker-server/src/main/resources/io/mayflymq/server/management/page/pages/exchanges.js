/* The list of exchanges. */

import { html } from '../lib/lit-html.js';
import { get, path, put } from '../api.js';
import { argumentEditor, entered, fill } from '../arguments.js';
import { columnChoice, fieldsOf, shown } from '../columns.js';
import { addButton, badge, field, listControls, listQuery, section, table } from '../components.js';
import { exchangeName, rateOf } from '../format.js';
import { selectedVhost, toExchange } from '../router.js';
import { mayDeclare, vhostChoice, vhostColumn } from './vhost-choice.js';

const rateColumn = (title, field) => ({
  title, numeric: true, sort: `message_stats.${field}_details.rate`, fields: [`message_stats.${field}_details`],
  cell: e => rateOf(e.message_stats, field),
});

const columns = () => [
  { title: 'Name', fixed: true, sort: 'name', fields: ['name', 'vhost'], cell: e => html`<a href=${toExchange(e.vhost, e.name)}>${exchangeName(e.name)}</a>` },
  vhostColumn(),
  { title: 'Type', sort: 'type', fields: ['type'], cell: e => e.type },
  { title: 'Features', fields: ['durable', 'auto_delete', 'internal', 'arguments', 'policy'], cell: exchangeMarks, secondary: true },
  rateColumn('In', 'publish_in'),
  rateColumn('Out', 'publish_out'),
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
    get((vhost === null ? 'exchanges' : path`exchanges/${vhost}`) + listQuery(fieldsOf('exchanges', columns())), options),
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
    }, `Exchange ${name} is there.`, event.target);
  };
  return html`
    <form class="form" @submit=${submit}>
      ${vhostChoice()}
      ${field('Name', html`<input name="name" required data-about="exchange name|reserved prefix|access to exchange|operation not permitted">`)}
      ${field('Type', html`<select name="type" data-about="exchange type">${types.map(each => html`<option title=${each.description}>${each.name}</option>`)}</select>`)}
      ${field('Durability', html`<select name="durable"><option value="yes">durable</option><option value="no">transient</option></select>`)}
      <label class="check"><input type="checkbox" name="auto_delete"> delete with its last binding</label>
      <label class="check"><input type="checkbox" name="internal"> internal: only for bindings from other exchanges</label>
      ${argumentEditor(page, 'new-exchange-arguments', 'Arguments', KNOWN)}
      <button class="primary">Add exchange</button>
    </form>`;
}

export function view(page, { list, types }) {
  return html`
    <div class="title"><h1>Exchanges</h1><span class="spring"></span>${mayDeclare() ? addButton(page, 'Add an exchange') : ''}</div>
    ${listControls(list, 'exchange', { columns: columnChoice(page, 'exchanges', columns()) })}
    ${table(shown('exchanges', columns()), list.items, { name: 'Exchanges', sortable: true, empty: 'No exchanges.' })}
    ${mayDeclare() ? section(page, 'add', 'Add an exchange', () => addForm(page, types)) : ''}`;
}
