/*
 * A plot of some lines over time, as the element <mayfly-plot>. The lines differ in colour and in
 * their dashes, and the legend beside it has the values as text.
 */

import { range } from './history.js';

const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 2]];
const WHOLE_STEPS = Array.from({ length: 13 }, (_, i) => [1, 2, 5].map(step => step * 10 ** i)).flat();
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Returns a colour of the style sheet. */
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class MayflyPlot extends HTMLElement {
  #plot = null;
  #shape = '';
  #given = null;
  #observer = new ResizeObserver(() => this.#resize());
  #recolour = () => this.#draw(true);
  #pointed = document.createElement('div');

  connectedCallback() {
    this.#pointed.className = 'pointed';
    this.#observer.observe(this);
    dark.addEventListener('change', this.#recolour);
    this.#draw(true);
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    dark.removeEventListener('change', this.#recolour);
    this.#plot?.destroy();
    this.#plot = null;
  }

  /** What is shown: labels, times in seconds, a line of values for each label, how a value is written, and whether there are only whole numbers. */
  set content(given) {
    this.#given = given;
    this.#draw(false);
  }

  #draw(anew) {
    if (this.#given === null || !this.isConnected || globalThis.uPlot === undefined) {
      return;
    }
    const { labels, times, values, text, whole } = this.#given;
    const data = [times, ...values];
    const shape = `${labels.join()} ${this.#window()}`;
    if (!anew && this.#plot !== null && shape === this.#shape) {
      this.#plot.setData(data, false);
      this.#plot.setScale('x', this.#bounds());
      return;
    }
    this.#shape = shape;
    this.#plot?.destroy();
    this.#plot = new globalThis.uPlot(this.#options(labels, text, whole), data, this);
    this.append(this.#pointed);
    this.#plot.setScale('x', this.#bounds());
  }

  /** How far back it shows, in seconds: not much further than what is known. */
  #window() {
    const { times, fromBroker } = this.#given;
    const known = times.length === 0 ? 0 : Date.now() / 1000 - times[0];
    return fromBroker ? range().age : Math.min(range().age, Math.max(60, Math.ceil(known / 60) * 60));
  }

  #bounds() {
    const now = Date.now() / 1000;
    return { min: now - this.#window(), max: now };
  }

  #options(labels, text, whole) {
    const axis = {
      stroke: colour('--faint'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    return {
      width: Math.max(160, this.clientWidth),
      height: 170,
      legend: { show: false },
      hooks: { setCursor: [plot => this.#point(plot)] },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1, (high ?? 0) * 1.1)] } },
      axes: [
        { ...axis, size: 30, space: 70, values: (_, splits) => splits.map(at => new Date(at * 1000).toLocaleTimeString('en-GB', this.#window() <= 600 ? {} : { hour: '2-digit', minute: '2-digit' })) },
        { ...axis, size: 62, ...(whole ? { incrs: WHOLE_STEPS } : {}), values: (_, splits) => splits.map(text) },
      ],
      series: [
        {},
        ...labels.map((label, i) => ({
          label,
          stroke: colour(`--series-${i + 1}`),
          width: 1.75,
          dash: DASHES[i % DASHES.length],
          points: { show: false },
        })),
      ],
    };
  }

  /** Writes the values of the time that the mouse points to, or nothing. */
  #point(plot) {
    const i = plot.cursor.idx;
    const shown = i !== null && i !== undefined && plot.cursor.left >= 0;
    const { labels, times, values, text } = this.#given;
    this.#pointed.textContent = shown && times[i] !== undefined
      ? [new Date(times[i] * 1000).toLocaleTimeString('en-GB'), ...labels.map((label, line) => `${label} ${text(values[line][i] ?? 0)}`)].join('  ·  ')
      : '';
  }

  #resize() {
    if (this.#plot !== null && this.clientWidth > 0 && this.#plot.width !== this.clientWidth) {
      this.#plot.setSize({ width: Math.max(160, this.clientWidth), height: 170 });
    }
  }
}

customElements.define('mayfly-plot', MayflyPlot);
