/* The lines of the audit category of the log in words. One that is of an unknown form is shown as it is. */

import { html } from '../lib/lit-html.js';
import { path } from '../api.js';
import { table } from '../components.js';
import { exchangeName, time } from '../format.js';
import { toExchange, toQueue } from '../router.js';

const REQUEST = /^user '(.*)' \((.*)\): (PUT|POST|DELETE) (\/\S*)$/s;
const TOPOLOGY = /^(queue|exchange|binding)\.(created|deleted) in vhost '(.*)': (.*), by (the broker|user '(.*?)'(?: on connection (.*))?)$/s;

const code = name => html`<b>${name}</b>`;
const inVhost = vhost => html` in virtual host ${code(vhost)}`;
const queue = (vhost, name) => html`queue <a href=${toQueue(vhost, name)}>${name}</a>${inVhost(vhost)}`;
const exchange = (vhost, name) => html`exchange <a href=${toExchange(vhost, name === 'amq.default' ? '' : name)}>${exchangeName(name === 'amq.default' ? '' : name)}</a>${inVhost(vhost)}`;

const bindingOf = ([, vhost, , source, kind, destination]) =>
  html`a binding from ${exchange(vhost, source)} to ${kind === 'q' ? 'queue' : 'exchange'} ${code(destination)}`;

const dispatch = (verbs, thing) => verb => (verbs[verb] === undefined ? undefined : html`${verbs[verb]} ${thing}`);
const setOrDeleted = thing => dispatch({ PUT: 'set', DELETE: 'deleted' }, thing);
const addedOrDeleted = thing => dispatch({ PUT: 'added or changed', DELETE: 'deleted' }, thing);

/** What was deleted is no link. */
const linkedOrDeleted = (kind, link, [, vhost, name]) => method =>
  addedOrDeleted(method === 'DELETE' ? html`${kind} ${code(name)}${inVhost(vhost)}` : link(vhost, name))(method);

/** What a path of the API stands for: by its length and parts, a function of the method. */
const PATHS = [
  [/^queues\/[^/]*\/[^/]*$/, p => linkedOrDeleted('queue', queue, p)],
  [/^queues\/[^/]*\/[^/]*\/contents$/, p => dispatch({ DELETE: 'purged' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/pause$/, p => dispatch({ PUT: 'paused', DELETE: 'resumed' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/move$/, p => dispatch({ POST: 'began to move' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/messages\/move$/, p => dispatch({ POST: 'moved messages of' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/purge$/, p => dispatch({ POST: 'removed messages of' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/convert$/, p => dispatch({ POST: 'began to convert' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/redrive$/, p => dispatch({ POST: 'began a redrive of', DELETE: 'stopped the redrive of' }, queue(p[1], p[2]))],
  [/^queues\/[^/]*\/[^/]*\/scheduled(\/.*)?$/, p => dispatch({ DELETE: 'cancelled scheduled messages of' }, queue(p[1], p[2]))],
  [/^exchanges\/[^/]*\/[^/]*$/, p => linkedOrDeleted('exchange', exchange, p)],
  [/^bindings\/.*\/e\/.*$/, p => dispatch({ POST: 'added', DELETE: 'removed' }, bindingOf(p))],
  [/^vhosts\/[^/]*$/, p => addedOrDeleted(html`virtual host ${code(p[1])}`)],
  [/^vhosts\/[^/]*\/tracing$/, p => dispatch({ PUT: 'turned the firehose on or off' }, html`${inVhost(p[1])}`)],
  [/^vhosts\/[^/]*\/deletion\/protection$/, p => dispatch({ POST: 'protected', DELETE: 'no longer protects' }, html`virtual host ${code(p[1])} from deletion`)],
  [/^vhost-limits\/[^/]*\/[^/]*$/, p => setOrDeleted(html`the limit ${code(p[2])} of virtual host ${code(p[1])}`)],
  [/^users\/[^/]*$/, p => addedOrDeleted(html`user ${code(p[1])}`)],
  [/^users\/bulk-delete$/, () => dispatch({ POST: 'deleted' }, 'several users')],
  [/^user-limits\/[^/]*\/[^/]*$/, p => setOrDeleted(html`the limit ${code(p[2])} of user ${code(p[1])}`)],
  [/^permissions\/[^/]*\/[^/]*$/, p => setOrDeleted(html`the permissions of user ${code(p[2])}${inVhost(p[1])}`)],
  [/^topic-permissions\/[^/]*\/[^/]*(\/.*)?$/, p => setOrDeleted(html`the topic permissions of user ${code(p[2])}${inVhost(p[1])}`)],
  [/^policies\/[^/]*\/[^/]*$/, p => setOrDeleted(html`policy ${code(p[2])}${inVhost(p[1])}`)],
  [/^operator-policies\/[^/]*\/[^/]*$/, p => setOrDeleted(html`operator policy ${code(p[2])}${inVhost(p[1])}`)],
  [/^vhost-policies\/[^/]*$/, p => setOrDeleted(html`policy ${code(p[1])} for many virtual hosts`)],
  [/^vhost-operator-policies\/[^/]*$/, p => setOrDeleted(html`operator policy ${code(p[1])} for many virtual hosts`)],
  [/^parameters\/[^/]*\/[^/]*\/[^/]*$/, p => setOrDeleted(html`the parameter ${code(p[3])} of ${p[1]}${inVhost(p[2])}`)],
  [/^global-parameters\/[^/]*$/, p => setOrDeleted(html`the global parameter ${code(p[1])}`)],
  [/^definitions(\/.*)?$/, p => dispatch({ POST: 'imported definitions' }, p.length > 1 ? html`into virtual host ${code(p[1])}` : '')],
  [/^cluster-name$/, () => dispatch({ PUT: 'changed' }, 'the name of the cluster')],
  [/^connections\/username\/[^/]*$/, p => dispatch({ DELETE: 'closed' }, html`the connections of user ${code(p[2])}`)],
  [/^connections\/[^/]*$/, p => dispatch({ DELETE: 'closed' }, html`connection ${code(p[1])}`)],
  [/^nodes\/[^/]*$/, p => dispatch({ DELETE: 'removed' }, html`node ${code(p[1])} from the cluster`)],
  [/^rebalance\/queues$/, () => dispatch({ POST: 'began' }, 'to spread queues over the nodes')],
  [/^reset(\/.*)?$/, () => dispatch({ DELETE: 'forgot' }, 'the samples of the past')],
  [/^auth\/attempts\/.*$/, () => dispatch({ DELETE: 'reset' }, 'the counts of logins')],
];

function parts(where) {
  try {
    return where.split('/').map(decodeURIComponent);
  } catch {
    return [where];
  }
}

function what(method, address) {
  const where = address.replace(/^\/(api|control)\//, '');
  const [, words] = PATHS.find(([pattern]) => pattern.test(where)) ?? [];
  return words?.(parts(where))(method);
}

const DONE = { 'queue.deleted': 'deleted', 'queue.created': 'added' };

/** Returns who has changed something, from where and what, all for people. */
export function inWords(change) {
  const asked = REQUEST.exec(change);
  if (asked !== null) {
    const [, user, from, method, address] = asked;
    return { who: user, from, what: what(method, address) ?? html`<code>${method} ${address}</code>` };
  }
  const found = TOPOLOGY.exec(change);
  if (found === null) {
    return { who: '', from: '', what: change };
  }
  const [, kind, done, vhost, subject, actor, user, connection] = found;
  const verb = DONE[`${kind}.${done}`] ?? done;
  const name = /^queue '(.*)'$/s.exec(subject)?.[1];
  return {
    who: user ?? 'the broker',
    from: connection ?? '',
    what: html`${verb} ${name === undefined ? html`${subject}${inVhost(vhost)}` : html`queue ${code(name)}${inVhost(vhost)}`}${actor === 'the broker' ? ', as its time was over' : connection === undefined ? '' : ' over AMQP'}`,
  };
}

/** Whether it is what came of a request that has a line of its own. */
const isTwice = (each, all) => {
  const [, , , vhost, subject, , user, connection] = TOPOLOGY.exec(each.change) ?? [];
  const name = /^queue '(.*)'$/s.exec(subject ?? '')?.[1];
  return user !== undefined && connection === undefined
    && all.some(other => other.change.endsWith(`: DELETE /api/${path`queues/${vhost}/${name}`}`));
};

/** Returns the changes without those that are told by another line. */
export const told = changes => changes.filter(each => !isTwice(each, changes));

/** A table of changes, the latest first. */
export const changesTable = changes => table([
  { title: 'When', cell: each => time(each.timestamp) },
  { title: 'Who', cell: each => each.words.who },
  { title: 'What', cell: each => html`<span class="change" title=${each.change}>${each.words.what}</span>` },
  { title: 'From', secondary: true, cell: each => html`<span class="faint">${each.words.from}</span>` },
], changes.map(each => ({ ...each, words: inWords(each.change) })), { name: 'Changed lately', empty: 'Nothing since the broker was started.' });
