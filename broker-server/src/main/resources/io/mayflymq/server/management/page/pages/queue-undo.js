/* Bringing messages back that have left a queue. */

import { html } from '../lib/lit-html.js';
import { path, post } from '../api.js';
import { facts, field } from '../components.js';
import { bytes, count, number } from '../format.js';
import { confirm } from '../notices.js';

const REASONS = {
  purged: 'were purged',
  expired: 'have expired',
  maxlen: 'were over a length limit',
  rejected: 'were rejected',
  delivery_limit: 'were returned too often',
  acked: 'were acknowledged',
  deleted: 'left at a deletion',
};

function report(words, each) {
  return html`
    <div class="report" role="status">
      <h3>${words}</h3>
      ${facts([
        ['Messages', number(each.restored ?? each.would_be_restored)],
        ...Object.entries(each.reasons).map(([reason, amount]) => [`that ${REASONS[reason] ?? reason}`, number(amount)]),
        ['Left, as their time is over', each.expired > 0 ? number(each.expired) : undefined],
        ['Left, as they cannot be read', each.unreadable > 0 ? number(each.unreadable) : undefined],
      ])}
    </div>`;
}

function wanted(form) {
  const { reason, minutes, leave } = Object.fromEntries(new FormData(form));
  return {
    ...(reason === '' ? {} : { reasons: [reason] }),
    ...(minutes === '' ? {} : { since: Date.now() - Math.round(Number(minutes) * 60_000) }),
    ...(leave === undefined ? {} : { expired: 'leave' }),
  };
}

/** What can be brought back, the form, and what it has done or would do. */
export function undoPart(page, queue) {
  const { vhost, name } = queue;
  const root = path`queues/${vhost}/${name}/restore`;
  const submit = async event => {
    event.preventDefault();
    const body = wanted(event.target);
    if (event.submitter?.value === 'dry-run') {
      page.act(async () => {
        page.state.restored = { words: 'Dry run: this would come back', report: await post(root + '/dry-run', body) };
      }, '', event.target);
    } else if (await confirm(`Bring messages back to ${name}?`, `Up to ${count(queue.recoverable_messages, 'message')} that have left the queue come back to their places. A dry run says how many.`, 'Bring back')) {
      page.act(async () => {
        page.state.restored = { words: 'Came back', report: await post(root, body) };
      }, 'Messages were brought back.', event.target);
    }
  };
  const { restored } = page.state;
  return html`
    <p>${count(queue.recoverable_messages, 'message')} (${bytes(queue.recoverable_bytes)}) can be brought back.
    ${queue.recoverable_messages === 0 ? html`The policy key <code>recoverable</code> says for how long.` : ''}</p>
    <form class="form" @submit=${submit} aria-label="Undo">
      ${field('Those that', html`<select name="reason"><option value="">have left for any reason</option>${Object.entries(REASONS).map(([word, words]) => html`<option value=${word}>${words}</option>`)}</select>`)}
      ${field('In the last', html`<input name="minutes" type="number" min="0" step="any">`, 'minutes; empty for all')}
      <label class="check"><input type="checkbox" name="leave"> leave those whose time is over</label>
      <div class="buttons">
        <button value="dry-run">Dry run</button>
        <button value="go" class="primary">Bring back …</button>
      </div>
    </form>
    ${restored === undefined ? '' : report(restored.words, restored.report)}`;
}
