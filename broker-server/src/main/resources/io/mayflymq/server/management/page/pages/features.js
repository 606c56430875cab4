/* Feature flags, and deprecated features that are in use. */

import { html } from '../lib/lit-html.js';
import { getUnless } from '../api.js';
import { card, table } from '../components.js';
import { tabs } from './admin-tabs.js';

export const title = () => 'Feature flags';

export async function load(page, options) {
  const [flags, used] = await Promise.all([
    getUnless([401], 'feature-flags', options),
    getUnless([401, 404], 'deprecated-features/used', options),
  ]);
  return { flags: flags ?? [], used: used ?? [] };
}

export const view = (page, { flags, used }) => html`
  <div class="title"><h1>Feature flags</h1></div>
  ${tabs()}
  ${card('Deprecated features used since the start', table([
    { title: 'Feature', cell: f => html`<code>${f.name}</code>` },
    { title: 'Uses', cell: f => f.uses },
    { title: 'Meaning', cell: f => f.desc },
  ], used, { name: 'Deprecated features', empty: 'None. A program that works here needs no feature that RabbitMQ 4 removes.' }))}
  ${card('Feature flags', table([
    { title: 'Flag', cell: f => html`<code>${f.name}</code>` },
    { title: 'State', cell: f => f.state },
    { title: 'Meaning', cell: f => f.desc },
  ], flags, { name: 'Feature flags' }))}`;
