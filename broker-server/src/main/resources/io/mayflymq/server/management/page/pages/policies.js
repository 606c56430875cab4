/* Policies and operator policies, with a dry run before they are set or deleted. */

import { html } from '../lib/lit-html.js';
import { get, path, put, remove } from '../api.js';
import { POLICY_KEYS, argumentEditor, entered, fill } from '../arguments.js';
import { addButton, facts, field, section, table } from '../components.js';
import { count, duration, number } from '../format.js';
import { confirm } from '../notices.js';
import { selectedVhost, toExchange, toQueue } from '../router.js';
import { isAdministrator, isPolicymaker, mayEnter } from '../session.js';
import { tabs } from './admin-tabs.js';

const APPLY_TO = ['all', 'queues', 'classic_queues', 'quorum_queues', 'streams', 'exchanges'];

/** What would happen to queues and exchanges, as the API's dry run says. */
function forecast(vhost, each) {
  const settings = object => html`<code>${JSON.stringify(object)}</code>`;
  return html`
    <div class="report" role="status">
      <h3>Dry run: this would happen now</h3>
      ${each.effect === undefined ? '' : html`<p>The policy ${each.effect.summary}.</p>`}
      ${facts([
        ['Messages that would expire', number(each.expiring)],
        ['Messages over the limit', number(each.overflowing)],
        ['Dead-lettered', number(each.dead_lettered)],
        ['Dropped', number(each.dropped)],
        ['Queues that would get a lease', number(each.starting_to_expire)],
        ['Queues deleted at once', number(each.expiring_queues)],
      ])}
      ${table([
        { title: 'Queue', cell: q => html`<a href=${toQueue(q.vhost ?? vhost, q.name)}>${q.name}</a>${q.vhost === undefined ? '' : ` in ${q.vhost}`}` },
        { title: 'Before', cell: q => settings(q.before) },
        { title: 'After', cell: q => settings(q.after) },
        { title: 'Would expire', numeric: true, cell: q => number(q.expiring) },
        { title: 'Over the limit', numeric: true, cell: q => number(q.overflowing) },
        { title: 'Would be deleted', cell: q => (q.expires_now ? html`<strong>at once</strong>` : q.expires_in === null ? 'no' : `in ${duration(q.expires_in)}`) },
      ], each.queues.slice(0, 100), { name: 'Queues that would change', empty: 'No queue would change.' })}
      ${each.queues.length > 100 ? html`<p class="hint">The first 100 of ${number(each.queues.length)} queues.</p>` : ''}
      ${each.exchanges.length === 0 ? '' : table([
        { title: 'Exchange', cell: e => html`<a href=${toExchange(e.vhost ?? vhost, e.name)}>${e.name}</a>` },
        { title: 'Alternate exchange before', cell: e => e.before ?? '–' },
        { title: 'After', cell: e => e.after ?? '–' },
      ], each.exchanges, { name: 'Exchanges that would change' })}
    </div>`;
}

/** Where a policy is: those for many virtual hosts have a path of their own. */
function place(root, { vhost, vhosts, name }) {
  return vhosts === undefined ? path`${root}/${vhost}/${name}` : path`${'vhost-' + root}/${name}`;
}

/**
 * A view of policies.
 *
 * @param root the path of the API: policies or operator-policies
 * @param words what they are called
 * @param mayChange whether the user may set them
 */
function policyView(root, words, mayChange) {
  const remember = (page, vhost, report) => {
    page.state.forecast = { vhost, report };
  };

  function destroy(page, each) {
    return async () => {
      let report;
      const known = await page.act(async () => {
        report = await remove(place(root, each) + '/dry-run');
      });
      if (known && await confirm(
        `Delete ${words} ${each.name}?`,
        `It changes ${count(report.queues.length, 'queue')} in ${each.vhosts === undefined ? each.vhost : 'all its virtual hosts'} at once: ${count(report.expiring, 'message')} would expire, ${count(report.overflowing, 'message')} would be over a limit.`,
        'Delete policy')) {
        page.act(() => remove(place(root, each)), `${each.name} was deleted.`);
      }
    };
  }

  function edit(page, each) {
    page.state.edited = each;
    fill(page, 'definition', each.definition);
    page.setOpen('add', true);
    page.draw();
    document.querySelector('#add input[name=name]')?.focus();
  }

  function form(page, vhosts) {
    const edited = page.state.edited ?? {};
    const submit = event => {
      event.preventDefault();
      const target = event.target;
      const { vhost, vhosts: many, name, pattern, applyTo, priority, merge } = Object.fromEntries(new FormData(target));
      const dry = event.submitter?.value === 'dry-run';
      page.act(async () => {
        const definition = entered(page, 'definition');
        const body = { pattern, definition, 'apply-to': applyTo, priority: Number(priority), merge: merge === 'on' };
        const vhosts = many === undefined || many === '' ? undefined : many;
        if (vhosts !== undefined) {
          body.vhosts = vhosts;
        }
        const where = place(root, { vhost, vhosts, name });
        if (dry) {
          remember(page, vhost, await put(where + '/dry-run', body));
        } else {
          await put(where, body);
          page.state.forecast = undefined;
          page.state.edited = undefined;
          fill(page, 'definition');
          target.reset();
          return (await get(where + '/effect')).summary;
        }
      }, summary => summary && `${name} ${summary}`, target);
    };
    return html`
      <form class="form" @submit=${submit}>
        ${field('Virtual host', html`<select name="vhost">${vhosts.map(name => html`<option ?selected=${name === (edited.vhost ?? selectedVhost())}>${name}</option>`)}</select>`)}
        ${isAdministrator() ? field('Many virtual hosts', html`<input name="vhosts" .value=${edited.vhosts ?? ''}>`, 'Instead of one: a regular expression for their names, such as ^tenant-; also for later ones') : ''}
        ${field('Name', html`<input name="name" required .value=${edited.name ?? ''}>`)}
        ${field('Pattern', html`<input name="pattern" required data-about="regular expression|regex|Pattern" .value=${edited.pattern ?? ''}>`, 'A regular expression that is found in the names, such as ^orders')}
        ${field('Apply to', html`<select name="applyTo" data-about="apply-to">${APPLY_TO.map(each => html`<option ?selected=${each === (edited['apply-to'] ?? 'all')}>${each}</option>`)}</select>`)}
        ${field('Priority', html`<input name="priority" type="number" .value=${String(edited.priority ?? 0)}>`, 'Of several policies that match, the one with the highest holds.')}
        ${field('Merge', html`<input name="merge" type="checkbox" .checked=${edited.merge === true}>`, 'It adds its keys to those of the policy with the next lower priority.')}
        ${argumentEditor(page, 'definition', 'Definition', POLICY_KEYS)}
        <div class="buttons"><button value="dry-run">Dry run</button><button value="set" class="primary">Set policy</button></div>
      </form>
      ${page.state.forecast === undefined ? '' : forecast(page.state.forecast.vhost, page.state.forecast.report)}`;
  }

  return {
    title: () => words[0].toUpperCase() + words.slice(1),
    load: async (page, options) => {
      const vhost = selectedVhost();
      const [policies, vhosts] = await Promise.all([
        vhost === null || isAdministrator() || mayEnter(vhost)
          ? get(root + (vhost === null ? '' : path`/${vhost}`), options)
          : [],
        get('vhosts?columns=name', options),
      ]);
      return { policies, vhosts: vhosts.map(each => each.name) };
    },
    view: (page, { policies, vhosts }) => {
      const usable = vhosts.filter(name => isAdministrator() || mayEnter(name));
      return html`
        <div class="title"><h1>${words[0].toUpperCase() + words.slice(1)}</h1><span class="spring"></span>${mayChange() && usable.length > 0 ? addButton(page, 'Add a policy') : ''}</div>
        ${tabs()}
        <p>${root === 'policies'
          ? 'A policy sets TTL, leases, limits and dead letter exchanges for all queues or exchanges whose names match, also for those that exist.'
          : 'An operator policy bounds what arguments and policies set: of two limits the lower one holds.'}</p>
        ${table([
          { title: 'Name', cell: p => p.name },
          { title: 'Virtual host', cell: p => html`${p.vhost}${p.vhosts === undefined ? '' : html` <span class="hint" title="for all virtual hosts that match">many: <code>${p.vhosts}</code></span>`}` },
          { title: 'Pattern', cell: p => html`<code>${p.pattern}</code>` },
          { title: 'Apply to', cell: p => p['apply-to'] },
          { title: 'Definition', cell: p => Object.entries(p.definition).map(([key, any]) => html`<div><code>${key} = ${JSON.stringify(any)}</code></div>`) },
          { title: 'Priority', numeric: true, cell: p => String(p.priority) + (p.merge === true ? ', merged' : '') },
          mayChange() && { title: 'Actions', cell: p => p.vhosts !== undefined && !isAdministrator() ? '' : html`<span class="buttons"><button type="button" class="small" @click=${() => edit(page, p)}>Edit</button><button type="button" class="small danger" @click=${destroy(page, p)}>Delete …</button></span>` },
        ], policies, { name: words, empty: 'None.' })}
        ${mayChange() && usable.length > 0 ? section(page, 'add', 'Add or change', () => form(page, usable)) : ''}`;
    },
  };
}

export const policies = policyView('policies', 'policies', isPolicymaker);
export const operatorPolicies = policyView('operator-policies', 'operator policies', isAdministrator);
