/* The virtual hosts. */

import { html } from '../lib/lit-html.js';
import { get, path, put, remove } from '../api.js';
import { addButton, badge, field, listControls, listQuery, section, table } from '../components.js';
import { count, number, rateOf } from '../format.js';
import { confirm } from '../notices.js';
import { link } from '../router.js';
import { changed, isAdministrator } from '../session.js';
import { tabs } from './admin-tabs.js';

const COLUMNS = [
  'name', 'description', 'tags', 'default_queue_type', 'messages', 'messages_ready', 'messages_unacknowledged', 'message_stats.publish_details',
  'message_stats.deliver_get_details',
];

export const title = () => 'Virtual hosts';

export const load = (page, options) => get('vhosts' + listQuery(COLUMNS), options);

function destroy(page, each) {
  return async () => {
    if (await confirm(`Delete virtual host ${each.name}?`, `All of its queues with ${count(each.messages ?? 0, 'message')}, its exchanges, policies and permissions are deleted, and its connections are closed.`, 'Delete virtual host')) {
      page.act(async () => {
        await remove(path`vhosts/${each.name}`);
        await changed();
      }, `Virtual host ${each.name} was deleted.`);
    }
  };
}

export function view(page, list) {
  const submit = event => {
    event.preventDefault();
    const { name, description, tags, type } = Object.fromEntries(new FormData(event.target));
    page.act(async () => {
      await put(path`vhosts/${name}`, { description, tags, ...(type === '' ? {} : { default_queue_type: type }) });
      event.target.reset();
      await changed();
    }, `Virtual host ${name} is there.`, event.target);
  };
  return html`
    <div class="title"><h1>Virtual hosts</h1><span class="spring"></span>${isAdministrator() ? addButton(page, 'Add a virtual host') : ''}</div>
    ${tabs()}
    ${listControls(list, 'virtual host')}
    ${table([
      { title: 'Name', sort: 'name', cell: v => html`<a href=${link(['queues'], { vhost: v.name })}>${v.name}</a>` },
      { title: 'Description', cell: v => v.description },
      { title: 'Tags', cell: v => (v.tags ?? []).map(tag => badge(tag)) },
      { title: 'Default type', cell: v => (v.default_queue_type === 'undefined' ? 'classic' : v.default_queue_type) },
      { title: 'Ready', sort: 'messages_ready', numeric: true, cell: v => number(v.messages_ready) },
      { title: 'Unacked', sort: 'messages_unacknowledged', numeric: true, cell: v => number(v.messages_unacknowledged) },
      { title: 'In', sort: 'message_stats.publish_details.rate', numeric: true, cell: v => rateOf(v.message_stats, 'publish') },
      { title: 'Out', sort: 'message_stats.deliver_get_details.rate', numeric: true, cell: v => rateOf(v.message_stats, 'deliver_get') },
      isAdministrator() && { title: 'Actions', cell: v => html`<button type="button" class="small danger" @click=${destroy(page, v)}>Delete …</button>` },
    ], list.items, { name: 'Virtual hosts', sortable: true })}
    ${!isAdministrator() ? '' : section(page, 'add', 'Add a virtual host', () => html`
      <form class="form" @submit=${submit}>
        ${field('Name', html`<input name="name" required data-about="name">`)}
        ${field('Description', html`<input name="description">`)}
        ${field('Tags', html`<input name="tags">`, 'Separated by commas.')}
        ${field('Default queue type', html`<select name="type" data-about="queue type|default_queue_type"><option value="">classic</option><option>quorum</option><option>stream</option></select>`, 'Of queues that are declared without one.')}
        <button class="primary">Add virtual host</button>
      </form>`)}`;
}
