/*
 * The address of what is shown: behind the # a path of encoded names and a query, such as
 * #/queues/%2F/orders or #/queues?page=2&sort=messages. So a view can be reloaded, sent to others,
 * and reached by "back".
 */

/** The route that is shown: the decoded parts of the path, and the parameters. */
export let route = parse('');

/** Reads an address. */
export function parse(hash) {
  const [path, search] = hash.replace(/^#?\/?/, '').split('?', 2);
  let parts;
  try {
    parts = path === '' ? [] : path.split('/').map(decodeURIComponent);
  } catch {
    parts = ['?'];
  }
  return { parts, params: new URLSearchParams(search ?? ''), path };
}

/** Makes an address the current route. */
export function follow(hash) {
  route = parse(hash);
  return route;
}

function address(parts, params) {
  const search = params.toString();
  return '#/' + parts.map(encodeURIComponent).join('/') + (search === '' ? '' : '?' + search);
}

/** Returns the address of another view. The virtual host that is selected stays selected. */
export function link(parts, params = {}) {
  const all = new URLSearchParams(params);
  const vhost = route.params.get('vhost');
  if (vhost !== null && !all.has('vhost')) {
    all.set('vhost', vhost);
  }
  return address(parts, all);
}

/** Returns the address of this view with some parameters changed; null removes one. */
export function here(changes) {
  const all = new URLSearchParams(route.params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') {
      all.delete(name);
    } else {
      all.set(name, value);
    }
  }
  return address(route.parts, all);
}

/** Shows another view; with replace, "back" does not return to this one. */
export function go(where, replace = false) {
  if (replace) {
    location.replace(where);
  } else {
    location.hash = where.slice(1);
  }
}

/** Returns the virtual host that is selected, or null for all. */
export const selectedVhost = () => route.params.get('vhost');

/** The default exchange has an empty name, which cannot stand in a path. */
export const exchangeInPath = name => (name === '' ? 'amq.default' : name);

export const toQueue = (vhost, name) => link(['queues', vhost, name]);
export const toExchange = (vhost, name) => link(['exchanges', vhost, exchangeInPath(name)]);
export const toConnection = name => link(['connections', name]);
export const toChannel = name => link(['channels', name]);
