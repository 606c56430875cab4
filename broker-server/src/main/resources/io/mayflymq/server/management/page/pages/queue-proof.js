/* What can happen to the messages of a queue, and what cannot. */

import { html } from '../lib/lit-html.js';
import { table } from '../components.js';

const HAPPENING = { lost: 'be lost', late: 'be late', 'out of order': 'come out of order', twice: 'come twice' };

/** A table of the claims: what can happen comes first. */
export function proofPart(proof) {
  const claims = verdict => proof.claims.filter(claim => claim.verdict === verdict);
  return html`
    ${table([
      { title: 'Messages', cell: claim => `${claim.verdict} ${HAPPENING[claim.danger] ?? claim.danger}` },
      { title: 'When', cell: claim => claim.event },
      { title: 'What happens', cell: claim => claim.sentence },
      { title: 'Follows from', cell: claim => claim.from },
      { title: 'What would change it', cell: claim => (claim.change?.startsWith('mayflyctl ') ? html`<code>${claim.change}</code>` : claim.change ?? '') },
    ], [...claims('can'), ...claims('cannot')], { name: 'What can happen', empty: 'Nothing is known.' })}`;
}
