/* Numbers, times and values as text. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** Shown where there is no value. */
const NONE = '–';

export const number = value => (value === undefined || value === null ? NONE : WHOLE.format(value));

/** A rate per second. */
export function rate(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  return `${value !== 0 && Math.abs(value) < 100 ? SHORT.format(value) : WHOLE.format(value)}/s`;
}

/** The rate of a field that has ..._details. */
export const rateOf = (stats, name) => rate(stats?.[name + '_details']?.rate ?? 0);

export function bytes(value) {
  if (value === undefined || value === null) {
    return NONE;
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let amount = value;
  while (Math.abs(amount) >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${unit === 0 ? WHOLE.format(amount) : SHORT.format(amount)} ${units[unit]}`;
}

/** A span of time, given in ms, with its two largest units. */
export function duration(millis) {
  if (millis === undefined || millis === null) {
    return NONE;
  }
  if (millis < 0) {
    return '-' + duration(-millis);
  }
  if (millis < 1000) {
    return `${Math.round(millis)} ms`;
  }
  if (millis < 10_000) {
    return `${SHORT.format(millis / 1000)} s`;
  }
  const units = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000]];
  const first = units.findIndex(([, size]) => millis >= size);
  const [name, size] = units[first];
  const whole = Math.floor(millis / size);
  const next = units[first + 1];
  const rest = next === undefined ? 0 : Math.floor((millis - whole * size) / next[1]);
  return `${whole} ${name}` + (rest === 0 ? '' : ` ${rest} ${next[0]}`);
}

/** A moment, in ms since 1970, in local time; with the day unless it is today. */
export function time(millis) {
  if (millis === undefined || millis === null) {
    return NONE;
  }
  const moment = new Date(millis);
  const day = DAY.format(moment);
  const clock = CLOCK.format(moment);
  return day === DAY.format(new Date()) ? clock : `${day} ${clock}`;
}

/** A value of an argument or a policy as text. */
export function value(any) {
  if (any === undefined || any === null) {
    return NONE;
  }
  return typeof any === 'string' ? any : JSON.stringify(any);
}

/** The name of an exchange for people. */
export const exchangeName = name => (name === '' ? '(default)' : name);

/** A number of things, such as "1 message" and "2 messages". */
export const count = (amount, one, several = one + 's') =>
  `${number(amount)} ${amount === 1 ? one : several}`;
