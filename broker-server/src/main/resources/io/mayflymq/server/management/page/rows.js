/* Choosing several rows of a list, and doing something to all of them. */

import { html } from './lib/lit-html.js';
import { count } from './format.js';
import { clearFailures, confirm, notify } from './notices.js';

/** How many requests are under way at once. */
const AT_ONCE = 4;

/** How many names a question has. */
const MOST_NAMES = 10;

/**
 * Lets the user choose rows of the list that a page shows. Rows that are gone are not chosen any more.
 *
 * @param key tells rows apart
 * @param label says which row it is
 * @param may whether the user may do anything to a row
 */
export function rowChoice(page, rows, { key, label, may = () => true }) {
  const usable = rows.filter(may);
  const keys = new Set(usable.map(key));
  const chosen = page.state.chosen = new Set([...page.state.chosen ?? []].filter(each => keys.has(each)));
  const set = (row, on) => {
    on ? chosen.add(key(row)) : chosen.delete(key(row));
    page.draw();
  };
  const setAll = on => {
    usable.forEach(row => (on ? chosen.add(key(row)) : chosen.delete(key(row))));
    page.draw();
  };
  return {
    rows: usable.filter(row => chosen.has(key(row))),
    head: html`<th scope="col" class="choice"><input type="checkbox" aria-label="Choose all of this page"
        .checked=${usable.length > 0 && chosen.size === usable.length} .indeterminate=${chosen.size > 0 && chosen.size < usable.length}
        ?disabled=${usable.length === 0} @change=${event => setAll(event.target.checked)}></th>`,
    cell: row => html`<td class="choice"><input type="checkbox" aria-label="Choose ${label(row)}" .checked=${chosen.has(key(row))}
        ?disabled=${!may(row)} @change=${event => set(row, event.target.checked)}></td>`,
    clear: () => setAll(false),
  };
}

/** Names things in a question: all of them, or the first ones and how many more there are. */
export const names = (rows, label) => rows.slice(0, MOST_NAMES).map(label).join(', ')
  + (rows.length > MOST_NAMES ? ` and ${rows.length - MOST_NAMES} more` : '');

/**
 * Asks, does something to each of several rows, and reports how it went. What fails does not keep the
 * others from being done.
 *
 * @param question title, text and action, as for confirm
 * @param act does it to a row; returns a promise
 * @param things what one row is and what several are, such as ['queue', 'queues']
 * @param done what was done to them, such as 'purged'
 */
export async function actOnRows(page, rows, { question, act, label, things, done }) {
  if (!await confirm(question.title, question.text, question.action)) {
    return;
  }
  const failed = [];
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      try {
        await act(row);
      } catch (e) {
        failed.push({ row, e });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearFailures();
  const succeeded = rows.length - failed.length;
  if (succeeded > 0) {
    notify(`${count(succeeded, ...things)} ${succeeded === 1 ? 'was' : 'were'} ${done}.`);
  }
  if (failed.length > 0) {
    const [first] = failed;
    notify(`${count(failed.length, ...things)} ${failed.length === 1 ? 'was' : 'were'} not ${done}. ${label(first.row)}: ${first.e.message}`,
      'bad', failed.every(({ e }) => e.status === 0));
  }
  await page.refresh();
}

/**
 * The bar with what can be done to the chosen rows; empty without any.
 *
 * @param buttons each with a label, the rows that it is for, and what it does
 */
export const chosenBar = (choice, buttons) => (choice.rows.length === 0 ? '' : html`
  <div class="chosen" role="toolbar" aria-label="Chosen rows">
    <span>${choice.rows.length} chosen</span>
    ${buttons.map(({ label, rows, act }) => html`
      <button type="button" class="danger" ?disabled=${rows.length === 0} @click=${act}>${label} ${rows.length === choice.rows.length ? '' : `${rows.length} of them `}…</button>`)}
    <button type="button" class="small" @click=${choice.clear}>Choose none</button>
  </div>`);
