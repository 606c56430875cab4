"""What was measured, as Markdown and as SVG, and how it gets into a page of the documentation."""

import math
import os
import pathlib
import platform
import re
from xml.sax.saxutils import escape

COLOURS = ("#2563a8", "#d97706", "#4d8c3f", "#8b3fa8", "#a83232")
WIDTH, HEIGHT = 760, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 50


class Table:
    """What was measured, with goals, printed as it comes and kept."""

    def __init__(self, floor=None):
        """With the name of something that stands beside each figure, and tells what can be attained at all."""
        self.missed = False
        self.lines = []
        self._cells("what", "measured", *([floor] if floor else []), "goal", "")
        self._line("|" + "---|" * (5 if floor else 4))
        self.floor = floor

    def row(self, what, measured, goal="", met=True, floor="", attainable=True):
        """A figure, with what stands beside it, and whether that keeps the goal."""
        self.missed |= not met and attainable
        verdict = "met" if met else "MISSED" if attainable else f"missed, as by the {self.floor}"
        self._cells(what, measured, *([floor] if self.floor else []), goal, verdict if goal else "")

    def _cells(self, *cells):
        self._line(f"| {' | '.join(cells)} |")

    def _line(self, line):
        self.lines.append(line)
        print(line, flush=True)


def machine(scale=1):
    """What tells on what was measured, and whether with fewer messages than it should be."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    cores = len(os.sched_getaffinity(0))
    trial = "" if scale == 1 else f" A trial, with {scale:g} times the messages."
    return f"{cores} cores of {model[1] if model else platform.machine()}, Linux {platform.release()}.{trial}"


def write_section(page, name, text):
    """Replaces what a page has between <!-- results: name --> and <!-- end -->."""
    pattern = re.compile(rf"(<!-- results: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    before = page.read_text()
    if not pattern.search(before):
        raise ValueError(f"{page} has no place for the results of {name}")
    page.write_text(pattern.sub(lambda found: f"{found[1]}\n{text.strip()}\n\n{found[2]}", before, count=1))


def lines(title, x_label, y_label, series, directory):
    """Writes a plot with a line per series, {name: [(x, y)]}, both axes logarithmic; returns the Markdown that shows it."""
    points = [point for each in series.values() for point in each]
    x_axis = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [*_frame(title, series), *_scale(y_axis, y_label)]
    for tick in x_axis.ticks():
        parts.append(_text(x_axis.at(tick), HEIGHT - BOTTOM + 18, short_number(tick), "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label, "middle"))
    for colour, each in zip(COLOURS, series.values()):
        path = " ".join(f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in each)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in each:
            tip = f"<title>{short_number(x)}: {short_number(y)}</title>"
            parts.append(f'<circle cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3" fill="{colour}">{tip}</circle>')
    return _write(title, parts, directory)


def bars(title, y_label, groups, series, directory):
    """Writes a plot with a group of bars per label of groups, and one bar in each per series, {name: [y or None]}, on a
    logarithmic axis; returns the Markdown that shows it."""
    axis = Axis([y for each in series.values() for y in each if y], HEIGHT - BOTTOM, TOP)
    parts = [*_frame(title, series), *_scale(axis, y_label)]
    group = (WIDTH - LEFT - RIGHT) / len(groups)
    width = group * 0.8 / len(series)
    for number, label in enumerate(groups):
        left = LEFT + group * number + group * 0.1
        parts.append(_text(left + group * 0.4, HEIGHT - BOTTOM + 18, label, "middle"))
        for place, (colour, each) in enumerate(zip(COLOURS, series.values())):
            if each[number]:
                top = axis.at(each[number])
                size = f'width="{width:.1f}" height="{max(1, HEIGHT - BOTTOM - top):.1f}"'
                tip = f"<title>{short_number(each[number])}</title>"
                where = f'x="{left + place * width:.1f}" y="{top:.1f}"'
                parts.append(f'<rect {where} {size} fill="{colour}">{tip}</rect>')
    return _write(title, parts, directory)


class Axis:
    """A logarithmic axis from pixel start to pixel end, over whole powers of ten unless the values are within a few."""

    def __init__(self, values, start, end):
        values = [value for value in values if value > 0] or [1]
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log10(max(value, 10**self.low)) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        return [10**power for power in range(self.low, self.high + 1)]


def short_number(value):
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def _frame(title, series):
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield _text(LEFT, 20, title, "start", "bold")
    left = LEFT
    for colour, name in zip(COLOURS, series):
        yield f'<rect x="{left}" y="29" width="10" height="10" fill="{colour}"/>'
        yield _text(left + 14, 38, name, "start")
        left += 34 + 7 * len(name)


def _scale(axis, label):
    for tick in axis.ticks():
        y = axis.at(tick)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield _text(LEFT - 6, y + 4, short_number(tick), "end")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield f'<g transform="translate(16 {middle}) rotate(-90)">{_text(0, 0, label, "middle")}</g>'


def _text(x, y, text, anchor, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'


def _write(title, parts, directory):
    directory.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".svg"
    style = 'font-family="sans-serif" font-size="12" fill="#222222"'
    view = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    body = "\n".join(parts)
    (directory / name).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {view} {style}>\n{body}\n</svg>\n')
    return f"![{title}]({directory.name}/{name})"
