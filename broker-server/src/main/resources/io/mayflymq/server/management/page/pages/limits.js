/* Limits of virtual hosts and of users. */

import { html } from '../lib/lit-html.js';
import { get, getUnless, path, put, remove } from '../api.js';
import { card, field, table } from '../components.js';
import { number } from '../format.js';
import { confirm } from '../notices.js';
import { isAdministrator } from '../session.js';
import { tabs } from './admin-tabs.js';

export const title = () => 'Limits';

export async function load(page, options) {
  const [ofVhosts, ofUsers, vhosts, users] = await Promise.all([
    getUnless([401], 'vhost-limits', options),
    getUnless([401], 'user-limits', options),
    get('vhosts?columns=name', options),
    isAdministrator() ? get('users?columns=name', options) : [],
  ]);
  return { ofVhosts: ofVhosts ?? [], ofUsers: ofUsers ?? [], vhosts, users };
}

/** A table of limits and the form that sets one. */
function part(page, { root, kind, owner, rows, names, limits }) {
  const label = kind[0].toUpperCase() + kind.slice(1);
  const flat = rows.flatMap(each => Object.entries(each.value).map(([limit, value]) => ({ owner: each[owner], limit, value })));
  const clear = each => async () => {
    if (await confirm(`Remove the limit ${each.limit} of ${each.owner}?`, 'There is no limit then.', 'Remove limit')) {
      page.act(() => remove(path`${root}/${each.owner}/${each.limit}`), 'The limit was removed.');
    }
  };
  const submit = event => {
    event.preventDefault();
    const { name, limit, value } = Object.fromEntries(new FormData(event.target));
    page.act(() => put(path`${root}/${name}/${limit}`, { value: Number(value) }), `The limit of ${name} is set.`, event.target);
  };
  return card(`Limits of ${kind}s`, html`
    ${table([
      { title: label, cell: each => each.owner },
      { title: 'Limit', cell: each => each.limit },
      { title: 'Value', numeric: true, cell: each => (each.value < 0 ? 'none' : number(each.value)) },
      isAdministrator() && { title: 'Actions', cell: each => html`<button type="button" class="small" @click=${clear(each)}>Remove …</button>` },
    ], flat, { name: `Limits of ${kind}s`, empty: 'No limits.' })}
    ${!isAdministrator() ? '' : html`
      <form class="form" @submit=${submit} aria-label="Set a limit of a ${kind}">
        ${field(label, html`<select name="name">${names.map(each => html`<option>${each.name}</option>`)}</select>`)}
        ${field('Limit', html`<select name="limit">${limits.map(each => html`<option>${each}</option>`)}</select>`)}
        ${field('Value', html`<input name="value" data-about="limit" type="number" required>`, '0 allows none, but is no rate; -1 is no limit.')}
        <button class="primary">Set limit</button>
      </form>`}`);
}

export const view = (page, { ofVhosts, ofUsers, vhosts, users }) => html`
  <div class="title"><h1>Limits</h1></div>
  ${tabs()}
  ${part(page, { root: 'vhost-limits', kind: 'virtual host', owner: 'vhost', rows: ofVhosts, names: vhosts, limits: ['max-connections', 'max-queues', 'max-exchanges', 'max-bindings', 'max-metadata-bytes', 'publish-rate', 'publish-burst', 'delivery-rate', 'delivery-burst'] })}
  ${part(page, { root: 'user-limits', kind: 'user', owner: 'user', rows: ofUsers, names: users, limits: ['max-connections', 'max-channels', 'publish-rate', 'publish-burst', 'delivery-rate', 'delivery-burst'] })}`;
