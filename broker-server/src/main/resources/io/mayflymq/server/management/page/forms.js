/* What is wrong with a form, said at the field that it is about. */

/** Returns whether a text mentions a key, and not only a longer one. */
const mentions = (text, key) =>
  key !== '' && new RegExp(`(^|[^\\w-])${key.replace(/[^\w-]/g, '\\$&')}($|[^\\w-])`).test(text);

const isText = element => element.matches('input:not([type=checkbox], [type=password]), textarea');

/** Of a limit that is reached no single field is to blame. */
const isLimit = text => /\blimit\b/.test(text);

/**
 * Returns the field of a form that a text is about, or undefined: the argument that it mentions, or
 * the field whose name it quotes, or one of whose words (data-about, separated by |) it has, or whose
 * value it quotes, or the argument whose value it mentions.
 */
function fieldOf(form, text) {
  const row = [...form.querySelectorAll('.arguments .row')]
    .find(each => mentions(text, each.querySelector('.key').value.trim()));
  if (row !== undefined) {
    return row.querySelector('.value');
  }
  const fields = [...form.elements].filter(each => each.name && each.type !== 'submit');
  const words = field => (field.dataset.about ?? '').split('|').filter(word => word !== '');
  const named = fields.find(each => text.includes(`'${each.name}'`) || words(each).some(word => text.includes(word)));
  if (named !== undefined || isLimit(text)) {
    return named;
  }
  return fields.find(each => isText(each) && each.value !== '' && text.includes(`'${each.value}'`))
    ?? [...form.querySelectorAll('.arguments .row .value')].find(each => mentions(text, each.value.trim()));
}

/** Removes what was said about a form. */
export function clearErrors(form) {
  form.querySelectorAll('.error').forEach(each => each.remove());
  form.querySelectorAll('[aria-invalid]').forEach(each => each.removeAttribute('aria-invalid'));
}

/** Adds an error to a field, or to the form itself. */
function say(form, field, text) {
  const said = document.createElement(field === undefined ? 'p' : 'small');
  said.className = field === undefined ? 'error trouble' : 'error';
  said.setAttribute('role', 'alert');
  said.textContent = text;
  if (field === undefined) {
    form.insertBefore(said, form.lastElementChild);
    said.scrollIntoView({ block: 'nearest' });
  } else {
    (field.closest('.row, label') ?? field.parentElement).append(said);
    field.setAttribute('aria-invalid', 'true');
  }
}

/** The line above the errors of a policy, of which each has a line of its own. */
const HEADING = 'Validation failed';

/** Says what is wrong, each line at the field that it is about or else above the buttons of the form. */
export function showError(form, text) {
  clearErrors(form);
  const lines = text.split('\n').filter(line => line.trim() !== '' && line !== HEADING);
  const byField = new Map();
  for (const line of lines) {
    const field = fieldOf(form, line);
    byField.set(field, [...(byField.get(field) ?? []), line]);
  }
  const [first] = [...byField.keys()].filter(field => field !== undefined);
  byField.forEach((said, field) => say(form, field, said.join('\n')));
  first?.focus();
  for (const change of ['input', 'change']) {
    form.addEventListener(change, () => clearErrors(form), { once: true });
  }
}
