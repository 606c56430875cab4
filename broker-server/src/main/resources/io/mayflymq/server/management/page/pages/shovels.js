/* Shovels: what they do, and their end and restart. They are made as parameters. */

import { html } from '../lib/lit-html.js';
import { get, path, remove } from '../api.js';
import { badge, listControls, listQuery, table } from '../components.js';
import { number } from '../format.js';
import { confirm } from '../notices.js';
import { selectedVhost, toQueue } from '../router.js';
import { isPolicymaker } from '../session.js';
import { tabs } from './admin-tabs.js';

const FIELDS = [
  'name', 'vhost', 'state', 'reason', 'blocked_status', 'src_uri', 'src_queue', 'src_exchange', 'src_exchange_key', 'dest_uri', 'dest_queue',
  'dest_exchange', 'dest_exchange_key', 'forwarded', 'pending', 'remaining', 'node', 'timestamp',
];

export const title = () => 'Shovels';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'shovels' : path`shovels/${vhost}`) + listQuery(FIELDS), options);
}

const state = each => html`${badge(each.blocked_status === 'blocked' ? 'blocked' : each.state)}
  ${each.reason === undefined ? '' : html` since ${each.timestamp}: ${each.reason}`}`;

/** An end of a shovel: the broker, and what is there. */
function end(each, side) {
  const queue = each[`${side}_queue`];
  const exchange = each[`${side}_exchange`];
  const key = each[`${side}_exchange_key`];
  const place = queue !== undefined ? html`queue ${queue}`
    : exchange !== undefined ? html`exchange ${exchange}${key === undefined ? '' : html`, key ${key}`}`
      : 'exchange and key of each message';
  return html`${place}<br><code>${each[`${side}_uri`]}</code>`;
}

/** A queue of this broker and of the shovel's virtual host can be looked at. */
const source = each => (each.src_queue !== undefined && each.src_uri === 'amqp://' && each.vhost === '/'
  ? html`queue <a href=${toQueue('/', each.src_queue)}>${each.src_queue}</a><br><code>amqp://</code>` : end(each, 'src'));

function actions(page, each) {
  const where = path`shovels/vhost/${each.vhost}/${each.name}`;
  const restart = () => page.act(() => remove(`${where}/restart`), `Shovel ${each.name} starts anew.`);
  const destroy = async () => {
    if (await confirm(`Delete shovel ${each.name}?`, 'Messages that are not moved yet stay where they are.', 'Delete shovel')) {
      page.act(() => remove(where), `Shovel ${each.name} was deleted.`);
    }
  };
  return html`<button type="button" class="small" @click=${restart}>Restart</button>
    <button type="button" class="small danger" @click=${destroy}>Delete …</button>`;
}

export const view = (page, list) => html`
  <div class="title"><h1>Shovels</h1></div>
  ${tabs()}
  ${listControls(list, 'shovel')}
  ${table([
    { title: 'Name', sort: 'name', cell: each => each.name },
    selectedVhost() === null && { title: 'Virtual host', sort: 'vhost', secondary: true, cell: each => each.vhost },
    { title: 'State', sort: 'state', cell: state },
    { title: 'From', cell: source },
    { title: 'To', cell: each => end(each, 'dest') },
    { title: 'Moved', sort: 'forwarded', numeric: true, cell: each => number(each.forwarded) },
    { title: 'On the way', sort: 'pending', numeric: true, cell: each => number(each.pending) },
    { title: 'Left', numeric: true, cell: each => (each.remaining === 'unlimited' ? '–' : number(each.remaining)) },
    { title: 'Node', secondary: true, cell: each => each.node },
    isPolicymaker() && { title: 'Actions', cell: each => actions(page, each) },
  ], list.items, { name: 'Shovels', sortable: true, empty: html`No shovels. They are made with <code>mayflyctl set_parameter shovel</code>.` })}`;
