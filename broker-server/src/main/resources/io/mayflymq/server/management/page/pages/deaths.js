/* The death journal of all queues. */

import { html } from '../lib/lit-html.js';
import { get, path, query } from '../api.js';
import { count } from '../format.js';
import { go, here, route, selectedVhost } from '../router.js';
import { REASONS, deathsTable } from './deaths-table.js';

const MOST = 100;

export const title = () => 'Death journal';

export async function load(page, options) {
  const vhost = selectedVhost();
  const given = name => route.params.get(name) ?? undefined;
  return get((vhost === null ? 'deaths' : path`deaths/${vhost}`)
    + query({ limit: MOST, queue: given('queue'), reason: given('reason'), message_id: given('message') }), options);
}

export function view(page, deaths) {
  const submit = event => {
    event.preventDefault();
    go(here(Object.fromEntries(new FormData(event.target))));
  };
  const given = name => route.params.get(name) ?? '';
  return html`
    <div class="title"><h1>Death journal</h1></div>
    <p>The last messages that expired, were rejected, were returned too often, exceeded a limit or were lost with their queue: the reason, the setting that decided it, and what became of them.</p>
    <form class="controls" role="search" @submit=${submit}>
      <label>Queue <input name="queue" .defaultValue=${given('queue')}></label>
      <label>Reason <select name="reason"><option value="">any</option>${REASONS.map(reason => html`<option ?selected=${given('reason') === reason}>${reason}</option>`)}</select></label>
      <label>Message id <input name="message" .defaultValue=${given('message')}></label>
      <button>Filter</button>
      <span class="spring"></span><span class="range">${deaths.length === MOST ? `the last ${MOST}` : count(deaths.length, 'death')}</span>
    </form>
    ${deathsTable(page, deaths, true)}`;
}
