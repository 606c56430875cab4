/*
 * The management page: logs in, shows the view of the address, and loads it again every five seconds
 * while the tab is visible.
 *
 * A view is a module with title(route), load(page), which returns what it needs from the API, and
 * view(page, data), which returns what is shown. A page is a view that is shown: its state lasts
 * until another one is shown.
 */

import { html, render } from './lib/lit-html.js';
import { ApiError, get, login, logout, onSessionEnd, waysToLogIn, whoIsLoggedIn } from './api.js';
import { clearErrors, showError } from './forms.js';
import { time } from './format.js';
import { follow, here, go, link, route, selectedVhost } from './router.js';
import { onChange, setUser, tags, userName } from './session.js';
import { clearFailures, clearNotices, clearUnanswered, notify } from './notices.js';
import { markOverflow, showCurrent } from './overflow.js';
import { find } from './views.js';

const POLL_MILLIS = 5000;

/** An answer that took long is asked for less often: at most this share of the time is spent on it. */
const LARGEST_SHARE = 0.1;

/** A broker that takes longer is said not to answer, though its answer is still waited for. */
const PATIENCE_MILLIS = 8000;

/** After this a request is given up and sent again: its connection may be dead. */
const LONGEST_MILLIS = 60_000;

const NAVIGATION = [
  ['', 'Overview'],
  ['connections', 'Connections'],
  ['channels', 'Channels'],
  ['consumers', 'Consumers'],
  ['exchanges', 'Exchanges'],
  ['queues', 'Queues and streams'],
  ['deaths', 'Death journal'],
  ['admin', 'Admin'],
];

const frame = document.getElementById('frame');

let broker = {};
let vhosts = [];
let loggedIn = false;
let current = null;
let timer = 0;

/** A view that is shown, with its state and what was loaded last. */
class Page {
  state = {};
  data = undefined;

  /** When the data came, in ms since 1970. */
  loadedAt = undefined;

  /** Why what is shown is not as it is now; undefined if it is. */
  error = undefined;
  #open = new Map();
  #loading = null;

  constructor(view, shown) {
    this.view = view;
    this.path = shown.path;
    this.parts = shown.parts;
  }

  /** Returns whether a section is open; some are from the beginning. */
  isOpen(id) {
    return this.#open.get(id) ?? (this.view.open?.includes(id) ?? false);
  }

  /** Remembers whether a section is open, and loads what it shows. */
  setOpen(id, open) {
    if (this.isOpen(id) !== open) {
      this.#open.set(id, open);
      this.refresh();
    }
  }

  /** Loads, and shows what came. An older request that is still under way is given up. */
  async refresh() {
    this.#loading?.abort();
    const loading = this.#loading = new AbortController();
    clearTimeout(timer);
    const begun = performance.now();
    const isFirst = this.data === undefined;
    const late = setTimeout(() => this.#isLate(loading), PATIENCE_MILLIS);
    try {
      const data = await this.#loadUntil(loading);
      if (loading.signal.aborted || current !== this) {
        return;
      }
      this.data = data;
      this.loadedAt = Date.now();
      this.error = undefined;
      clearUnanswered();
    } catch (e) {
      if (loading.signal.aborted || current !== this) {
        return;
      }
      if (e.error === 'page_out_of_range') {
        go(here({ page: null }), true);
        return;
      }
      this.error = e;
      if (!(e instanceof ApiError)) {
        console.error(e);
      }
    } finally {
      clearTimeout(late);
    }
    this.draw();
    if (isFirst) {
      showCurrent();
    }
    schedule(Math.max(POLL_MILLIS, (performance.now() - begun) / LARGEST_SHARE));
  }

  /** Loads what the view needs; fails if there is no answer for very long. */
  async #loadUntil(loading) {
    const request = new AbortController();
    const giveUp = () => request.abort();
    loading.signal.addEventListener('abort', giveUp);
    const longest = setTimeout(giveUp, LONGEST_MILLIS);
    try {
      return await this.view.load(this, { signal: request.signal });
    } catch (e) {
      throw request.signal.aborted ? noAnswer() : e;
    } finally {
      clearTimeout(longest);
    }
  }

  #isLate(loading) {
    if (this.#loading === loading && !loading.signal.aborted) {
      this.error = noAnswer();
      this.draw();
    }
  }

  /** Shows the state again. */
  draw() {
    if (current === this) {
      drawFrame();
    }
  }

  /**
   * Does what a button says, reports how it went, and loads again. What failed before is not
   * reported any more when something was done.
   *
   * @param action a function that returns a promise
   * @param done what is said when it has been done: a text, or a function of the result
   * @param form the form that was sent, if any: what is wrong is said there
   * @return a promise of whether it was done
   */
  async act(action, done, form) {
    try {
      const result = await action();
      clearFailures();
      if (form !== undefined) {
        clearErrors(form);
      }
      const text = typeof done === 'function' ? done(result) : done;
      if (text) {
        notify(text);
      }
      await this.refresh();
      return true;
    } catch (e) {
      if (form?.isConnected && e.status !== 0) {
        showError(form, e.message);
      } else {
        notify(e.message, 'bad', e.status === 0);
      }
      return false;
    }
  }
}

const noAnswer = () => new ApiError(0, 'no_answer', 'The broker does not answer.');

function schedule(millis) {
  clearTimeout(timer);
  if (loggedIn && !document.hidden && current !== null) {
    timer = setTimeout(() => current.refresh(), millis);
  }
}

function show() {
  follow(location.hash);
  if (!loggedIn) {
    return;
  }
  const { view, parts } = find(route.parts);
  if (current === null || current.path !== route.path) {
    // Without the old one, nothing that was typed there stays in a form of the new one.
    if (current !== null) {
      current = null;
      clearFailures();
      drawFrame();
      window.scrollTo(0, 0);
    }
    current = new Page(view, { path: route.path, parts });
    document.title = `${view.title(current)} – MayflyMQ`;
    drawFrame();
    document.getElementById('content')?.focus({ preventScroll: true });
    showCurrent();
  }
  current.refresh();
}

function header() {
  const first = route.parts[0] ?? '';
  const chosen = selectedVhost() ?? '';
  const chooseVhost = event => {
    const vhost = event.target.value;
    go(route.parts.length > 1 && first !== 'admin' ? link([first], { vhost }) : here({ vhost, page: null }));
  };
  return html`
    <header>
      <div class="bar">
        <a class="brand" href=${link([])}><img src="favicon.svg" alt="" width="24" height="24"> MayflyMQ</a>
        <span class="version">${broker.product_version ?? ''}</span>
        <span class="cluster" title="cluster name">${broker.cluster_name ?? ''}</span>
        <span class="spring"></span>
        <label>Virtual host <select id="vhost" @change=${chooseVhost}>
          <option value="" ?selected=${chosen === ''}>all</option>
          ${vhosts.map(name => html`<option value=${name} ?selected=${name === chosen}>${name}</option>`)}
        </select></label>
        <span title=${'tags: ' + tags().join(', ')}>user <b>${userName()}</b></span>
        <button type="button" @click=${leave}>Log out</button>
      </div>
      <nav class="main" aria-label="Main">
        ${NAVIGATION.map(([name, label]) => html`
          <a href=${link(name === '' ? [] : [name])} aria-current=${name === first ? 'page' : 'false'}>${label}</a>`)}
      </nav>
    </header>`;
}

function trouble(error) {
  const words = error.status === 404 ? 'This does not exist (any more).'
    : error.status === 401 ? 'You may not see this.' : 'It did not work.';
  return html`
    ${current.data === undefined ? html`<h1>${current.view.title(current)}</h1>` : ''}
    <div class="trouble" role="alert">
      <strong>${words}</strong>
      <span>${error.status === 404 ? '' : error.message}</span>
      ${current.data === undefined ? '' : html`<span>What is shown is of <time>${time(current.loadedAt)}</time>.</span>`}
      ${error.status === 0 ? html`<span>Trying again every five seconds.</span>` : ''}
    </div>`;
}

function content() {
  if (current === null) {
    return '';
  }
  return html`
    ${current.error === undefined ? '' : trouble(current.error)}
    ${current.data === undefined
      ? current.error === undefined ? html`<p class="loading">Loading …</p>` : ''
      : html`<div class=${current.error === undefined ? 'view' : 'view stale'}>${current.view.view(current, current.data)}</div>`}`;
}

function drawFrame() {
  render(
    loggedIn
      ? html`${header()}<main id="content" tabindex="-1">${content()}</main>`
      : html`<main id="content" class="login" tabindex="-1">${loginForm()}</main>`,
    frame);
  markOverflow();
}

// Logging in and out

let loginTrouble = '';

/** How users log in, as soon as it is known. */
let ways = { oauth_enabled: false };

/** What a login at the provider has come to, which sends the browser back here. */
const outcomes = {
  refused: 'The login was refused. The log of the broker says why.',
  tags: 'This user may not use the management page: it needs one of the tags management, policymaker, monitoring and administrator.',
  failed: 'The provider does not answer as it should. The log of the broker says why.',
  over: 'The login took too long, or was begun in another browser.',
};

function outcomeOfProvider() {
  const outcome = new URLSearchParams(location.search).get('login');
  if (outcome !== null) {
    history.replaceState(null, '', location.pathname + location.hash);
    loginTrouble = outcomes[outcome] ?? '';
  }
}

/** Where a login at the provider begins; the URL of the page is known here only, if there is a proxy. */
function atProvider() {
  const page = new URL('.', location.href);
  return 'login/oauth2?page=' + encodeURIComponent(page.origin + page.pathname);
}

function loginForm() {
  const submit = async event => {
    event.preventDefault();
    const form = new FormData(event.target);
    const button = event.target.querySelector('button');
    button.disabled = true;
    try {
      await enter(await login(form.get('user'), form.get('password')));
    } catch (e) {
      loginTrouble = e.status !== 401
        ? e.message
        : e.error === 'not_authorised'
          ? 'This user may not use the management page: it needs one of the tags management, policymaker, monitoring and administrator.'
          : 'The user name or the password is wrong.';
      drawFrame();
      document.getElementById('password')?.select();
    } finally {
      button.disabled = false;
    }
  };
  return html`
    <form class="card" @submit=${submit}>
      <h1><img src="favicon.svg" alt="" width="32" height="32"> MayflyMQ</h1>
      ${loginTrouble === '' ? '' : html`<p class="trouble" role="alert">${loginTrouble}</p>`}
      ${ways.oauth_enabled ? html`<a id="provider" class="button primary" href=${atProvider()}>Log in by the provider</a>` : ''}
      ${ways.oauth_enabled && ways.oauth_disable_basic_auth ? '' : passwordFields()}
    </form>`;
}

function passwordFields() {
  return html`
      <label class="field"><span>User</span><input id="user" name="user" autocomplete="username" required autofocus></label>
      <label class="field"><span>Password</span><input id="password" name="password" type="password" autocomplete="current-password" required></label>
      <button class="primary">Log in</button>`;
}

async function enter(user) {
  setUser(user);
  loginTrouble = '';
  const [overview, hosts] = await Promise.all([
    get('overview?columns=product_name,product_version,cluster_name,rabbitmq_version'),
    get('vhosts?columns=name'),
  ]);
  broker = overview;
  vhosts = hosts.map(each => each.name);
  loggedIn = true;
  current = null;
  clearNotices();
  render('', frame);
  show();
}

function left(why) {
  loggedIn = false;
  current = null;
  clearTimeout(timer);
  setUser(null);
  loginTrouble = why;
  document.title = 'Log in – MayflyMQ';
  render('', frame);
  drawFrame();
  document.getElementById('user')?.focus();
}

async function leave() {
  try {
    await logout();
  } catch {
    // A session that is over already is no reason to stay.
  }
  left('');
}

onChange(async () => {
  const [user, hosts] = await Promise.all([whoIsLoggedIn(), get('vhosts?columns=name')]);
  setUser(user);
  vhosts = hosts.map(each => each.name);
  current?.draw();
});

onSessionEnd.call = () => {
  if (loggedIn) {
    left('Your session has ended. Please log in again.');
  }
};

window.addEventListener('hashchange', show);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    clearTimeout(timer);
  } else {
    current?.refresh();
  }
});
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  document.getElementById('content')?.focus();
});

follow(location.hash);
outcomeOfProvider();
try {
  const [user, known] = await Promise.all([whoIsLoggedIn(), waysToLogIn()]);
  ways = known;
  if (user === undefined) {
    left(loginTrouble);
  } else {
    await enter(user);
  }
} catch (e) {
  left(e.message);
}
