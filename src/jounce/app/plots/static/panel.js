// One plot: axes and grid by uPlot, curves drawn here, so that millions of samples cost no more than there are pixels.
import { between, lower } from "/static/plots/curves.js";

const COLOURS = 8;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [1, 2]];
const AXIS = 46; // pixels of an axis of values

let uPlot = null;
export async function getReady() {
  uPlot ??= (await import("/static/vendor/uplot/uPlot.esm.js")).default;
}

let soft = null;
/** Whether pictures are made without a graphics processor: then the processor itself draws lines faster than what
 * pretends to be one. */
function drawnBySoftware() {
  if (soft !== null) return soft;
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  soft = !gl || /swiftshader|llvmpipe|software/i.test(about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return soft;
}

/** Make something whose canvas stays in the memory of the processor. */
function onProcessor(make) {
  const usual = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, more) {
    return usual.call(this, kind, kind === "2d" ? { ...more, willReadFrequently: true } : more);
  };
  try {
    return make();
  } finally {
    HTMLCanvasElement.prototype.getContext = usual;
  }
}

export function colours(host) {
  const style = getComputedStyle(host);
  const get = (name) => style.getPropertyValue(`--jn-${name}`).trim();
  return {
    lines: Array.from({ length: COLOURS }, (_, k) => get(`c${k}`)),
    text: get("muted"), grid: get("line"), panel: get("panel"), strong: get("text"),
  };
}

/** As many digits as tell four of the span that is shown. */
export function digits(value, span) {
  if (!Number.isFinite(value)) return "–";
  if (span < 1e-4 || Math.abs(value) >= 1e7) return value.toExponential(2).replace("-", "−");
  const text = value.toFixed(Math.min(Math.max(0, 3 - Math.ceil(Math.log10(span))), 6));
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

const element = (tag, name, text) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
};

/** What was asked for in words, as long as no run tells it better. */
function spoken(asked) {
  const signal = asked.startsWith("signal:") ? asked.slice(7).replaceAll("_", " ") : "";
  return signal ? signal[0].toUpperCase() + signal.slice(1) : asked;
}

export class Panel {
  constructor(owner, spec) {
    this.owner = owner;
    this.spec = spec;
    this.curves = [];
    this.el = element("section", "jn-plot");
    this.el.tabIndex = 0;
    this.head = this.el.appendChild(element("header", "jn-plot-head"));
    this.titleBox = this.head.appendChild(element("span", "jn-plot-title"));
    this.legend = this.head.appendChild(element("span", "jn-plot-legend"));
    this.tools = this.head.appendChild(element("span", "jn-plot-tools"));
    this.body = this.el.appendChild(element("div", "jn-plot-body"));
    this.line = element("div", "jn-plot-cursor");
    this.box = element("div", "jn-plot-select");
    this.note = this.body.appendChild(element("div", "jn-plot-note"));
    this.makeTools();
    this.listen();
  }
  get crossed() {
    return Boolean(this.spec.x);
  }
  makeTools() {
    const add = (text, title, does) => {
      const button = this.tools.appendChild(element("button", "material-icons", text));
      button.title = title;
      button.setAttribute("aria-label", title);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        does();
      });
    };
    add("open_in_full", "Show this plot alone, or all of them", () => this.owner.alone(this));
    if (!this.owner.editable) return;
    add("swap_horiz", "Plot over the first of these channels, or over time", () => this.swap());
    add("close", "Remove this plot", () => this.owner.remove(this));
  }
  /** The first curve becomes what others are plotted over, and back. */
  swap() {
    const { x, y } = this.spec;
    const next = x ? { ...this.spec, x: "", y: [x, ...y] } : { ...this.spec, x: this.curves[0]?.asked ?? "", y: y.filter((name) => name !== this.curves[0]?.asked) };
    if (next.y.length) this.owner.change(this, next);
  }
  listen() {
    this.body.addEventListener("pointermove", (event) => this.move(event));
    this.body.addEventListener("pointerdown", (event) => this.press(event));
    this.body.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.body.addEventListener("dblclick", () => this.showAll());
    this.el.addEventListener("focus", () => this.owner.activate(this));
    this.el.addEventListener("pointerdown", () => this.owner.activate(this));
    this.el.addEventListener("dragover", (event) => {
      if (!this.owner.editable || !event.dataTransfer.types.includes("text/jounce-channel")) return;
      event.preventDefault();
      this.el.classList.add("jn-plot-drop");
    });
    this.el.addEventListener("dragleave", () => this.el.classList.remove("jn-plot-drop"));
    this.el.addEventListener("drop", (event) => {
      this.el.classList.remove("jn-plot-drop");
      const names = event.dataTransfer.getData("text/jounce-channel");
      if (!this.owner.editable || !names) return;
      event.preventDefault();
      const axis = this.plot && event.clientY > this.plot.over.getBoundingClientRect().bottom;
      if (axis) this.owner.change(this, { ...this.spec, x: JSON.parse(names)[0] });
      else this.owner.add(JSON.parse(names), this);
    });
  }

  // --- what is shown --------------------------------------------------------------------------------------------------

  /** Curves from what the sources have; the first run is drawn in full lines. */
  resolve() {
    const found = [];
    const sources = this.owner.sources;
    sources.forEach((source, number) => {
      for (const asked of this.spec.y) {
        for (const channel of source.groups[asked] ?? []) {
          const about = source.about[channel];
          const x = this.crossed ? (source.groups[this.spec.x] ?? [])[0] : "";
          if (about && x !== undefined) found.push({ source, number, asked, channel, about: { ...about, title: source.titles[asked] ?? about.title }, x });
        }
      }
    });
    const shown = {}; // one unit on display for each unit, that of the largest numbers
    for (const { about } of found) {
      if (!shown[about.unit] || about.size > shown[about.unit].size) shown[about.unit] = { ...about.shown, size: about.size };
    }
    const names = [...new Set(found.map((c) => c.channel))];
    const several = names.length > 1;
    const stems = new Set(found.map((c) => c.about.title));
    this.curves = found.map((curve) => {
      const { about, number } = curve;
      const k = several ? names.indexOf(curve.channel) : number;
      const what = stems.size === 1 && about.wheel ? about.wheel : several ? about.title + (about.wheel ? ` ${about.wheel}` : "") : "";
      const run = sources.length > 1 ? String.fromCharCode(65 + (number % 26)) : "";
      return { ...curve, shown: shown[about.unit], scale: shown[about.unit].label || "-", colour: k % COLOURS, dash: several ? DASHES[number % DASHES.length] : [], what, run };
    });
    this.scales = [...new Set(this.curves.map((c) => c.scale))];
    const first = this.curves[0];
    const usual = first ? (stems.size === 1 ? first.about.title : [...stems].slice(0, 3).join(", ")) : this.spec.y.map(spoken).join(", ");
    this.title = this.spec.title || usual;
    if (this.crossed && first) {
      const about = first.source.about[first.x];
      this.xShown = about.shown;
      for (const { source, x } of this.curves) if (source.about[x].unit === about.unit && source.about[x].size > about.size) this.xShown = source.about[x].shown;
      this.xTitle = (first.source.titles[this.spec.x] ?? about.title) + (about.wheel ? ` ${about.wheel}` : "");
    }
    this.titleBox.textContent = this.title;
    this.titleBox.title = [...new Set(this.curves.map((c) => c.channel))].join("\n");
    const known = this.owner.sources.some((source) => source.known);
    this.note.textContent = found.length ? "" : !this.spec.y.length ? "drop a channel here" : known ? "not recorded in these runs" : "";
    this.makeLegend();
    this.makePlot();
  }
  makeLegend() {
    this.legend.replaceChildren();
    const items = new Map(); // of several channels one item each, with the values of all runs
    const several = new Set(this.curves.map((c) => c.channel)).size > 1;
    for (const curve of this.curves) {
      const known = several ? items.get(curve.channel) : null;
      if (known) {
        known.title += `\n${curve.run}: ${curve.source.label}`;
        curve.box = known.insertBefore(element("b", "", ""), known.querySelector("em, button"));
        known.curves.push(curve);
        continue;
      }
      const item = this.legend.appendChild(element("span", "jn-plot-item"));
      item.curves = [curve];
      items.set(curve.channel, item);
      item.title = `${curve.channel}\n${curve.run ? `${curve.run}: ` : ""}${curve.source.label}`;
      const swatch = item.appendChild(element("i"));
      swatch.style.borderTop = `2px ${curve.dash.length ? "dashed" : "solid"} var(--jn-c${curve.colour})`;
      const words = several ? curve.what : curve.run;
      if (words) item.appendChild(element("span", "", words));
      curve.box = item.appendChild(element("b", "", ""));
      if (this.scales.length > 1) item.appendChild(element("em", "", curve.shown.label));
      item.addEventListener("click", () => {
        const hidden = !curve.hidden;
        for (const one of item.curves) one.hidden = hidden;
        item.classList.toggle("jn-plot-off", hidden);
        this.draw();
      });
      if (!this.owner.editable) continue;
      const away = item.appendChild(element("button", "material-icons", "close"));
      away.title = `Remove ${curve.channel}`;
      away.addEventListener("click", (event) => {
        event.stopPropagation();
        this.owner.drop(this, curve);
      });
    }
  }

  // --- axes -----------------------------------------------------------------------------------------------------------

  makePlot() {
    this.plot?.destroy();
    this.plot = null;
    if (!uPlot || !this.curves.length) return;
    const c = this.owner.colours;
    const font = '11px system-ui, "DejaVu Sans", sans-serif';
    const usual = { stroke: c.text, font, labelFont: font, labelSize: 13, labelGap: 0, grid: { stroke: c.grid, width: 1 }, ticks: { show: false } };
    const scales = { x: { time: false, auto: false, range: () => this.span() } };
    const unit = (label) => (label === "-" ? "" : label);
    const values = (_, splits) => splits.map((v) => (v === null ? "" : String(+v.toPrecision(6)).replace("-", "−")));
    const seconds = (u, splits) => values(u, splits).map((text, k) => (k === splits.length - 1 ? `${text} s` : text));
    const below = { ...usual, scale: "x", gap: 3, space: 60 };
    const axes = [this.crossed ? { ...below, size: 30, values, label: `${this.xTitle}${this.xShown.label ? ` / ${this.xShown.label}` : ""}` } : { ...below, size: 20, values: seconds }];
    this.scales.forEach((name, k) => {
      scales[name] = { auto: false, range: () => this.ranges?.[name] ?? [0, 1] };
      axes.push({ ...usual, scale: name, side: k ? 1 : 3, size: AXIS, gap: 4, space: 21, values, label: unit(name), grid: k ? { show: false } : usual.grid });
    });
    const series = [{}, ...this.scales.map((scale) => ({ scale, show: true, points: { show: false }, paths: () => null }))];
    const data = [[0, 1], ...this.scales.map(() => [null, null])];
    const hooks = { drawAxes: [(u) => this.drawCurves(u)] };
    const { width, height } = this.room();
    this.ranges = this.measure();
    const padding = [6, this.scales.length > 1 ? 0 : 18, 0, 0];
    const make = () => new uPlot({ width, height, scales, axes, series, hooks, legend: { show: false }, cursor: { show: false }, padding }, data, this.body);
    this.plot = drawnBySoftware() ? onProcessor(make) : make();
    this.plot.over.append(this.line, this.box);
    this.dots = this.crossed ? this.curves.map((curve) => {
      const dot = this.plot.over.appendChild(element("div", "jn-plot-dot"));
      dot.style.borderColor = `var(--jn-c${curve.colour})`;
      return dot;
    }) : [];
    this.line.style.display = this.crossed ? "none" : "";
    this.mark();
  }
  room() {
    return { width: Math.max(this.body.clientWidth, 80), height: Math.max(this.body.clientHeight, 60) };
  }
  resize() {
    if (!this.plot) return;
    const { width, height } = this.room();
    if (width !== this.plot.width || height !== this.plot.height) this.plot.setSize({ width, height });
    this.mark();
  }
  span() {
    if (!this.crossed) return this.owner.window;
    return this.xRange ?? [0, 1];
  }
  /** Rows of a curve that are seen: arrays, first and last index. */
  seen(curve) {
    const [from, to] = this.owner.window;
    const rows = this.crossed ? curve.source.pairs : curve.source.rows(from, to);
    const y = rows?.columns[curve.channel];
    const x = this.crossed ? rows?.columns[curve.x] : rows?.time;
    if (!y || !x) return null;
    const first = Math.max(lower(rows.time, from, rows.length) - 1, 0);
    const last = Math.min(lower(rows.time, to, rows.length) + 1, rows.length);
    return { x, y, first, last };
  }
  /** From the smallest to the largest value that is seen, by scale. */
  measure() {
    const found = {};
    let xs = [Infinity, -Infinity];
    for (const curve of this.curves) {
      const rows = curve.hidden ? null : this.seen(curve);
      if (!rows) continue;
      const { factor, offset } = curve.shown;
      const span = (found[curve.scale] ??= [Infinity, -Infinity, curve.shown.least ?? 0]);
      for (let k = rows.first; k < rows.last; k++) {
        const v = rows.y[k] * factor + offset;
        if (v < span[0]) span[0] = v;
        if (v > span[1]) span[1] = v;
        if (!this.crossed) continue;
        const x = rows.x[k] * this.xShown.factor + this.xShown.offset;
        if (x < xs[0]) xs[0] = x;
        if (x > xs[1]) xs[1] = x;
      }
    }
    const wide = ([low, high, least = 0]) => {
      if (!(high >= low)) return [0, 1];
      const missing = Math.max(least, 1e-12 * Math.max(Math.abs(low), Math.abs(high)), low === high ? Math.abs(low) * 0.1 || 1 : 0) - (high - low);
      const more = Math.max(missing, 0) / 2;
      const edge = 0.06 * (high - low + 2 * more);
      return [low - more - edge, high + more + edge];
    };
    const result = {};
    for (const scale of this.scales) result[scale] = wide(found[scale] ?? [0, 1]);
    if (this.crossed) this.xRange = wide(xs);
    if (this.crossed && this.spec.equal) this.makeEqual(result);
    return result;
  }
  /** A way seen from above has one scale for both directions. */
  makeEqual(ranges) {
    const name = this.scales[0];
    const { width, height } = this.plot ? { width: this.plot.over.clientWidth, height: this.plot.over.clientHeight } : this.room();
    const [x, y] = [this.xRange, ranges[name]];
    const per = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const around = ([low, high], pixels) => [(low + high - per * pixels) / 2, (low + high + per * pixels) / 2];
    this.xRange = around(x, width);
    ranges[name] = around(y, height);
  }
  draw() {
    if (!this.plot) return;
    this.ranges = this.measure();
    const [min, max] = this.span();
    // all of these are done in one go, after this; `batch` would draw at once, and again
    this.plot.setScale("x", { min, max });
    for (const scale of this.scales) this.plot.setScale(scale, { min: this.ranges[scale][0], max: this.ranges[scale][1] });
    this.plot.redraw(false, true);
    this.mark();
  }
  drawCurves(u) {
    const { left, top, width, height } = u.bbox;
    const ctx = u.ctx;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    const [xMin, xMax] = this.span();
    const ratio = devicePixelRatio || 1;
    const seen = this.curves.reduce((sum, curve) => {
      const rows = curve.hidden ? null : this.seen(curve);
      return sum + (rows ? rows.last - rows.first : 0);
    }, 0);
    for (const curve of this.curves) {
      const rows = curve.hidden ? null : this.seen(curve);
      if (!rows) continue;
      const [yMin, yMax] = this.ranges[curve.scale];
      const { factor, offset } = curve.shown;
      const sy = -height / (yMax - yMin);
      const toY = (v) => top + height + (v * factor + offset - yMin) * sy;
      const sx = width / (xMax - xMin);
      const toX = this.crossed ? (v) => left + (v * this.xShown.factor + this.xShown.offset - xMin) * sx : (v) => left + (v - xMin) * sx;
      ctx.beginPath();
      if (this.crossed || rows.last - rows.first < 3 * width) this.trace(ctx, rows, toX, toY);
      else this.traceDense(ctx, rows, toX, toY);
      ctx.strokeStyle = this.owner.colours.lines[curve.colour];
      const dense = seen > 6000; // thin lines without joins cost less
      ctx.lineWidth = (dense ? 1 : 1.4) * ratio;
      ctx.lineJoin = dense ? "bevel" : "round";
      ctx.setLineDash(curve.dash.map((v) => v * ratio));
      ctx.stroke();
    }
    ctx.restore();
    this.owner.frames += 1;
  }
  trace(ctx, { x, y, first, last }, toX, toY) {
    let pen = false;
    for (let k = first; k < last; k++) {
      const v = y[k];
      if (v !== v || x[k] !== x[k]) pen = false;
      else if (pen) ctx.lineTo(toX(x[k]), toY(v));
      else {
        ctx.moveTo(toX(x[k]), toY(v));
        pen = true;
      }
    }
  }
  /** Of many samples within a pixel the smallest and the largest. */
  traceDense(ctx, { x, y, first, last }, toX, toY) {
    let column = NaN;
    let low = 0;
    let high = 0;
    let pen = false;
    const flush = () => {
      if (column !== column) return;
      if (pen) ctx.lineTo(column, toY(low));
      else ctx.moveTo(column, toY(low));
      if (high !== low) ctx.lineTo(column, toY(high));
      pen = true;
    };
    for (let k = first; k < last; k++) {
      const v = y[k];
      if (v !== v) {
        flush();
        column = NaN;
        pen = false;
        continue;
      }
      const at = Math.round(toX(x[k]));
      if (at === column) {
        if (v < low) low = v;
        if (v > high) high = v;
      } else {
        flush();
        column = at;
        low = high = v;
      }
    }
    flush();
  }

  // --- cursor ---------------------------------------------------------------------------------------------------------

  mark() {
    const t = this.owner.cursor;
    if (!this.plot) return;
    const at = (value, scale) => this.plot.valToPos(value, scale);
    if (!this.crossed) {
      const x = Number.isFinite(t) ? at(t, "x") : -10;
      this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
      this.line.style.visibility = x < 0 || x > this.plot.over.clientWidth ? "hidden" : "";
    }
    this.curves.forEach((curve, k) => {
      const { factor, offset } = curve.shown;
      const v = Number.isFinite(t) ? curve.source.value(curve.channel, t) * factor + offset : NaN;
      curve.value = v;
      const [low, high] = this.ranges[curve.scale];
      const text = Number.isFinite(t) ? digits(v, high - low) : "";
      if (curve.box.textContent !== text) curve.box.textContent = text;
      if (!this.crossed) return;
      const pairs = curve.source.pairs;
      const x = pairs ? between(pairs.time, pairs.columns[curve.x], t, pairs.length) * this.xShown.factor + this.xShown.offset : NaN;
      const there = Number.isFinite(v) && Number.isFinite(x) && !curve.hidden;
      this.dots[k].style.display = there ? "" : "none";
      if (there) this.dots[k].style.transform = `translate(${at(x, "x").toFixed(1)}px, ${at(v, curve.scale).toFixed(1)}px)`;
    });
  }
  place(event) {
    const box = this.plot.over.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width };
  }
  move(event) {
    if (!this.plot || this.drag) return;
    const { x, y } = this.place(event);
    if (!this.crossed) {
      if (x >= 0 && x <= this.plot.over.clientWidth) this.owner.point(this.plot.posToVal(x, "x"));
      return;
    }
    const near = this.nearest(x, y);
    if (near !== null) this.owner.point(near);
  }
  /** The instant at which the first run is nearest to a place in a cross plot. */
  nearest(x, y) {
    const curve = this.curves.find((c) => !c.hidden);
    const rows = curve && this.seen(curve);
    if (!rows) return null;
    let best = 30 * 30;
    let found = null;
    const { factor, offset } = curve.shown;
    for (let k = rows.first; k < rows.last; k++) {
      const dx = this.plot.valToPos(rows.x[k] * this.xShown.factor + this.xShown.offset, "x") - x;
      const dy = this.plot.valToPos(rows.y[k] * factor + offset, curve.scale) - y;
      const d = dx * dx + dy * dy;
      if (d < best) {
        best = d;
        found = curve.source.pairs.time[k];
      }
    }
    return found;
  }
  press(event) {
    if (!this.plot || this.crossed || (event.button !== 0 && event.button !== 1)) return;
    const start = this.place(event);
    if (start.x < -AXIS || start.x > start.width + AXIS) return;
    event.preventDefault();
    this.el.focus({ preventScroll: true });
    const moving = event.shiftKey || event.button === 1;
    const [from, to] = this.owner.window;
    this.drag = true;
    this.body.setPointerCapture(event.pointerId);
    const onMove = (e) => {
      const { x } = this.place(e);
      if (moving) {
        const by = ((start.x - x) / start.width) * (to - from);
        this.owner.zoom(from + by, to + by);
      } else {
        const [a, b] = [Math.max(0, Math.min(start.x, x)), Math.min(start.width, Math.max(start.x, x))];
        this.box.style.display = b - a > 4 ? "block" : "none";
        this.box.style.left = `${a}px`;
        this.box.style.width = `${b - a}px`;
      }
    };
    const onUp = (e) => {
      this.body.removeEventListener("pointermove", onMove);
      this.body.removeEventListener("pointerup", onUp);
      this.body.removeEventListener("pointercancel", onUp);
      this.drag = false;
      this.box.style.display = "none";
      if (moving || e.type === "pointercancel") return;
      const { x } = this.place(e);
      const value = (v) => this.plot.posToVal(Math.min(Math.max(v, 0), start.width), "x");
      if (Math.abs(x - start.x) > 4) this.owner.zoom(value(Math.min(x, start.x)), value(Math.max(x, start.x)));
      else this.owner.point(value(x), true);
    };
    this.body.addEventListener("pointermove", onMove);
    this.body.addEventListener("pointerup", onUp);
    this.body.addEventListener("pointercancel", onUp);
  }
  wheel(event) {
    if (!this.plot || this.crossed || event.ctrlKey) return;
    event.preventDefault();
    const { x, width } = this.place(event);
    const [from, to] = this.owner.window;
    const at = from + Math.min(Math.max(x / width, 0), 1) * (to - from);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / 600) * (to - from);
      this.owner.zoom(from + by, to + by);
      return;
    }
    const factor = Math.exp(Math.min(Math.max(event.deltaY, -200), 200) / 400);
    this.owner.zoom(at - (at - from) * factor, at + (to - at) * factor);
  }
  showAll() {
    this.owner.showAll();
  }
  end() {
    this.plot?.destroy();
    this.el.remove();
  }
}
