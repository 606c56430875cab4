/* The two views of consumers: all of them, and who holds messages. */

import { html } from '../lib/lit-html.js';
import { link, route } from '../router.js';

const TABS = [[['consumers'], 'All consumers'], [['consumers', 'unacknowledged'], 'Unacknowledged messages']];

export const consumerTabs = () => html`
  <nav class="tabs" aria-label="Consumers">
    ${TABS.map(([parts, label]) => html`
      <a href=${link(parts)} aria-current=${parts.length === route.parts.length ? 'page' : 'false'}>${label}</a>`)}
  </nav>`;
