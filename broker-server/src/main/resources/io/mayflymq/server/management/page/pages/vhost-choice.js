/* Virtual hosts in lists and forms. */

import { html } from '../lib/lit-html.js';
import { field } from '../components.js';
import { selectedVhost } from '../router.js';
import { configurableVhosts } from '../session.js';

/** The column of a list that names the virtual host, unless one is selected. */
export const vhostColumn = () =>
  selectedVhost() === null && { title: 'Virtual host', sort: 'vhost', secondary: true, cell: row => row.vhost };

/** The field of a form that chooses a virtual host in which the user may declare something. */
export const vhostChoice = () => field('Virtual host', html`
  <select name="vhost">${configurableVhosts().map(name => html`
    <option ?selected=${name === selectedVhost()}>${name}</option>`)}</select>`);

/** Returns whether the user may declare something in the selected virtual host, or in any. */
export const mayDeclare = () =>
  selectedVhost() === null ? configurableVhosts().length > 0 : configurableVhosts().includes(selectedVhost());
