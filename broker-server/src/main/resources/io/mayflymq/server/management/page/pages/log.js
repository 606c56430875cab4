/* The last lines of a node's log, and those that come while the view is open. */

import { html } from '../lib/lit-html.js';
import { get, path, query } from '../api.js';
import { count } from '../format.js';
import { go, here, route } from '../router.js';
import { tabs } from './admin-tabs.js';

/** So many lines are kept and shown, the last ones. */
const MOST = 1000;

/** How urgent lines are, most urgent first. A line without a level belongs to the one before. */
const LEVELS = ['critical', 'error', 'warning', 'notice', 'info', 'debug'];

export const title = () => 'Log';

export async function load(page, options) {
  const { node: here } = await get('overview?columns=node', options);
  const nodes = (await get('nodes?columns=name,running', options)).filter(each => each.running).map(each => each.name);
  const node = nodes.includes(route.params.get('node')) ? route.params.get('node') : here;
  const before = page.state.log?.node === node ? page.state.log : undefined;
  const tail = await get(path`nodes/${node}/log` + query(before === undefined ? { lines: MOST } : { after: before.count }), options);
  const isRestarted = before !== undefined && tail.count < before.count;
  if (isRestarted) {
    page.state.log = undefined;
    return load(page, options);
  }
  page.state.log = { node, count: tail.count, lines: [...before?.lines ?? [], ...tail.lines].slice(-MOST) };
  return { nodes, ...page.state.log };
}

const levelOf = line => /\[(\w+)\]/.exec(line)?.[1] ?? '';

function wanted(lines) {
  const most = LEVELS.indexOf(route.params.get('level'));
  const text = (route.params.get('text') ?? '').toLowerCase();
  return lines.filter(line => (most < 0 || LEVELS.indexOf(levelOf(line)) <= most) && line.toLowerCase().includes(text));
}

const lineOf = line => html`<div class=${['warning', 'error', 'critical'].includes(levelOf(line)) ? 'urgent' : ''}>${line}</div>`;

export function view(page, { nodes, node, lines }) {
  const submit = event => {
    event.preventDefault();
    go(here(Object.fromEntries(new FormData(event.target))));
  };
  const given = name => route.params.get(name) ?? '';
  const shown = wanted(lines);
  return html`
    <div class="title"><h1>Log</h1><span class="faint">of node ${node}</span></div>
    ${tabs()}
    <form class="controls" role="search" @submit=${submit}>
      ${nodes.length < 2 ? '' : html`<label>Node <select name="node">${nodes.map(each => html`<option ?selected=${each === node}>${each}</option>`)}</select></label>`}
      <label>At least <select name="level"><option value="">all levels</option>${LEVELS.map(level => html`<option value=${level} ?selected=${level === given('level')}>${level}</option>`)}</select></label>
      <label>Text <input type="search" name="text" .defaultValue=${given('text')}></label>
      <button>Filter</button>
      <span class="spring"></span><span class="range">${count(shown.length, 'line')} of the last ${lines.length}</span>
    </form>
    ${shown.length === 0 ? html`<p class="empty">No such lines.</p>`
      : html`<pre class="log" tabindex="0" role="log" aria-label="Log">${shown.toReversed().map(lineOf)}</pre>`}
    <p class="hint">The latest line is first. The node keeps the last 1,000 lines in memory; the log itself may have more.</p>`;
}
