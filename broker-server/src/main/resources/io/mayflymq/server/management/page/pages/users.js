/* The users of the broker. */

import { html } from '../lib/lit-html.js';
import { get, path, put, query } from '../api.js';
import { addButton, badge, field, section, table } from '../components.js';
import { link } from '../router.js';
import { tabs } from './admin-tabs.js';

const TAGS = ['administrator', 'monitoring', 'policymaker', 'management', 'impersonator'];

export const title = () => 'Users';

export async function load(page, options) {
  const [users, permissions] = await Promise.all([
    get('users' + query({ columns: 'name,tags,limits,password_hash' }), options),
    get('permissions' + query({ columns: 'user,vhost' }), options),
  ]);
  return { users, permissions };
}

/** The choice of tags, with what they allow. */
export const tagChoice = chosen => html`
  <fieldset class="arguments"><legend>Tags</legend>
    <div class="tags">${TAGS.map(tag => html`<label class="check"><input type="checkbox" name="tag" value=${tag} ?checked=${chosen.includes(tag)}> ${tag}</label>`)}</div>
    <p class="hint">administrator: everything. monitoring: sees everything. policymaker: sees own virtual hosts and sets their policies.
      management: sees own virtual hosts. Without one of these a user cannot use this page. impersonator: may publish with another user id.</p>
  </fieldset>`;

export function view(page, { users, permissions }) {
  const submit = event => {
    event.preventDefault();
    const form = new FormData(event.target);
    page.act(async () => {
      await put(path`users/${form.get('name')}`, { password: form.get('password'), tags: form.getAll('tag') });
      event.target.reset();
    }, `User ${form.get('name')} is there. Without permissions the user can use no virtual host.`, event.target);
  };
  const vhosts = user => permissions.filter(each => each.user === user.name).map(each => each.vhost);
  return html`
    <div class="title"><h1>Users</h1><span class="spring"></span>${addButton(page, 'Add a user')}</div>
    ${tabs()}
    ${table([
      { title: 'Name', cell: u => html`<a href=${link(['admin', 'users', u.name])}>${u.name}</a>` },
      { title: 'Tags', cell: u => (u.tags.length === 0 ? html`<span class="faint">none</span>` : u.tags.map(tag => badge(tag))) },
      { title: 'Can access', cell: u => (vhosts(u).length === 0 ? html`<strong>no virtual host</strong>` : vhosts(u).join(', ')) },
      { title: 'Password', cell: u => (u.password_hash ? 'yes' : html`<strong>none</strong>`) },
    ], users, { name: 'Users' })}
    ${section(page, 'add', 'Add a user', () => html`
      <form class="form" @submit=${submit}>
        ${field('Name', html`<input name="name" required autocomplete="off" data-about="user name|username">`)}
        ${field('Password', html`<input name="password" data-about="password" type="password" required autocomplete="new-password">`)}
        ${tagChoice(['management'])}
        <button class="primary">Add user</button>
      </form>`)}`;
}
