/*
 * Which columns a list has: what was chosen in this browser, or the usual ones. A list requests only the
 * fields of the columns that it shows.
 */

import { html } from './lib/lit-html.js';

const KEY = 'mayfly.columns';

/** What was chosen, by list and title: true or false. Without a storage all is as usual. */
function chosen() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function choose(list, title, shown) {
  const all = chosen();
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...all, [list]: { ...all[list], [title]: shown } }));
  } catch {
    // The browser keeps nothing.
  }
}

function forget(list) {
  const { [list]: _, ...others } = chosen();
  try {
    localStorage.setItem(KEY, JSON.stringify(others));
  } catch {
    // The browser keeps nothing.
  }
}

const all = columns => columns.filter(Boolean);

/**
 * Returns the columns that are shown. One that was chosen is also shown on a phone.
 *
 * @param list the name of the list
 * @param columns those of components.js; also with optional: not shown unless it is chosen; and fixed:
 *     always shown
 */
export function shown(list, columns) {
  const ofList = chosen()[list] ?? {};
  return all(columns)
    .filter(column => column.fixed || (ofList[column.title] ?? !column.optional))
    .map(column => (ofList[column.title] === true ? { ...column, secondary: false } : column));
}

/** Returns the fields that the shown columns need: those in their property fields. */
export const fieldsOf = (list, columns) =>
  [...new Set(shown(list, columns).flatMap(column => column.fields ?? []))];

/** The choice of columns. It stays in this browser. */
export function columnChoice(page, list, columns) {
  const visible = new Set(shown(list, columns).map(column => column.title));
  const set = title => event => {
    choose(list, title, event.target.checked);
    page.refresh();
  };
  const usual = () => {
    forget(list);
    page.refresh();
  };
  return html`
    <details class="menu" id="columns" @keydown=${closeOnEscape}>
      <summary class="button">Columns</summary>
      <fieldset class="inside">
        <legend>Columns of this list</legend>
        ${all(columns).filter(column => !column.fixed).map(column => html`
          <label class="check"><input type="checkbox" .checked=${visible.has(column.title)} @change=${set(column.title)}> ${column.meaning ?? column.title}</label>`)}
        <button type="button" class="small" @click=${usual}>Usual columns</button>
      </fieldset>
    </details>`;
}

function closeOnEscape(event) {
  if (event.key === 'Escape') {
    event.currentTarget.open = false;
    event.currentTarget.querySelector('summary').focus();
  }
}
