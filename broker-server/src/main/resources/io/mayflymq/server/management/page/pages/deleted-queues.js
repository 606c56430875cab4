/* Deleted queues that can be brought back. */

import { html } from '../lib/lit-html.js';
import { get, path, post } from '../api.js';
import { section, table } from '../components.js';
import { bytes, count, number, time } from '../format.js';
import { confirm } from '../notices.js';
import { may } from '../session.js';
import { vhostColumn } from './vhost-choice.js';

/** Returns those of a virtual host, or of all if that is null. */
export const deletedQueues = (vhost, options) => get(vhost === null ? 'deleted-queues' : path`deleted-queues/${vhost}`, options);

function undelete(page, queue) {
  return async () => {
    const until = time(queue.recoverable_until);
    if (await confirm(`Bring queue ${queue.name} back?`, `It comes back with its bindings and ${count(queue.messages, 'message')} at most. That is possible until ${until}.`, 'Bring back')) {
      page.act(() => post(path`deleted-queues/${queue.vhost}/${queue.name}/undelete`, { id: queue.id }), `Queue ${queue.name} is back.`);
    }
  };
}

const mayUndelete = queue => may('configure', queue.vhost, queue.name) && may('write', queue.vhost, queue.name);

const columnsOf = page => [
  { title: 'Name', cell: q => q.name },
  vhostColumn(),
  { title: 'Type', secondary: true, cell: q => q.type },
  { title: 'Deleted', cell: q => time(q.deleted_at) },
  { title: 'By', cell: q => q.deleted_by },
  { title: 'Until', cell: q => time(q.recoverable_until) },
  { title: 'Messages', numeric: true, cell: q => number(q.messages) },
  { title: 'Bytes', numeric: true, cell: q => bytes(q.message_bytes) },
  { title: '', cell: q => (mayUndelete(q) ? html`<button @click=${undelete(page, q)}>Bring back …</button>` : '') },
];

/** The list, if there are any. */
export const deletedPart = (page, queues) => (queues.length === 0 ? '' : section(page, 'deleted', `Deleted queues (${queues.length})`, () =>
  table(columnsOf(page), queues, { name: 'Deleted queues', empty: 'No deleted queues.' })));
