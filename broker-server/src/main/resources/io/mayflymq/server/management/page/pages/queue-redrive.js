/* Sending dead letters back, or moving messages to another queue. */

import { html } from '../lib/lit-html.js';
import { path, post, remove } from '../api.js';
import { facts, field } from '../components.js';
import { count, number, time } from '../format.js';
import { confirm } from '../notices.js';
import { REASONS } from './deaths-table.js';

export const SKIPPED = {
  not_wanted: 'not chosen by the filter',
  no_history: 'its headers do not say where it was dead-lettered',
  no_queue: 'its queue does not exist',
  no_exchange: 'its exchange does not exist',
  unroutable: 'the exchange has no queue for it',
  to_itself: 'it would come back to this queue',
  refused: 'the target queue is full and refuses it',
  forbidden: 'you may not publish to the exchange',
  unreadable: 'damaged on disk',
};

function report(words, each) {
  const amounts = object => Object.entries(object ?? {}).map(([key, amount]) => html`<div>${SKIPPED[key] ?? key}: ${number(amount)}</div>`);
  return html`
    <div class="report" role="status">
      <h3>${words}</h3>
      ${facts([
        ['State', each.reason ? `${each.state}: ${each.reason}` : each.state],
        ['Began', time(each.started_at)],
        ['Ended', each.ended_at ? time(each.ended_at) : undefined],
        ['Moved', html`${number(each.moved)}${amounts(each.moved_to)}`],
        ['Left here', html`${number(each.skipped)}${amounts(each.skipped_because)}`],
      ])}
    </div>`;
}

const running = redrive => redrive !== undefined && ['running', 'paused'].includes(redrive.state);

function wanted(form) {
  const { destination, to, reason, queue, id, limit, rate, keep } = Object.fromEntries(new FormData(form));
  const filter = Object.fromEntries(
    Object.entries({ reason, queue, message_id: id }).filter(([, value]) => value !== ''));
  return {
    ...(destination === 'queue' ? { to } : {}),
    ...(destination === 'original' ? { to_original: true } : {}),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
    ...(limit === '' ? {} : { limit: Number(limit) }),
    ...(rate === '' ? {} : { rate: Number(rate) }),
    ...(keep === undefined ? {} : { keep_deaths: true }),
  };
}

/** The form, its dry run, and the progress of the last redrive. */
export function redrivePart(page, queue, redrive) {
  const { vhost, name } = queue;
  const root = path`queues/${vhost}/${name}/redrive`;
  const submit = async event => {
    event.preventDefault();
    const body = wanted(event.target);
    if (event.submitter?.value === 'dry-run') {
      page.act(async () => {
        page.state.dryRun = await post(root + '/dry-run', body);
      }, '', event.target);
    } else if (await confirm(`Redrive ${name}?`, `Up to ${count(body.limit ?? queue.messages_ready, 'message')} leave this queue for ${body.to ?? (body.to_original ? 'the exchanges that they were published to' : 'the queues that they came from')}. A dry run says what would happen.`, 'Redrive')) {
      page.state.dryRun = undefined;
      page.act(() => post(root, body), 'The redrive has begun.', event.target);
    }
  };
  return html`
    ${redrive === undefined ? '' : html`${report('Last redrive', redrive)}
      ${running(redrive) ? html`<button type="button" @click=${() => page.act(() => remove(root), 'The redrive was stopped.')}>Stop</button>` : ''}`}
    <form class="form" @submit=${submit} aria-label="Redrive">
      ${field('Send to', html`<select name="destination" @change=${event => { page.state.moves = event.target.value === 'queue'; page.draw(); }}>
        <option value="source">the queues that they came from</option>
        <option value="original">the exchanges that they were published to</option>
        <option value="queue">another queue (move)</option></select>`)}
      ${page.state.moves ? field('Queue', html`<input name="to" required data-about="no queue">`) : ''}
      ${field('Only with reason', html`<select name="reason"><option value="">any</option>${REASONS.map(reason => html`<option>${reason}</option>`)}</select>`)}
      ${field('Only from queue', html`<input name="queue">`)}
      ${field('Only message id', html`<input name="id">`)}
      ${field('At most', html`<input name="limit" type="number" min="1">`, 'messages; empty for all')}
      ${field('Per second', html`<input name="rate" type="number" min="1">`, 'messages; empty for no limit')}
      <label class="check"><input type="checkbox" name="keep"> keep the death headers</label>
      <div class="buttons">
        <button value="dry-run">Dry run</button>
        <button value="go" class="primary" ?disabled=${running(redrive)}>Redrive …</button>
      </div>
    </form>
    ${page.state.dryRun === undefined ? '' : report('Dry run: this would happen', page.state.dryRun)}`;
}
