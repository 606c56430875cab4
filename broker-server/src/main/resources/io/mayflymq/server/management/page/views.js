/* Which view an address has. */

import { html } from './lib/lit-html.js';
import { link } from './router.js';
import * as overview from './pages/overview.js';
import * as connections from './pages/connections.js';
import * as connection from './pages/connection.js';
import * as channels from './pages/channels.js';
import * as channel from './pages/channel.js';
import * as consumers from './pages/consumers.js';
import * as unacknowledged from './pages/unacknowledged.js';
import * as exchanges from './pages/exchanges.js';
import * as exchange from './pages/exchange.js';
import * as deaths from './pages/deaths.js';
import * as users from './pages/users.js';
import * as user from './pages/user.js';
import * as vhosts from './pages/vhosts.js';
import { operatorPolicies, policies } from './pages/policies.js';
import * as limits from './pages/limits.js';
import * as federation from './pages/federation.js';
import * as shovels from './pages/shovels.js';
import * as definitions from './pages/definitions.js';
import * as features from './pages/features.js';
import * as log from './pages/log.js';
import * as apiReference from './pages/api-reference.js';
import { firstTab } from './pages/admin-tabs.js';
import * as queues from './pages/queues.js';
import * as queue from './pages/queue.js';

const missing = {
  title: () => 'Not found',
  load: async () => ({}),
  view: () => html`<h1>There is no such view</h1><p><a href=${link([])}>Overview</a></p>`,
};

const VIEWS = new Map([
  ['/0', overview],
  ['connections/1', connections],
  ['connections/2', connection],
  ['channels/1', channels],
  ['channels/2', channel],
  ['consumers/1', consumers],
  ['consumers/unacknowledged', unacknowledged],
  ['exchanges/1', exchanges],
  ['exchanges/3', exchange],
  ['queues/1', queues],
  ['queues/3', queue],
  ['deaths/1', deaths],
]);

const ADMINISTRATION = new Map([
  ['users/1', users],
  ['users/2', user],
  ['vhosts/1', vhosts],
  ['policies/1', policies],
  ['operator-policies/1', operatorPolicies],
  ['limits/1', limits],
  ['shovels/1', shovels],
  ['federation/1', federation],
  ['definitions/1', definitions],
  ['features/1', features],
  ['api/1', apiReference],
  ['log/1', log],
]);

/** Returns the view for the parts of a path, and the parts behind its name. */
export function find(parts) {
  if (parts[0] === 'admin') {
    const rest = parts.length === 1 ? [firstTab()] : parts.slice(1);
    return { view: ADMINISTRATION.get(`${rest[0]}/${rest.length}`) ?? missing, parts: rest };
  }
  const view = VIEWS.get(parts.join('/')) ?? VIEWS.get(`${parts[0] ?? ''}/${parts.length}`);
  return { view: view ?? missing, parts: parts.slice(1) };
}
