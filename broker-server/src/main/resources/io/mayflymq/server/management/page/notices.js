/* Short messages about what was done, and questions before something is destroyed. */

import { html, render } from './lib/lit-html.js';

const STAYS_MILLIS = 8000;

let notices = [];
let next = 0;

function draw() {
  render(
    notices.map(notice => html`
      <div class="notice ${notice.kind}">
        <span>${notice.kind === 'bad' ? html`<strong>Failed:</strong> ` : ''}${notice.text}</span>
        <button type="button" class="plain" aria-label="Dismiss" @click=${() => dismiss(notice)}>×</button>
      </div>`),
    document.getElementById('notices'));
}

function dismiss(notice) {
  notices = notices.filter(other => other !== notice);
  draw();
}

/**
 * Shows a text; kind is 'good' or 'bad'. A bad one stays until it is dismissed, something is done, or
 * another view is shown.
 *
 * @param unanswered whether the broker did not answer: it goes when the broker does
 */
export function notify(text, kind = 'good', unanswered = false) {
  const notice = { id: next++, text, kind, unanswered };
  notices = [...notices.slice(-3), notice];
  draw();
  if (kind === 'good') {
    setTimeout(() => dismiss(notice), STAYS_MILLIS);
  }
}

/** Removes the messages about what failed, as another view is shown or something was done. */
export function clearFailures() {
  notices = notices.filter(notice => notice.kind !== 'bad');
  draw();
}

/** Removes the messages about what was not answered, as the broker answers. */
export function clearUnanswered() {
  if (notices.some(notice => notice.unanswered)) {
    notices = notices.filter(notice => !notice.unanswered);
    draw();
  }
}

/** Removes all messages. */
export function clearNotices() {
  notices = [];
  draw();
}

/**
 * Asks before something is done. The dialog takes the focus, and Escape is no.
 *
 * @param title names the thing, such as "Delete queue orders?"
 * @param text what will be lost
 * @param action the label of the button that does it
 * @param choice the label of a box that can be checked, for what may be done in two ways
 * @return a promise of whether it was confirmed; with a choice, of false or whether it was checked in `{ chosen }`
 */
export function confirm(title, text, action, choice) {
  const root = document.getElementById('dialogs');
  return new Promise(resolve => {
    render(
      html`
        <dialog aria-labelledby="dialog-title" aria-describedby="dialog-text" @close=${closed}>
          <form method="dialog">
            <h2 id="dialog-title">${title}</h2>
            <p id="dialog-text">${text}</p>
            ${choice ? html`<label class="check"><input type="checkbox" name="chosen"> ${choice}</label>` : ''}
            <div class="buttons">
              <button value="no" autofocus>Cancel</button>
              <button value="yes" class="danger">${action}</button>
            </div>
          </form>
        </dialog>`,
      root);
    const dialog = root.querySelector('dialog');
    dialog.returnValue = 'no';
    dialog.showModal();
    function closed() {
      const confirmed = dialog.returnValue === 'yes';
      const chosen = dialog.querySelector('[name=chosen]')?.checked;
      render('', root);
      resolve(choice ? confirmed && { chosen } : confirmed);
    }
  });
}
