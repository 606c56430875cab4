/* The death journal: messages that were dropped or dead-lettered, and what decided it. */

import { html } from '../lib/lit-html.js';
import { table } from '../components.js';
import { duration, exchangeName, time } from '../format.js';
import { toQueue } from '../router.js';

export const REASONS = ['expired', 'rejected', 'maxlen', 'delivery_limit', 'queue_expired', 'queue_deleted'];

/** Also what operators have done to single messages. */
const LISTED = [...REASONS, 'deleted', 'moved'];

const FATES = {
  dead_lettered: 'dead-lettered', waiting: 'waits for a queue that takes it', refused: 'dropped: every queue refused it',
  no_exchange: 'dropped: no dead letter exchange', reason_excluded: 'dropped: not dead-lettered for this reason',
  exchange_missing: 'dropped: the dead letter exchange does not exist', unroutable: 'dropped: no queue for it',
  cycle: 'dropped: it would go round in a cycle', unreadable: 'dropped: damaged on disk',
  deleted: 'deleted', moved: 'moved',
};

/** The choice of a reason, and the table. With withQueue it names the queue of each death. */
export function deathsTable(page, deaths, withQueue = false) {
  const choose = event => {
    page.state.deathReason = event.target.value;
    page.refresh();
  };
  return html`
    ${withQueue ? '' : html`<form class="controls"><label>Reason <select @change=${choose}>
      <option value="">all</option>
      ${LISTED.map(reason => html`<option ?selected=${page.state.deathReason === reason}>${reason}</option>`)}
    </select></label></form>`}
    ${table([
      { title: 'Time', numeric: true, cell: d => time(d.time) },
      withQueue && { title: 'Queue', cell: d => html`<a href=${toQueue(d.vhost, d.queue)}>${d.queue}</a>` },
      { title: 'Message', cell: d => d.message_id ?? html`<span class="faint">–</span>` },
      { title: 'Reason', cell: d => d.reason },
      { title: 'Decided by', cell: d => (d.by === null ? html`<code>${d.decided_by}</code>` : html`user ${d.by}`) },
      { title: 'Late by', numeric: true, cell: d => duration(d.lateness_ms) },
      { title: 'What became of it', cell: d => FATES[d.fate] ?? d.fate },
      { title: 'Went to', cell: d => (d.dead_letter_queues ?? []).map((queue, i) => html`${i > 0 ? ', ' : ''}<a href=${toQueue(d.vhost, queue)}>${queue}</a>`) },
      { title: 'Published to', cell: d => (d.exchange === null ? '–' : html`${exchangeName(d.exchange)} <code>${d.routing_key}</code>`) },
    ], deaths, { name: 'Death journal', empty: 'No deaths are recorded.' })}`;
}
