/* The parts that the views are made of. */

import { html, svg, nothing } from './lib/lit-html.js';
import { query } from './api.js';
import { count, number, rateOf } from './format.js';
import { RANGES, lines, range } from './history.js';
import { go, here, route } from './router.js';
import './plot.js';

/** Shows fields as a list of names and values: pairs; those without a value are left out. */
export function facts(pairs) {
  return html`<dl class="facts">
    ${pairs.filter(pair => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== nothing)
      .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** A part of a page that is always open. */
export const card = (title, content, id) => html`
  <section class="card" aria-label=${title} id=${id ?? nothing}><h2>${title}</h2>${content}</section>`;

/**
 * A part of a page that can be opened. What it shows is only loaded while it is open.
 *
 * @param note a few words behind the title, such as a number
 */
export function section(page, id, title, content, note) {
  return html`
    <details class="card" id=${id} ?open=${page.isOpen(id)}
        @toggle=${event => page.setOpen(id, event.target.open)}>
      <summary><h2>${title}</h2>${note === undefined ? '' : html`<span class="note">${note}</span>`}</summary>
      <div class="inside">${page.isOpen(id) ? content() : ''}</div>
    </details>`;
}

const kindOf = column => (column.numeric ? 'numeric' : column.secondary ? 'secondary' : '');

function heading(column, sortable) {
  const kind = kindOf(column);
  if (!sortable || column.sort === undefined) {
    return html`<th scope="col" class=${kind}>${column.title}</th>`;
  }
  const sorted = route.params.get('sort') === column.sort;
  const down = sorted && route.params.get('sort_reverse') === 'true';
  const first = column.numeric ? 'true' : null;
  const changes = sorted
    ? { sort: column.sort, sort_reverse: down ? null : 'true', page: null }
    : { sort: column.sort, sort_reverse: first, page: null };
  return html`
    <th scope="col" class=${kind} aria-sort=${sorted ? (down ? 'descending' : 'ascending') : nothing}>
      <a href=${here(changes)}>${column.title}${sorted ? html`<span aria-hidden="true">${down ? ' ▼' : ' ▲'}</span>` : ''}</a>
    </th>`;
}

/**
 * A table.
 *
 * @param columns each with a title, a cell (a function of a row), and maybe sort (a field), numeric, and
 *     secondary: left out on a phone
 * @param options name for readers of the screen; empty, the text without rows; sortable; choice, what
 *     rows.js returns for choosing rows
 */
export function table(columns, rows, options) {
  const shown = columns.filter(Boolean);
  if (rows.length === 0) {
    return html`<p class="empty">${options.empty ?? 'None.'}</p>`;
  }
  return html`
    <div class="table" role="region" tabindex="0" aria-label=${options.name}>
      <table>
        <thead><tr>${options.choice?.head ?? ''}${shown.map(column => heading(column, options.sortable))}</tr></thead>
        <tbody>${rows.map(row => html`
          <tr>${options.choice?.cell(row) ?? ''}${shown.map((column, i) => (i === 0
            ? html`<th scope="row" class=${kindOf(column)}>${column.cell(row)}</th>`
            : html`<td class=${kindOf(column)}>${column.cell(row)}</td>`))}</tr>`)}
        </tbody>
      </table>
    </div>`;
}

const SIZES = [20, 50, 100, 200, 500];

/**
 * Returns the query of a list as the address says it: page, filter, order.
 *
 * @param columns the fields that are wanted
 * @param more further parameters
 */
export function listQuery(columns, more = {}) {
  const given = name => route.params.get(name) ?? undefined;
  return query({
    page: given('page') ?? 1,
    page_size: given('page_size') ?? 50,
    name: given('name'),
    use_regex: given('use_regex'),
    sort: given('sort'),
    sort_reverse: given('sort_reverse'),
    columns: columns.join(),
    ...more,
  });
}

/**
 * The filter of a list, and where its page is in the whole.
 *
 * @param one what one of its things is called
 * @param options finds, what the filter looks for; columns, the choice of columns
 */
export function listControls(list, one, { finds = 'part of the name', columns = '' } = {}) {
  const filter = event => {
    event.preventDefault();
    const form = new FormData(event.target);
    go(here({ name: form.get('name'), use_regex: form.get('use_regex') === null ? null : 'true', page: null }));
  };
  const first = (list.page - 1) * list.page_size + 1;
  const filtered = route.params.get('name') !== null;
  return html`
    <form class="controls" role="search" @submit=${filter}>
      <label>Filter <input type="search" name="name" .defaultValue=${route.params.get('name') ?? ''} placeholder=${finds}></label>
      <label class="check"><input type="checkbox" name="use_regex" ?checked=${route.params.get('use_regex') === 'true'}> regular expression</label>
      <button>Filter</button>
      ${filtered ? html`<a href=${here({ name: null, use_regex: null, page: null })}>show all</a>` : ''}
      <span class="spring"></span>
      <span class="range">${list.filtered_count === 0 ? 'none' : `${number(first)}–${number(first + list.item_count - 1)} of ${number(list.filtered_count)}`}${filtered ? ` (${count(list.total_count, one)} in all)` : ''}</span>
      <label>per page <select @change=${event => go(here({ page_size: event.target.value, page: null }))}>
        ${SIZES.map(size => html`<option ?selected=${size === list.page_size}>${size}</option>`)}
      </select></label>
      ${columns}
      <nav class="pages" aria-label="Pages">
        ${list.page > 1 ? html`<a class="button" href=${here({ page: list.page - 1 })}>‹ previous</a>` : ''}
        ${list.page < list.page_count ? html`<a class="button" href=${here({ page: list.page + 1 })}>next ›</a>` : ''}
      </nav>
    </form>`;
}

/**
 * A plot with its legend.
 *
 * @param fields each with a label, the object, the field, and maybe isRate
 * @param text how a value is written
 */
export function plot(key, title, fields, text) {
  const { times, values, fromBroker } = lines(key, fields);
  const last = i => text(values[i].findLast(value => value !== null) ?? 0);
  const summary = fields.map(({ label }, i) => `${label} ${last(i)}`).join(', ');
  return html`
    <figure class="plot">
      <figcaption>${title}</figcaption>
      <div class="lines">
        <mayfly-plot role="img" aria-label="${title}, now: ${summary}"
            .content=${{ labels: fields.map(each => each.label), times, values, text, fromBroker, whole: text === number }}></mayfly-plot>
        <ul class="legend">${fields.map(({ label }, i) => html`
          <li><svg viewBox="0 0 24 8" aria-hidden="true"><line class="line-${i + 1}" x1="0" y1="4" x2="24" y2="4"/></svg>
            <span>${label}</span><b>${last(i)}</b></li>`)}
        </ul>
      </div>
      ${fromBroker ? '' : html`<p class="hint">Recorded by this page while it is open.</p>`}
    </figure>`;
}

/** What publishers' messages become, for ratesTable. */
export const PUBLISHED_KINDS = [
  ['publish', 'published'],
  ['confirm', 'confirmed'],
  ['return_unroutable', 'unroutable, returned'],
  ['drop_unroutable', 'unroutable, dropped'],
];

/** What consumers get and do with it, for ratesTable. */
export const DELIVERED_KINDS = [
  ['deliver', 'delivered, to be acknowledged'],
  ['deliver_no_ack', 'delivered without an acknowledgement'],
  ['get', 'got (basic.get), to be acknowledged'],
  ['get_no_ack', 'got (basic.get) without an acknowledgement'],
  ['get_empty', 'basic.get that found nothing'],
  ['redeliver', 'redelivered'],
  ['ack', 'acknowledged'],
];

/**
 * The rates of all kinds that there are, with the counts since the start.
 *
 * @param kinds pairs of a field of the statistics and its words
 */
export const ratesTable = (stats, kinds) => table([
  { title: 'Messages', cell: ([, words]) => words },
  { title: 'Rate', numeric: true, cell: ([name]) => rateOf(stats, name) },
  { title: 'Since the start', numeric: true, cell: ([name]) => number(stats?.[name] ?? 0) },
], kinds, { name: 'Rates by kind' });

/** A button at the top of a view that opens the section below in which something is added. */
export function addButton(page, label) {
  const open = () => {
    page.setOpen('add', true);
    page.draw();
    const section = document.getElementById('add');
    section?.scrollIntoView({ block: 'start' });
    section?.querySelector('form input[name=name]')?.focus({ preventScroll: true });
  };
  return html`<button type="button" class="primary" @click=${open}>${label}</button>`;
}

/** A name, and below it what its client calls it, if it does. */
export const named = (link, clientName) => html`${link}${clientName ? html`<br><span class="faint client">${clientName}</span>` : ''}`;

/** Lets the user choose how far back plots show. */
export const rangeChoice = () => html`
  <label class="choice">Plots show the <select @change=${event => go(here({ range: event.target.value }), true)}>
    ${RANGES.map(each => html`<option value=${each.age} ?selected=${each === range()}>${each.label}</option>`)}
  </select></label>`;

/** A histogram: bars from the left, with a label and a number in text; or the text for no rows. */
export function bars(name, rows, empty) {
  if (rows.length === 0) {
    return html`<p class="empty">${empty}</p>`;
  }
  const most = Math.max(1, ...rows.map(row => row.amount));
  return html`
    <table class="bars" aria-label=${name}>
      <tbody>${rows.map(({ label, amount }) => html`
        <tr><th scope="row">${label}</th>
          <td>${svg`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width=${amount === 0 ? 0 : Math.max(0.7, amount * 100 / most)} height="10" rx="1"/></svg>`}</td>
          <td class="numeric">${number(amount)}</td></tr>`)}
      </tbody>
    </table>`;
}

/** A part of a limit, with the words beside it. */
export const gauge = (used, limit, words, name) => html`
  <span class="gauge"><meter min="0" max=${limit || 1} value=${used} high=${limit * 0.9} optimum="0" aria-label=${name}></meter> <span>${words}</span></span>`;

/** A small mark with a word. */
export const badge = (word, title, kind = '') => html`<span class="badge ${kind}" title=${title ?? nothing}>${word}</span>`;

/** A labelled field of a form, with an explanation below it. */
export const field = (label, input, help) => html`
  <label class="field"><span>${label}</span>${input}${help === undefined ? '' : html`<small>${help}</small>`}</label>`;
