/* Export and import of all definitions, and what can go wrong with them. */

import { html } from '../lib/lit-html.js';
import { get, path, post, query } from '../api.js';
import { card, field, table } from '../components.js';
import { number } from '../format.js';
import { showError } from '../forms.js';
import { confirm } from '../notices.js';
import { selectedVhost } from '../router.js';
import { tabs } from './admin-tabs.js';

export const title = () => 'Definitions';

export const load = async () => ({});

/** How many findings are shown. */
const MOST = 200;

/** What was found in them, which is looked for when it is asked. */
function findings(page, where) {
  const look = () => page.act(async () => {
    page.state.found = { where, findings: await get(where) };
  });
  const found = page.state.found?.where === where ? page.state.found.findings : undefined;
  return html`
    <p><button type="button" @click=${look}>Look</button></p>
    ${found === undefined ? '' : table([
      { title: 'Level', cell: f => f.level },
      { title: 'Of', cell: f => f.object },
      { title: 'What can go wrong', cell: f => f.message },
      { title: 'Rule', cell: f => html`<code>${f.rule}</code>` },
    ], found.slice(0, MOST), { name: 'What can go wrong', empty: 'Nothing was found.' })}
    ${found !== undefined && found.length > MOST ? html`<p class="hint">The first ${MOST} of ${number(found.length)}. The others are told by mayflyctl lint, or GET ${where} of the API.</p>` : ''}`;
}

export function view(page) {
  const vhost = selectedVhost();
  const where = vhost === null ? 'definitions' : path`definitions/${vhost}`;
  const whole = vhost === null ? 'the whole broker' : `virtual host ${vhost}`;
  const submit = async event => {
    event.preventDefault();
    const file = new FormData(event.target).get('file');
    if (!(file instanceof File) || file.size === 0) {
      showError(event.target, 'Choose a file with definitions first.');
      return;
    }
    if (await confirm(`Import ${file.name} into ${whole}?`, 'What the file defines is added, or replaces what has the same name. Nothing is deleted.', 'Import')) {
      page.act(() => post(where, file), `${file.name} was imported.`, event.target);
    }
  };
  return html`
    <div class="title"><h1>Definitions</h1></div>
    ${tabs()}
    <p>Definitions are all users, virtual hosts, permissions, policies, exchanges, queues and bindings, without messages, in RabbitMQ's format.
      ${vhost === null ? 'Select a virtual host at the top for its own ones only.' : ''}</p>
    <div class="columns">
      ${card(`Export ${whole}`, html`<p><a class="button" href=${'api/' + where + query({ download: 'definitions.json' })} download="definitions.json">Download definitions.json</a></p>`)}
      ${card(`Import into ${whole}`, html`
        <form class="form" @submit=${submit}>
          ${field('File', html`<input name="file" data-about="file|JSON" type="file" accept=".json,application/json">`)}
          <button class="primary">Import …</button>
        </form>`)}
    </div>
    ${card('What can go wrong', findings(page, vhost === null ? 'lint' : path`lint/${vhost}`), 'lint')}`;
}
