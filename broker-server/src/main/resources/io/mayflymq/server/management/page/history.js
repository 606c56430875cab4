/*
 * Numbers over time. If the API's answer has samples, they are used. If not, the page keeps what it
 * has polled while it is open.
 */

import { route } from './router.js';

/** What may be chosen: how far back, and the distance of two samples, both in seconds. */
export const RANGES = [
  { age: 60, step: 5, label: 'last minute' },
  { age: 600, step: 5, label: 'last ten minutes' },
  { age: 3600, step: 60, label: 'last hour' },
  { age: 28800, step: 600, label: 'last eight hours' },
  { age: 86400, step: 1800, label: 'last day' },
];

const MOST_POINTS = 720;
const MOST_KEYS = 30;

/** In seconds. */
const SHORTEST_STEP = 2;

const kept = new Map();

/** Returns the range that the address says. */
export const range = () =>
  RANGES.find(each => String(each.age) === route.params.get('range')) ?? RANGES[1];

/** Returns the parameters that ask the API for samples. */
export function sampleParameters() {
  const { age, step } = range();
  const parameters = {};
  for (const kind of ['lengths', 'msg_rates', 'data_rates', 'node_stats']) {
    parameters[kind + '_age'] = age;
    parameters[kind + '_incr'] = step;
  }
  return parameters;
}

/** Keeps numbers of now, for what has no samples. */
export function remember(key, values) {
  const points = kept.get(key) ?? [];
  const time = Date.now() / 1000;
  if (points.length > 0 && time - points[points.length - 1].time < SHORTEST_STEP) {
    // It was only drawn again.
    return;
  }
  kept.delete(key);
  kept.set(key, [...points.slice(1 - MOST_POINTS), { time, values }]);
  if (kept.size > MOST_KEYS) {
    kept.delete(kept.keys().next().value);
  }
}

/** Returns whether an object has samples of this field. */
const samplesOf = (object, field) => {
  const samples = object?.[field + '_details']?.samples;
  return samples?.length > 1 ? samples : undefined;
};

/** Differences per second of a counter's samples, which come with the latest first. */
function perSecond(samples) {
  return samples.slice(0, -1).map((later, i) => ({
    timestamp: later.timestamp,
    sample: Math.max(0, (later.sample - samples[i + 1].sample) * 1000 / (later.timestamp - samples[i + 1].timestamp)),
  }));
}

/**
 * Returns the lines of a plot.
 *
 * @param key what the plot shows, for what is kept here
 * @param fields each with a label, the object and the field, and whether its rate is meant
 * @return the times in seconds, a line of values for each field, and whether the API had them
 */
export function lines(key, fields) {
  const sampled = fields.map(({ object, field }) => samplesOf(object, field));
  if (sampled.some(samples => samples !== undefined)) {
    const points = fields.map(({ isRate }, i) => {
      const samples = sampled[i] ?? [];
      return new Map((isRate ? perSecond(samples) : samples)
        .map(({ timestamp, sample }) => [Math.round(timestamp / 1000), sample]));
    });
    const times = [...new Set(points.flatMap(line => [...line.keys()]))].sort((a, b) => a - b);
    return { times, values: points.map(line => times.map(at => line.get(at) ?? null)), fromBroker: true };
  }
  remember(key, fields.map(({ object, field, isRate }) =>
    (isRate ? object?.[field + '_details']?.rate : object?.[field]) ?? 0));
  const from = Date.now() / 1000 - range().age;
  const points = kept.get(key).filter(point => point.time >= from);
  return {
    times: points.map(point => point.time),
    values: fields.map((_, i) => points.map(point => point.values[i] ?? null)),
    fromBroker: false,
  };
}
