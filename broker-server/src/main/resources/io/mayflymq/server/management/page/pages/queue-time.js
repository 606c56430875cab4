/* When the messages of a queue expire, and which are scheduled for later. */

import { html } from '../lib/lit-html.js';
import { path, remove } from '../api.js';
import { bars, table } from '../components.js';
import { bytes, count, duration, exchangeName, number, time } from '../format.js';
import { confirm } from '../notices.js';

/**
 * Labels for steps, each from the end of the one before to its own; the last has no end. Empty ones at
 * the end are left out.
 *
 * @param atZero what the first step means, which ends at 0; it is left out if it is empty
 */
function steps(list, atZero) {
  const last = list.findLastIndex(step => step.messages > 0);
  return list.slice(0, last + 1)
    .map(({ up_to: end, messages }, i) => {
      const from = i === 0 ? 0 : list[i - 1].up_to;
      return {
        label: end === null ? `more than ${duration(from)}`
          : end === 0 ? atZero
          : from === 0 ? `up to ${duration(end)}` : `${duration(from)} – ${duration(end)}`,
        amount: messages,
      };
    })
    .filter(({ label, amount }) => label !== atZero || amount > 0);
}

/** Histograms of the time to the deadline and of the age, and what expires next. */
export function deadlinesPart(deadlines) {
  const expiring = deadlines.messages - deadlines.without_deadline;
  return html`
    <p>${count(deadlines.messages, 'ready message')}: ${number(expiring)} ${expiring === 1 ? 'has' : 'have'} a deadline, ${number(deadlines.without_deadline)} never ${deadlines.without_deadline === 1 ? 'expires' : 'expire'}.
      ${deadlines.truncated ? 'There are more; these are counted only.' : ''}</p>
    <div class="columns">
      <div><h3>Time to the deadline</h3>${bars('Messages by the time to their deadline', steps(deadlines.to_deadline, 'due now'), 'No message has a deadline.')}</div>
      <div><h3>Age</h3>${bars('Messages by age', steps(deadlines.age, 'just now'), 'No messages are ready.')}</div>
      <div><h3>Expires next</h3>${table([
        { title: 'Position', numeric: true, cell: m => number(m.position) },
        { title: 'Arrived', numeric: true, cell: m => time(m.enqueued_at) },
        { title: 'Expires', numeric: true, cell: m => time(m.deadline) },
        { title: 'In', numeric: true, cell: m => duration(Math.max(0, m.in)) },
        { title: 'TTL of', cell: m => m.origin },
      ], deadlines.next, { name: 'What expires next', empty: 'Nothing expires.' })}</div>
    </div>`;
}

/** Scheduled messages by due time, with their cancellation. */
export function scheduledPart(page, queue, scheduled) {
  if (scheduled === undefined) {
    return html`<p class="loading">Loading …</p>`;
  }
  const { vhost, name } = queue;
  const cancel = each => async () => {
    if (await confirm(`Cancel scheduled message ${each.message_id}?`, `All messages with this id that are scheduled for ${name} are removed. They are not dead-lettered.`, 'Cancel message')) {
      page.act(() => remove(path`queues/${vhost}/${name}/scheduled/${each.message_id}`), `Message ${each.message_id} was cancelled.`);
    }
  };
  const cancelAll = async () => {
    if (await confirm(`Cancel all scheduled messages of ${name}?`, `${count(queue.messages_scheduled, 'message')} are removed. They are not dead-lettered.`, 'Cancel all')) {
      page.act(() => remove(path`queues/${vhost}/${name}/scheduled`), 'All scheduled messages were cancelled.');
    }
  };
  const after = place => {
    page.state.scheduledAfter = place;
    page.refresh();
  };
  return html`
    ${table([
      { title: 'Message', cell: m => m.message_id ?? html`<span class="faint">no message id</span>` },
      { title: 'Due', numeric: true, cell: m => time(m.due_at) },
      { title: 'In', numeric: true, cell: m => duration(Math.max(0, m.due_at - Date.now())) },
      { title: 'Published', numeric: true, cell: m => time(m.enqueued_at) },
      { title: 'Size', numeric: true, cell: m => bytes(m.payload_bytes) },
      { title: 'Exchange', cell: m => exchangeName(m.exchange ?? '') },
      { title: 'Routing key', cell: m => html`<code>${m.routing_key}</code>` },
      { title: 'Actions', cell: m => (m.message_id === null ? '' : html`<button type="button" class="small" @click=${cancel(m)}>Cancel …</button>`) },
    ], scheduled.items, { name: 'Scheduled messages', empty: 'No scheduled messages.' })}
    <div class="buttons">
      ${page.state.scheduledAfter === undefined ? '' : html`<button type="button" @click=${() => after(undefined)}>First ones</button>`}
      ${scheduled.next === null ? '' : html`<button type="button" @click=${() => after(scheduled.next)}>Later ones</button>`}
      ${scheduled.items.length === 0 ? '' : html`<button type="button" class="danger" @click=${cancelAll}>Cancel all …</button>`}
    </div>`;
}
