/* The tabs of the administration. Each user sees those that the user may use. */

import { html } from '../lib/lit-html.js';
import { link, route } from '../router.js';
import { isAdministrator, isMonitor } from '../session.js';

const TABS = [
  ['users', 'Users', isAdministrator],
  ['vhosts', 'Virtual hosts', () => true],
  ['policies', 'Policies', () => true],
  ['operator-policies', 'Operator policies', () => true],
  ['limits', 'Limits', () => true],
  ['shovels', 'Shovels', isMonitor],
  ['federation', 'Federation', isMonitor],
  ['definitions', 'Definitions', isAdministrator],
  ['features', 'Feature flags', () => true],
  ['log', 'Log', isAdministrator],
  ['api', 'HTTP API', () => true],
];

/** The tab that is shown without a choice. */
export const firstTab = () => TABS.find(([, , allowed]) => allowed())[0];

export const tabs = () => {
  const shown = route.parts[1] ?? firstTab();
  return html`
    <nav class="tabs" aria-label="Administration">
      ${TABS.filter(([, , allowed]) => allowed()).map(([name, label]) => html`
        <a href=${link(['admin', name])} aria-current=${name === shown ? 'page' : 'false'}>${label}</a>`)}
    </nav>`;
};
