/* The operations of the HTTP API, from its OpenAPI description. */

import { html } from '../lib/lit-html.js';
import { get } from '../api.js';
import { section, table } from '../components.js';
import { tabs } from './admin-tabs.js';

export const title = () => 'HTTP API';

/** The description does not change while the broker runs. */
let description = null;

export async function load(page, options) {
  description ??= await get('openapi.json', options);
  return groups(description);
}

/** Returns the operations of each group, by the name of the group. */
function groups({ paths }) {
  const found = new Map();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = operation.tags[0];
      found.set(group, [...(found.get(group) ?? []), { method: method.toUpperCase(), path, ...operation }]);
    }
  }
  return found;
}

const fields = operation =>
  Object.entries(operation.requestBody?.content['application/json'].schema.properties ?? {})
    .map(([name, schema]) => html`<code>${name}</code> ${schema.type ?? 'any'} `);

const parameters = operation =>
  operation.parameters.filter(parameter => parameter.in === 'query')
    .map(parameter => html`<code>${parameter.name}</code> `);

export const open = ['queues'];

export const view = (page, data) => html`
  <div class="title"><h1>HTTP API</h1></div>
  ${tabs()}
  <p>All paths begin with <code>/api</code>. <a href="api/openapi.json">openapi.json</a> is for tools.</p>
  ${[...data].map(([group, operations]) => section(page, group.toLowerCase().replaceAll(' ', '-'), group, () => table([
    { title: 'Operation', cell: o => html`<code>${o.method} ${o.path}</code>` },
    { title: 'What it does', cell: o => o.summary },
    { title: 'Query', cell: parameters, secondary: true },
    { title: 'Body', cell: fields, secondary: true },
  ], operations, { name: group }), operations.length))}`;
