/* An editor of arguments or of the definition of a policy: rows of a key, a value and its type. */

import { html } from './lib/lit-html.js';
import { clearErrors } from './forms.js';

const TYPES = ['number', 'text', 'boolean', 'list', 'JSON'];

/**
 * Returns the value of a row.
 *
 * @throws Error in words if the text is not of the type
 */
function valueOf({ key, text, type }) {
  switch (type) {
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text))) {
        throw new Error(`${key} should be a number, actually was "${text}"`);
      }
      return Number(text);
    case 'boolean':
      if (!/^(true|false)$/.test(text.trim())) {
        throw new Error(`${key} should be true or false, actually was "${text}"`);
      }
      return text.trim() === 'true';
    case 'list':
      return text.split(',').map(part => part.trim()).filter(part => part !== '');
    case 'JSON':
      try {
        return JSON.parse(text);
      } catch (e) {
        throw new Error(`${key} should be JSON: ${e.message}`);
      }
    default:
      return text;
  }
}

/** Returns the object that the rows of a page's editor make. Throws an Error in words. */
export function entered(page, id) {
  const rows = page.state[id] ?? [];
  return Object.fromEntries(rows.filter(row => row.key.trim() !== '').map(row => [row.key.trim(), valueOf(row)]));
}

/** Empties an editor, or fills it with an object. */
export function fill(page, id, object = {}) {
  page.state[id] = Object.entries(object).map(([key, value]) => ({
    key,
    type: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : typeof value === 'string' ? 'text' : 'JSON',
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

/**
 * The editor.
 *
 * @param known keys that a button adds: key, type, label and what it means
 */
export function argumentEditor(page, id, label, known) {
  const rows = page.state[id] ??= [];
  const add = (key, type) => {
    rows.push({ key, type, text: '' });
    page.draw();
    const inputs = document.querySelectorAll(`#${id} input.${key === '' ? 'key' : 'value'}`);
    inputs[inputs.length - 1]?.focus();
  };
  return html`
    <fieldset class="arguments" id=${id}>
      <legend>${label}</legend>
      ${rows.map((row, i) => html`
        <div class="row">
          <input class="key" aria-label="Key ${i + 1}" placeholder="key" .value=${row.key} @input=${event => { row.key = event.target.value; }}>
          <input class="value" aria-label="Value of ${row.key || i + 1}" placeholder="value" .value=${row.text} @input=${event => { row.text = event.target.value; }}>
          <select aria-label="Type of ${row.key || i + 1}" @change=${event => { row.type = event.target.value; }}>
            ${TYPES.map(type => html`<option ?selected=${type === row.type}>${type}</option>`)}
          </select>
          <button type="button" aria-label="Remove ${row.key || i + 1}" @click=${event => { clearErrors(event.target.form); rows.splice(i, 1); page.draw(); }}>×</button>
        </div>`)}
      <div class="known">
        ${known.map(each => html`<button type="button" class="small" title=${each.help} @click=${() => add(each.key, each.type)}>+ ${each.label}</button>`)}
        <button type="button" class="small" @click=${() => add('', 'text')}>+ other</button>
      </div>
    </fieldset>`;
}

/** The arguments of a queue that have a button. */
export const QUEUE_ARGUMENTS = [
  { key: 'x-message-ttl', type: 'number', label: 'message TTL', help: 'ms that a message may stay in the queue' },
  { key: 'x-expires', type: 'number', label: 'lease', help: 'ms that the queue may be unused until it is deleted' },
  { key: 'x-max-length', type: 'number', label: 'max length', help: 'largest number of ready messages' },
  { key: 'x-max-length-bytes', type: 'number', label: 'max bytes', help: 'largest size of ready messages' },
  { key: 'x-overflow', type: 'text', label: 'overflow', help: 'drop-head, reject-publish, reject-publish-dlx or block' },
  { key: 'x-dead-letter-exchange', type: 'text', label: 'dead letter exchange', help: 'where expired and rejected messages are published' },
  { key: 'x-dead-letter-routing-key', type: 'text', label: 'dead letter routing key', help: 'instead of the message’s own' },
  { key: 'x-max-priority', type: 'number', label: 'priorities', help: 'from 0 to this number' },
  { key: 'x-single-active-consumer', type: 'boolean', label: 'single active consumer', help: 'one consumer gets all messages' },
  { key: 'x-delivery-limit', type: 'number', label: 'delivery limit', help: 'how often a message may be returned (quorum queues)' },
];

/** The keys of a policy that have a button. */
export const POLICY_KEYS = [
  { key: 'message-ttl', type: 'number', label: 'message TTL', help: 'ms that a message may stay in a queue' },
  { key: 'expires', type: 'number', label: 'lease', help: 'ms that a queue may be unused until it is deleted' },
  { key: 'max-length', type: 'number', label: 'max length', help: 'largest number of ready messages' },
  { key: 'max-length-bytes', type: 'number', label: 'max bytes', help: 'largest size of ready messages' },
  { key: 'overflow', type: 'text', label: 'overflow', help: 'drop-head, reject-publish, reject-publish-dlx or block' },
  { key: 'dead-letter-exchange', type: 'text', label: 'dead letter exchange', help: 'where expired and rejected messages are published' },
  { key: 'dead-letter-routing-key', type: 'text', label: 'dead letter routing key', help: 'instead of the message’s own' },
  { key: 'max-unacked', type: 'number', label: 'max unacked', help: 'most unacknowledged messages of all consumers of a queue together' },
  { key: 'fair-by', type: 'text', label: 'fair by', help: 'a header, such as tenant: its values take turns, however many messages one has' },
  { key: 'delivery-rate', type: 'number', label: 'delivery rate', help: 'most messages that consumers of a queue get within a second' },
  { key: 'publish-rate', type: 'number', label: 'publish rate', help: 'most messages within a second that publishers get into a queue; they wait' },
  { key: 'on-mismatch', type: 'text', label: 'on mismatch', help: 'when a queue is declared again with other arguments: refuse, keep or adopt' },
  { key: 'alternate-exchange', type: 'text', label: 'alternate exchange', help: 'for exchanges: where unroutable messages go' },
];
