/* One user: permissions, tags, password, deletion. */

import { html } from '../lib/lit-html.js';
import { get, path, put, remove } from '../api.js';
import { badge, card, facts, field, section, table } from '../components.js';
import { confirm } from '../notices.js';
import { go, link } from '../router.js';
import { userName } from '../session.js';
import { tabs } from './admin-tabs.js';
import { tagChoice } from './users.js';

export const open = ['permissions'];

const nameOf = page => page.parts[1];

export const title = page => `User ${nameOf(page)}`;

export async function load(page, options) {
  const name = nameOf(page);
  const [user, permissions, topics, vhosts] = await Promise.all([
    get(path`users/${name}`, options),
    get(path`users/${name}/permissions`, options),
    get(path`users/${name}/topic-permissions`, options),
    get('vhosts?columns=name', options),
  ]);
  return { user, permissions, topics, vhosts };
}

function permissionsPart(page, { user, permissions, topics, vhosts }) {
  const { name } = user;
  const clear = each => async () => {
    if (await confirm(`Remove the permissions of ${name} in ${each.vhost}?`, 'The user cannot use this virtual host any more.', 'Remove permissions')) {
      page.act(() => remove(path`permissions/${each.vhost}/${name}`), 'The permissions were removed.');
    }
  };
  const set = event => {
    event.preventDefault();
    const { vhost, configure, write, read } = Object.fromEntries(new FormData(event.target));
    page.act(() => put(path`permissions/${vhost}/${name}`, { configure, write, read }), `The permissions in ${vhost} are set.`, event.target);
  };
  const setTopic = event => {
    event.preventDefault();
    const { vhost, exchange, write, read } = Object.fromEntries(new FormData(event.target));
    page.act(() => put(path`topic-permissions/${vhost}/${name}`, { exchange, write, read }), `The topic permissions in ${vhost} are set.`, event.target);
  };
  const clearTopics = each => async () => {
    if (await confirm(`Remove the topic permissions of ${name} in ${each.vhost}?`, 'All routing keys are allowed then.', 'Remove topic permissions')) {
      page.act(() => remove(path`topic-permissions/${each.vhost}/${name}`), 'The topic permissions were removed.');
    }
  };
  const hosts = html`<select name="vhost">${vhosts.map(each => html`<option value=${each.name}>${each.name}</option>`)}</select>`;
  const code = pattern => html`<code>${pattern}</code>`;
  return html`
    ${table([
      { title: 'Virtual host', cell: p => p.vhost },
      { title: 'Configure', cell: p => code(p.configure) },
      { title: 'Write', cell: p => code(p.write) },
      { title: 'Read', cell: p => code(p.read) },
      { title: 'Actions', cell: p => html`<button type="button" class="small" @click=${clear(p)}>Remove …</button>` },
    ], permissions, { name: 'Permissions', empty: 'No permissions: the user can use no virtual host.' })}
    <form class="form" @submit=${set} aria-label="Set permissions">
      <h3>Set permissions</h3>
      ${field('Virtual host', hosts)}
      ${field('Configure', html`<input name="configure" data-about="configure " value=".*">`, 'Regular expressions over names of queues and exchanges; empty allows nothing.')}
      ${field('Write', html`<input name="write" data-about="write " value=".*">`)}
      ${field('Read', html`<input name="read" data-about="read " value=".*">`)}
      <button class="primary">Set permissions</button>
    </form>
    <h3>Topic permissions</h3>
    ${table([
      { title: 'Virtual host', cell: p => p.vhost },
      { title: 'Exchange', cell: p => p.exchange },
      { title: 'Write', cell: p => code(p.write) },
      { title: 'Read', cell: p => code(p.read) },
      { title: 'Actions', cell: p => html`<button type="button" class="small" @click=${clearTopics(p)}>Remove …</button>` },
    ], topics, { name: 'Topic permissions', empty: 'None: all routing keys are allowed.' })}
    <form class="form" @submit=${setTopic} aria-label="Set topic permissions">
      ${field('Virtual host', hosts)}
      ${field('Topic exchange', html`<input name="exchange" required>`)}
      ${field('Write routing keys', html`<input name="write" data-about="write " value=".*">`)}
      ${field('Read routing keys', html`<input name="read" data-about="read " value=".*">`)}
      <button>Set topic permissions</button>
    </form>`;
}

export function view(page, data) {
  const { user, permissions } = data;
  const change = event => {
    event.preventDefault();
    const form = new FormData(event.target);
    const secret = form.get('password') !== ''
      ? { password: form.get('password') }
      : { password_hash: user.password_hash, hashing_algorithm: user.hashing_algorithm };
    page.act(async () => {
      await put(path`users/${user.name}`, { tags: form.getAll('tag'), ...secret });
      event.target.querySelector('[type=password]').value = '';
    }, form.get('password') === '' ? 'The tags are set.' : 'The user is changed. Sessions with the old password have ended.', event.target);
  };
  const destroy = async () => {
    if (await confirm(`Delete user ${user.name}?`, 'The user cannot log in any more. Its permissions are deleted too.', 'Delete user')) {
      page.act(async () => {
        await remove(path`users/${user.name}`);
        go(link(['admin', 'users']));
      }, `User ${user.name} was deleted.`);
    }
  };
  return html`
    <div class="title"><h1>User <span class="name">${user.name}</span></h1><span class="spring"></span>
      ${user.name === userName() ? '' : html`<button type="button" class="danger" @click=${destroy}>Delete …</button>`}</div>
    ${tabs()}
    ${permissions.length === 0 ? html`<p class="trouble">This user has no permissions and can use no virtual host.</p>` : ''}
    ${card('User', facts([
      ['Tags', user.tags.length === 0 ? 'none' : user.tags.map(tag => badge(tag))],
      ['Password', user.password_hash ? 'is set' : 'none: the user cannot log in with one'],
      ...Object.entries(user.limits ?? {}),
    ]))}
    ${section(page, 'permissions', 'Permissions', () => permissionsPart(page, data))}
    ${section(page, 'change', 'Change tags or password', () => html`
      <form class="form" @submit=${change}>
        ${field('New password', html`<input name="password" data-about="password" type="password" autocomplete="new-password">`, 'Empty: the password stays.')}
        ${tagChoice(user.tags)}
        <button class="primary">Change user</button>
      </form>`)}`;
}
