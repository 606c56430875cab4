/* Publishing a message. */

import { html } from '../lib/lit-html.js';
import { path, post } from '../api.js';
import { argumentEditor, entered } from '../arguments.js';
import { field } from '../components.js';
import { exchangeName } from '../format.js';
import { notify } from '../notices.js';
import { exchangeInPath } from '../router.js';

const HEADERS = [
  { key: 'x-delay', type: 'number', label: 'delay', help: 'ms: a delayed exchange delivers it later' },
];

/**
 * The form that publishes to an exchange.
 *
 * @param queue the queue that the page is about: its name is the routing key; or undefined
 */
export function publishForm(page, vhost, exchange, queue) {
  const submit = event => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.target));
    page.act(
      async () => {
        const properties = { delivery_mode: Number(form.mode), headers: entered(page, 'headers') };
        for (const name of ['expiration', 'message_id', 'content_type', 'correlation_id', 'reply_to', 'type']) {
          if (form[name]) {
            properties[name] = form[name];
          }
        }
        if (form.priority) {
          properties.priority = Number(form.priority);
        }
        return post(path`exchanges/${vhost}/${exchangeInPath(exchange)}/publish`, {
          routing_key: queue ?? form.key, properties, payload: form.payload, payload_encoding: form.encoding,
        });
      },
      ({ routed }) => {
        if (!routed) {
          notify(`The message was not delivered: no queue took it from ${exchangeName(exchange)}.`, 'bad');
          return '';
        }
        return 'The message was published.';
      },
      event.target);
  };
  return html`
    <form class="form" @submit=${submit} aria-label="Publish a message">
      ${queue === undefined ? field('Routing key', html`<input name="key">`) : ''}
      ${field('TTL', html`<input name="expiration" data-about="expiration" inputmode="numeric" pattern="[0-9]*">`, 'In ms: it expires then, at any position in the queue. Empty: no TTL of its own.')}
      ${field('Delivery mode', html`<select name="mode"><option value="2">persistent</option><option value="1">transient</option></select>`)}
      ${field('Message id', html`<input name="message_id">`)}
      ${field('Priority', html`<input name="priority" type="number" min="0" max="255">`)}
      ${field('Content type', html`<input name="content_type">`)}
      ${field('Correlation id', html`<input name="correlation_id">`)}
      ${field('Reply to', html`<input name="reply_to">`)}
      ${field('Type', html`<input name="type">`)}
      ${argumentEditor(page, 'headers', 'Headers', HEADERS)}
      ${field('Payload', html`<textarea name="payload" rows="4" data-about="payload|base64|message size|larger than"></textarea>`)}
      ${field('Payload is', html`<select name="encoding"><option value="string">text</option><option value="base64">base64</option></select>`)}
      <button class="primary">Publish</button>
    </form>`;
}
