/*
 * Requests to the management API.
 *
 * The header X-Requested-With marks them as requests of this page: the broker then counts only the
 * session, and a browser never opens its own password dialog. See docs/management-page.md.
 */

const MARK = { 'x-requested-with': 'mayfly' };

/** The address of the API, beside that of the page; without the user and password that this may have, as fetch refuses them. */
const API = location.origin + location.pathname.replace(/[^/]*$/, 'api/');

/** An answer of the API that is an error, or no answer at all (status 0). */
export class ApiError extends Error {
  constructor(status, error, reason, detail) {
    const text = typeof reason === 'string' ? reason : JSON.stringify(reason);
    super(detail ? `${text}: ${detail}` : text);
    this.status = status;
    this.error = error;
  }
}

/** Called when an answer says that there is no session (any more). */
export const onSessionEnd = { call: () => {} };

/** A template tag for paths: encodes each value as one part of the path. */
export function path(parts, ...values) {
  return parts.reduce((all, part, i) => all + encodeURIComponent(values[i - 1]) + part);
}

/** Returns a query with its question mark; parameters that are undefined, null or empty are left out. */
export function query(parameters) {
  const given = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? '' : '?' + new URLSearchParams(given);
}

/**
 * Sends a request; the path begins behind /api/. Returns the answer's JSON, or null if it has none.
 * Throws an ApiError.
 */
export async function request(method, where, body, options = {}) {
  const headers = { ...MARK, ...options.headers };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
  }
  let answer;
  try {
    answer = await fetch(API + where, {
      method,
      headers,
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
      signal: options.signal,
      cache: 'no-store',
    });
  } catch (e) {
    if (e.name === 'AbortError') {
      throw e;
    }
    throw new ApiError(0, 'no_answer', 'The broker does not answer.');
  }
  const text = await answer.text();
  let json = null;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    throw new ApiError(answer.status, 'not_json', 'The answer is not from the management API.');
  }
  if (answer.ok) {
    return json;
  }
  if (answer.status === 401 && json?.error === 'not_authorized' && !options.login) {
    onSessionEnd.call();
  }
  throw new ApiError(answer.status, json?.error, json?.reason ?? `The broker answered with ${answer.status}.`, json?.detail);
}

export const get = (where, options) => request('GET', where, undefined, options);
export const put = (where, body) => request('PUT', where, body);
export const post = (where, body) => request('POST', where, body);
export const remove = (where, options) => request('DELETE', where, undefined, options);

/** Returns what a request gets, or undefined if it is answered with one of these statuses. */
export async function getUnless(statuses, where, options) {
  try {
    return await get(where, options);
  } catch (e) {
    if (e instanceof ApiError && statuses.includes(e.status)) {
      return undefined;
    }
    throw e;
  }
}

/** Logs in; returns the user with tags and permissions. Throws an ApiError with status 401. */
export function login(user, password) {
  const bytes = new TextEncoder().encode(user + ':' + password);
  const both = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  return request('POST', 'login', undefined, { headers: { authorization: 'Basic ' + both }, login: true });
}

/** Returns the user of the session, or undefined if there is none. */
export async function whoIsLoggedIn() {
  try {
    return await request('GET', 'login', undefined, { login: true });
  } catch (e) {
    if (e.status === 401) {
      return undefined;
    }
    throw e;
  }
}

/** Returns how users log in: whether by the provider of tokens, and whether by passwords too. */
export const waysToLogIn = () => request('GET', 'auth', undefined, { login: true });

export const logout = () => request('POST', 'logout', undefined, { login: true });
