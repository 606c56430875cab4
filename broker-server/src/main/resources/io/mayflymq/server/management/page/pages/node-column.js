/* The node of a cluster that something is on. */

import { html } from '../lib/lit-html.js';

/** The node of each queue, connection or channel, if they are on more than one, or on one that is down. */
export function nodeColumn(items) {
  const shown = new Set(items.map(each => each.node)).size > 1 || items.some(each => each.state === 'down');
  return shown ? [{ title: 'Node', sort: 'node', cell: each => html`${each.node}${each.state === 'down' ? html` <strong>down</strong>` : ''}` }] : [];
}
