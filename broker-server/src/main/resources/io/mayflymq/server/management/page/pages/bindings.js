/* Bindings of queues and exchanges. */

import { html } from '../lib/lit-html.js';
import { path, post, remove } from '../api.js';
import { argumentEditor, entered, fill } from '../arguments.js';
import { field, table } from '../components.js';
import { exchangeName } from '../format.js';
import { confirm } from '../notices.js';
import { exchangeInPath, toExchange, toQueue } from '../router.js';
import { may } from '../session.js';

/** A binding needs to write to its destination and to read from its source. */
const mayUnbind = each =>
  each.source !== '' && may('write', each.vhost, each.destination) && may('read', each.vhost, each.source);

function unbind(page, each) {
  return async () => {
    const kind = each.destination_type === 'queue' ? 'q' : 'e';
    if (await confirm(`Remove the binding from ${each.source} to ${each.destination}?`, `Messages with the routing key "${each.routing_key}" do not take this way any more.`, 'Remove binding')) {
      page.act(() => remove(path`bindings/${each.vhost}/e/${each.source}/${kind}/${each.destination}/${each.properties_key}`), 'The binding was removed.');
    }
  };
}

/** A table of bindings, with their removal. */
export const bindingsTable = (page, bindings, name) => table([
  { title: 'From', cell: b => html`<a href=${toExchange(b.vhost, b.source)}>${exchangeName(b.source)}</a>` },
  { title: 'To', cell: b => (b.destination_type === 'queue'
    ? html`<a href=${toQueue(b.vhost, b.destination)}>${b.destination}</a> <span class="faint">queue</span>`
    : html`<a href=${toExchange(b.vhost, b.destination)}>${b.destination}</a> <span class="faint">exchange</span>`) },
  { title: 'Routing key', cell: b => html`<code>${b.routing_key}</code>` },
  { title: 'Arguments', cell: b => (Object.keys(b.arguments).length === 0 ? '' : html`<code>${JSON.stringify(b.arguments)}</code>`) },
  { title: 'Actions', cell: b => (mayUnbind(b) ? html`<button type="button" class="small" @click=${unbind(page, b)}>Remove …</button>` : '') },
], bindings, { name, empty: 'No bindings.' });

const KNOWN = [
  { key: 'x-match', type: 'text', label: 'x-match', help: 'headers exchange: all, any, all-with-x or any-with-x' },
  { key: 'x-expires', type: 'number', label: 'lease', help: 'ms that the binding may be unused until it is removed' },
];

/**
 * The form that adds a binding.
 *
 * @param end the virtual host, and the queue or the exchange that the page is about
 */
export function bindForm(page, { vhost, queue, exchange }) {
  const submit = event => {
    event.preventDefault();
    const form = event.target;
    const { source, kind, destination, key } = Object.fromEntries(new FormData(form));
    const from = queue === undefined ? exchange : source;
    const to = queue ?? destination;
    page.act(async () => {
      await post(path`bindings/${vhost}/e/${exchangeInPath(from)}/${queue !== undefined ? 'q' : kind}/${to}`,
        { routing_key: key, arguments: entered(page, 'binding-arguments') });
      form.reset();
      fill(page, 'binding-arguments');
    }, `${exchangeName(from)} is bound to ${to}.`, form);
  };
  return html`
    <form class="form" @submit=${submit} aria-label="Add a binding">
      <h3>Add a binding</h3>
      ${queue !== undefined
        ? field('From exchange', html`<input name="source" required data-about="no exchange|access to exchange|default exchange|Not found|Not Found">`)
        : html`
          ${field('To', html`<select name="kind"><option value="q">queue</option><option value="e">exchange</option></select>`)}
          ${field('Name', html`<input name="destination" required data-about="Not found|Not Found">`)}`}
      ${field('Routing key', html`<input name="key">`)}
      ${argumentEditor(page, 'binding-arguments', 'Arguments', KNOWN)}
      <button class="primary">Add binding</button>
    </form>`;
}
