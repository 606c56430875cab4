/* The node of a cluster that something is on. */

import { html } from '../lib/lit-html.js';

/** Whether the node of something is not there; a replicated queue may be without a leader, too. */
export const isDown = object => object.state === 'down' || object.state === 'minority';

/** How many nodes keep a replicated queue besides the one that leads it. */
const others = object => (object.members?.length > 1 ? html` <span class="faint" title=${'replicas on ' + object.members.join(', ')}>+${object.members.length - 1}</span>` : '');

/** The node of each queue, connection or channel, if they are on more than one, or on one that is down. */
export function nodeColumn(items) {
  const shown = new Set(items.map(each => each.node)).size > 1 || items.some(each => isDown(each) || each.members?.length > 1);
  return shown ? [{ title: 'Node', sort: 'node', cell: each => html`${each.node}${others(each)}${isDown(each) ? html` <strong>${each.state}</strong>` : ''}` }] : [];
}
