/* Federation: what its links do, and their restart. Upstreams are made as parameters. */

import { html } from '../lib/lit-html.js';
import { get, path, remove } from '../api.js';
import { badge, listControls, listQuery, table } from '../components.js';
import { number } from '../format.js';
import { selectedVhost, toExchange, toQueue } from '../router.js';
import { isPolicymaker } from '../session.js';
import { tabs } from './admin-tabs.js';

const FIELDS = [
  'id', 'type', 'vhost', 'exchange', 'queue', 'upstream', 'upstream_exchange', 'upstream_queue', 'uri', 'status', 'error', 'policy', 'forwarded',
  'node', 'timestamp',
];

export const title = () => 'Federation';

export async function load(page, options) {
  const vhost = selectedVhost();
  return get((vhost === null ? 'federation-links' : path`federation-links/${vhost}`) + listQuery(FIELDS), options);
}

const state = each => html`${badge(each.status)}
  ${each.error === undefined ? '' : html` since ${each.timestamp}: ${each.error}`}`;

const place = each => (each.type === 'queue'
  ? html`queue <a href=${toQueue(each.vhost, each.queue)}>${each.queue}</a>`
  : html`exchange <a href=${toExchange(each.vhost, each.exchange)}>${each.exchange}</a>`);

const upstream = each => html`${each.upstream}: ${each.type} ${each.upstream_queue ?? each.upstream_exchange}<br><code>${each.uri}</code>`;

function actions(page, each) {
  const where = path`federation-links/vhost/${each.vhost}/${each.id}/${each.node}/restart`;
  const restart = () => page.act(() => remove(where), `Link ${each.id} starts anew.`);
  return html`<button type="button" class="small" @click=${restart}>Restart</button>`;
}

export const view = (page, list) => html`
  <div class="title"><h1>Federation</h1></div>
  ${tabs()}
  ${listControls(list, 'link')}
  ${table([
    { title: 'Here', cell: place },
    selectedVhost() === null && { title: 'Virtual host', sort: 'vhost', secondary: true, cell: each => each.vhost },
    { title: 'Upstream', sort: 'upstream', cell: upstream },
    { title: 'State', sort: 'status', cell: state },
    { title: 'Policy', sort: 'policy', secondary: true, cell: each => each.policy },
    { title: 'Received', sort: 'forwarded', numeric: true, cell: each => number(each.forwarded) },
    { title: 'Node', secondary: true, cell: each => each.node },
    isPolicymaker() && { title: 'Actions', cell: each => actions(page, each) },
  ], list.items, { name: 'Links', sortable: true, empty: html`No links. Upstreams are made with <code>mayflyctl set_parameter federation-upstream</code>, and policies name them.` })}`;
