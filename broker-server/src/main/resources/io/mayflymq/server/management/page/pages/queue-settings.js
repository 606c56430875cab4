/* The settings that hold for a queue or an exchange, where they come from, and the lease that they make. */

import { html } from '../lib/lit-html.js';
import { badge, card, facts, table } from '../components.js';
import { count, duration, time, value } from '../format.js';

const setting = (effective, key) => effective.settings.find(each => each.key === key && each.effect)?.value;

const USES = {
  consume: 'having a consumer', get: 'getting messages', declare: 'declaring it again', publish: 'publishing to it',
  peek: 'browsing it', bind: 'binding it', policy: 'a change of its policies', scheduled: 'having scheduled messages',
};

/** How long the queue may stay unused, and what keeps it; nothing for a queue without a lease. */
export function leasePart(queue, effective) {
  const period = setting(effective, 'expires');
  if (period === undefined) {
    return '';
  }
  const activity = setting(effective, 'expires-activity') ?? 'consume,get,declare';
  const preset = activity === 'service-bus';
  const uses = preset
    ? Object.keys(USES).filter(use => use !== 'bind')
    : String(activity).split(',').map(use => use.trim());
  const keeping = [
    uses.includes('consume') && queue.consumers > 0 && count(queue.consumers, 'consumer'),
    uses.includes('scheduled') && queue.messages_scheduled > 0 && count(queue.messages_scheduled, 'scheduled message'),
    setting(effective, 'expires-condition') === 'unused-and-empty' && queue.messages > 0
      && `${count(queue.messages, 'message')} (it is only deleted when it is empty)`,
  ].filter(Boolean);
  return card('Lease', html`
    <p>${keeping.length > 0
      ? html`Kept alive by <strong>${keeping.join(' and ')}</strong>.`
      : html`<strong>Nothing keeps it at the moment.</strong> It is deleted when it stays unused.`}</p>
    ${facts([
      ['May stay unused for', duration(period)],
      ['Ends', queue.lease_ends_at ? `${time(queue.lease_ends_at)}, in ${duration(Math.max(0, queue.lease_ends_at - Date.now()))}, unless it is used` : undefined],
      ['Counts as use', uses.map(use => USES[use] ?? use).join(', ')],
      ['At the end', setting(effective, 'expires-action') === 'dead-letter' ? 'its messages are dead-lettered, and it is deleted' : 'it is deleted with its messages'],
    ])}`);
}

const ORIGINS = { argument: 'argument', policy: 'policy', 'operator policy': 'operator policy', default: 'default' };

/** A table of settings with their sources, and of policies with the reason why they do or do not apply. */
export function effectivePart(effective) {
  return html`
    ${table([
      { title: 'Setting', cell: s => html`<code>${s.key}</code>` },
      { title: 'Value', cell: s => html`<code>${value(s.value)}</code>${s.effect ? '' : html` ${badge('no effect')}`}` },
      { title: 'Comes from', cell: s => `${ORIGINS[s.origin] ?? s.origin}${s.policy ? ' ' + s.policy : ''}${s.vhosts === undefined ? '' : ` for virtual hosts ${s.vhosts}`}` },
      { title: 'Overrides', cell: s => (s.losers ?? []).map(loser => html`<div><code>${value(loser.value)}</code> of ${loser.origin}${loser.policy ? ' ' + loser.policy : ''}${loser.reason ? `: ${loser.reason}` : ''}</div>`) },
    ], effective.settings, { name: 'Effective settings', empty: 'No settings: all defaults hold.' })}
    <h3>Policies of the virtual host</h3>
    ${table([
      { title: 'Policy', cell: p => (p.vhosts === undefined ? p.name : html`${p.name}, for virtual hosts <code>${p.vhosts}</code>`) },
      { title: 'Kind', cell: p => p.kind.replace('_', ' ') },
      { title: 'Pattern', cell: p => html`<code>${p.pattern}</code>` },
      { title: 'Priority', numeric: true, cell: p => String(p.priority) },
      { title: 'Applies', cell: p => (p.verdict === 'applies' ? html`<strong>yes</strong>` : p.verdict === 'added-to' ? html`<strong>yes</strong>, ${p.reason}` : `no: ${p.reason}`) },
    ], effective.candidates, { name: 'Policies', empty: 'No policies.' })}`;
}
