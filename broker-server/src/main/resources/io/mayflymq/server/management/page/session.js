/* Who is logged in, and what the user may do. The broker checks every request; this hides what would fail. */

let user = null;
let listener = async () => {};

/** Sets what is called when the user's virtual hosts may have changed. */
export function onChange(call) {
  listener = call;
}

/** Says that virtual hosts were added or deleted. */
export const changed = () => listener();

/** Sets the user, as the API describes one; null after the logout. */
export function setUser(described) {
  user = described;
}

export const userName = () => user?.name ?? '';
export const tags = () => user?.tags ?? [];
export const isAdministrator = () => tags().includes('administrator');
export const isMonitor = () => isAdministrator() || tags().includes('monitoring');
export const isPolicymaker = () => isAdministrator() || tags().includes('policymaker');

/** Returns whether the user has permissions in a virtual host. */
export const mayEnter = vhost => user?.permissions[vhost] !== undefined;

/**
 * Returns whether the user may do something to a queue or an exchange; the default exchange is
 * 'amq.default'. The broker's regular expressions are almost those of browsers; one that is not is
 * taken as a yes, and the broker decides.
 *
 * @param what 'configure', 'write' or 'read'
 */
export function may(what, vhost, name) {
  const pattern = user?.permissions[vhost]?.[what];
  if (pattern === undefined) {
    return false;
  }
  try {
    return pattern === '' ? name === '' : new RegExp(pattern).test(name);
  } catch {
    return true;
  }
}

/** Returns the virtual hosts in which the user may declare at least something. */
export const configurableVhosts = () =>
  Object.entries(user?.permissions ?? {})
    .filter(([, held]) => held.configure !== '' && held.configure !== '^$')
    .map(([name]) => name);
