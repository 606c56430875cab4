/*
 * Marks what is wider than its place, such as a table or the navigation on a phone, with the sides on which
 * there is more (data-more: left, right or both). The style sheet draws shadows there.
 */

const WIDE = '.table, nav.main, nav.tabs';

/** So much of what is beside the current view is seen, too, in pixels. */
const MARGIN = 24;

function mark(element) {
  const left = element.scrollLeft > 1;
  const right = element.scrollLeft + element.clientWidth < element.scrollWidth - 1;
  const more = left && right ? 'both' : left ? 'left' : right ? 'right' : '';
  if ((element.dataset.more ?? '') !== more) {
    element.dataset.more = more;
  }
}

/** Scrolls navigation to the view that is shown, as on a phone not all of it is seen. */
export function showCurrent() {
  for (const current of document.querySelectorAll('nav.main [aria-current=page], nav.tabs [aria-current=page]')) {
    const nav = current.parentElement;
    const { left, right } = current.getBoundingClientRect();
    const seen = nav.getBoundingClientRect();
    nav.scrollLeft += Math.min(0, left - MARGIN - seen.left) || Math.max(0, right + MARGIN - seen.right);
  }
  markOverflow();
}

/** Marks what is shown. */
export function markOverflow() {
  document.querySelectorAll(WIDE).forEach(mark);
}

document.addEventListener('scroll', event => {
  if (event.target.matches?.(WIDE)) {
    mark(event.target);
  }
}, { capture: true, passive: true });
window.addEventListener('resize', showCurrent);
