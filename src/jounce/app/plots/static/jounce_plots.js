// A page of plots that share a span of time and a cursor. What it can do, its keys and what can be read back from it is
// told in jounce/app/plots/__init__.py.
import { LiveSource, Source } from "/static/plots/curves.js";
import { Panel, colours, getReady } from "/static/plots/panel.js";

const SHORTEST = 1e-4; // s that a plot may show
const POINTS = 8000; // rows of what is shown coarsely
const LATER = 120; // ms without a zoom until details are fetched

class Board {
  constructor(host, options) {
    this.host = host;
    this.name = host.id;
    this.tell = options.tell;
    this.editable = options.editable;
    this.columns = options.columns;
    this.sources = [];
    this.panels = [];
    this.specs = [];
    this.window = [0, 1];
    this.cursor = NaN;
    this.frames = 0;
    this.colours = colours(this.host);
    this.grid = host.querySelector(".jn-plots-grid");
    this.empty = host.querySelector(".jn-plots-empty");
    this.observer = new ResizeObserver(() => this.later("resize", () => this.panels.forEach((panel) => panel.resize())));
    this.observer.observe(this.grid);
    this.themes = new MutationObserver(() => this.repaint());
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.heard = (event) => this.hear(event.detail ?? {});
    document.addEventListener("jn-cursor", this.heard);
    this.keys = (event) => this.key(event);
    host.addEventListener("keydown", this.keys);
    this.pending = new Map();
  }
  /** Do something once before the next picture. */
  later(name, does) {
    if (this.pending.has(name)) return;
    this.pending.set(name, requestAnimationFrame(() => {
      this.pending.delete(name);
      if (!this.gone) does();
    }));
  }
  said(text) {
    this.empty.textContent = text;
    this.empty.style.display = text ? "" : "none";
  }

  // --- what is shown --------------------------------------------------------------------------------------------------

  async show(runs, specs, keep = false) {
    const asked = (this.asked = Symbol());
    this.endLive();
    this.specs = specs;
    const known = new Map(this.sources.map((source) => [source.id, source]));
    const again = runs.length && runs.every((run) => known.has(run.id) && !(known.get(run.id) instanceof LiveSource));
    const sources = runs.map((run) => new Source(run.id, run.label));
    const problems = await this.load(sources);
    if (this.asked !== asked || this.gone) return;
    this.sources = sources.filter((source) => source.whole || source.pairs);
    if (!(keep || again)) this.window = this.all();
    this.clampCursor();
    this.said(problems.join("\n") || (runs.length ? (specs.length ? "" : "no plots on this page: double-click a channel") : "choose a run"));
    this.rebuild();
    this.refine();
  }
  names() {
    const plain = new Set();
    const crossed = new Set();
    for (const { x, y } of this.specs) {
      for (const name of x ? [x, ...y] : y) (x ? crossed : plain).add(name);
    }
    return [[...plain], [...crossed]];
  }
  async load(sources) {
    const [plain, crossed] = this.names();
    const problems = [];
    await Promise.all(
      sources.map((source) => source.load(plain, crossed, POINTS).catch((problem) => problems.push(`${source.label}: ${problem.message ?? problem}`))),
    );
    return problems;
  }
  live(run, label, specs, end) {
    this.asked = null;
    this.endLive();
    this.specs = specs;
    this.until = end;
    const begun = performance.now();
    const wanted = this.names().flat();
    const told = (first) => {
      if (this.gone || this.sources[0] !== source) return;
      if (first) {
        this.said("");
        this.rebuild();
      }
      const to = source.whole?.length ? source.whole.to : 0;
      if (source.whole?.length && !this.firstDrawn) this.firstDrawn = performance.now() - begun;
      this.window = [source.whole?.length ? Math.min(source.whole.from, 0) : 0, this.farTo(to)];
      this.cursor = source.whole?.length ? to : NaN;
      this.later("draw", () => this.draw());
    };
    const source = new LiveSource(run, label, wanted, told, (said) => {
      this.tell("ended", { run, ...said });
      if (!this.gone && this.sources[0] === source && said.status !== "failed") this.show([{ id: run, label }], specs);
      else if (said.reason && this.sources[0] === source && !source.whole) this.said(said.reason);
    });
    this.firstDrawn = 0;
    this.sources = [source];
    this.window = [0, this.farTo(0)];
    this.cursor = NaN;
    this.said("waiting for the first rows …");
    this.rebuild();
  }
  /** How far the axis of a run that goes on reaches: to its end where that is near, else ahead of it by leaps. */
  farTo(now) {
    const end = this.until || Infinity;
    const leap = 10 * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(now, 1e-9) / 9)));
    return Math.max(now, Math.min(end, leap));
  }
  endLive() {
    for (const source of this.sources) if (source instanceof LiveSource) source.close();
  }
  rebuild() {
    this.panels.forEach((panel) => panel.end());
    const least = this.columns || (this.specs.length > 3 && this.grid.clientWidth > 620 ? 2 : 1);
    const across = Math.max(1, Math.min(least, this.specs.length || 1));
    this.grid.style.gridTemplateColumns = `repeat(${across}, minmax(0, 1fr))`;
    this.panels = this.specs.map((spec) => {
      const panel = new Panel(this, spec);
      this.grid.append(panel.el);
      return panel;
    });
    const rest = this.panels.length % across;
    if (rest) this.panels[this.panels.length - 1].el.style.gridColumn = `span ${across - rest + 1}`;
    this.panels.forEach((panel) => panel.resolve());
    this.activate(this.panels[this.specs.indexOf(this.activeSpec)] ?? this.panels[0]);
    this.mark();
  }
  all() {
    const from = Math.min(...this.sources.map((source) => source.from));
    const to = Math.max(...this.sources.map((source) => source.to));
    return to > from ? [from, to] : [0, 1];
  }
  showAll() {
    if (this.sources.length) this.zoom(...this.all());
  }
  zoom(from, to) {
    const [low, high] = this.all();
    const span = Math.min(Math.max(to - from, SHORTEST), high - low);
    const start = Math.min(Math.max(from, low), high - span);
    this.window = [start, start + span];
    this.later("draw", () => this.draw());
    clearTimeout(this.refining);
    this.refining = setTimeout(() => this.refine(), LATER);
  }
  async refine() {
    const [from, to] = this.window;
    const points = 2 * Math.max(300, ...this.panels.map((panel) => panel.body.clientWidth));
    const came = await Promise.all(this.sources.map((source) => source.refine(from, to, points).catch(() => false)));
    if (came.some(Boolean) && !this.gone) this.later("draw", () => this.draw());
  }
  draw() {
    this.panels.forEach((panel) => panel.draw());
  }
  mark() {
    this.panels.forEach((panel) => panel.mark());
  }
  repaint() {
    this.colours = colours(this.host);
    this.panels.forEach((panel) => panel.makePlot());
  }

  // --- cursor ---------------------------------------------------------------------------------------------------------

  clampCursor() {
    if (!Number.isFinite(this.cursor)) return;
    const [from, to] = this.all();
    if (this.cursor < from || this.cursor > to) this.cursor = NaN;
  }
  /** The user points at an instant; while a scene plays it keeps its own time, unless the instant was chosen. */
  point(time, chosen = false) {
    if (!chosen && Object.values(window.jounceScenes ?? {}).some((scene) => scene.playing)) return;
    if (this.sources.some((source) => source instanceof LiveSource && source.socket)) return;
    const [from, to] = this.all();
    this.setCursor(Math.min(Math.max(time, from), to));
  }
  setCursor(time, quiet = false) {
    this.cursor = time;
    this.later("mark", () => {
      this.mark();
      if (!quiet) document.dispatchEvent(new CustomEvent("jn-cursor", { detail: { time: this.cursor, from: this.name } }));
    });
  }
  hear({ time, from }) {
    if (from === this.name || !Number.isFinite(time)) return;
    this.setCursor(time, true);
    const [low, high] = this.window;
    const [start, end] = this.all();
    if ((time < low || time > high) && time >= start && time <= end && high - low < end - start) {
      const span = high - low; // what plays runs out of what is shown
      const next = time > high ? time - 0.1 * span : time - 0.9 * span;
      this.zoom(next, next + span);
    }
  }
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    const [from, to] = this.window;
    const step = (event.shiftKey ? 0.05 : 0.005) * (to - from);
    const at = Number.isFinite(this.cursor) ? this.cursor : (from + to) / 2;
    const zoom = (factor) => this.zoom(at - (at - from) * factor, at + (to - at) * factor);
    const does = {
      ArrowRight: () => this.point(at + step, true),
      ArrowLeft: () => this.point(at - step, true),
      "+": () => zoom(0.7),
      "-": () => zoom(1 / 0.7),
      Home: () => this.showAll(),
      Delete: () => this.editable && this.active && this.remove(this.active),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  // --- changes --------------------------------------------------------------------------------------------------------

  activate(panel) {
    this.active = panel;
    this.activeSpec = panel?.spec;
    this.panels.forEach((one) => one.el.classList.toggle("jn-plot-active", one === panel && this.editable));
  }
  alone(panel) {
    const one = this.grid.classList.toggle("jn-plots-alone");
    this.panels.forEach((other) => other.el.classList.toggle("jn-plot-hidden", one && other !== panel));
    this.panels.forEach((other) => other.resize());
    this.draw();
  }
  /** Other channels or another x: what is missing is fetched. */
  async renew(specs) {
    this.tell("changed", { panels: specs });
    await this.show(this.sources.map(({ id, label }) => ({ id, label })), specs, true);
  }
  change(panel, spec) {
    this.activeSpec = spec;
    this.renew(this.specs.map((one) => (one === panel.spec ? spec : one)));
  }
  add(names, panel = this.active) {
    const found = this.panels.includes(panel) ? panel : null;
    if (!found) return this.addPlot(names);
    const fresh = names.filter((name) => !found.spec.y.includes(name));
    if (!fresh.length) return undefined;
    return this.change(found, { ...found.spec, title: "", y: [...found.spec.y, ...fresh] });
  }
  addPlot(names) {
    const spec = { title: "", x: "", y: names };
    this.activeSpec = spec;
    this.renew([...this.specs, spec]);
  }
  drop(panel, curve) {
    const names = new Set(panel.curves.map((c) => c.channel));
    const group = curve.source.groups[curve.asked] ?? [];
    const rest = group.length > 1 ? group.filter((name) => name !== curve.channel) : []; // a pattern becomes what is left
    const y = panel.spec.y.flatMap((name) => (name === curve.asked ? rest : [name]));
    if (names.size > 1 && y.length) this.change(panel, { ...panel.spec, title: "", y });
    else this.remove(panel);
  }
  remove(panel) {
    this.renew(this.specs.filter((spec) => spec !== panel.spec));
  }

  // --- export, tests --------------------------------------------------------------------------------------------------

  /** All plots as one picture. */
  picture() {
    const ratio = devicePixelRatio || 1;
    const area = this.grid.getBoundingClientRect();
    const canvas = document.createElement("canvas");
    const height = Math.max(this.grid.scrollHeight, area.height);
    canvas.width = area.width * ratio;
    canvas.height = height * ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.fillStyle = this.colours.panel;
    ctx.fillRect(0, 0, area.width, height);
    for (const panel of this.panels) {
      if (!panel.plot) continue;
      const box = panel.el.getBoundingClientRect();
      const [x, y] = [box.left - area.left, box.top - area.top + this.grid.scrollTop];
      ctx.font = "600 12px system-ui, sans-serif";
      ctx.fillStyle = this.colours.strong;
      ctx.fillText(panel.title, x + 8, y + 15);
      let at = x + 16 + ctx.measureText(panel.title).width;
      ctx.font = "11px system-ui, sans-serif";
      for (const curve of panel.curves) {
        const words = [curve.what, curve.run].filter(Boolean).join(" · ");
        ctx.strokeStyle = this.colours.lines[curve.colour];
        ctx.lineWidth = 2;
        ctx.setLineDash(curve.dash);
        ctx.beginPath();
        ctx.moveTo(at, y + 11);
        ctx.lineTo(at + 14, y + 11);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.fillStyle = this.colours.text;
        ctx.fillText(words, at + 18, y + 15);
        at += 28 + ctx.measureText(words).width;
      }
      const body = panel.plot.ctx.canvas;
      const place = body.getBoundingClientRect();
      ctx.drawImage(body, place.left - area.left, place.top - area.top + this.grid.scrollTop, place.width, place.height);
    }
    return canvas;
  }
  save(name) {
    this.picture().toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${name}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 5000);
    });
  }
  points(k, j) {
    const panel = this.panels[k];
    const curve = panel.curves[j];
    const rows = panel.seen(curve);
    const { factor, offset } = curve.shown;
    const map = (values, f, o) => Array.from(values.subarray(rows.first, rows.last), (v) => v * f + o);
    return { x: panel.crossed ? map(rows.x, panel.xShown.factor, panel.xShown.offset) : map(rows.x, 1, 0), y: map(rows.y, factor, offset) };
  }
  told() {
    return this.panels.map((panel) => ({
      title: panel.title,
      x: panel.spec.x,
      curves: panel.curves.map((c) => ({ run: c.source.id, channel: c.channel, label: [c.what, c.run].filter(Boolean).join(" · "), unit: c.shown.label, value: c.value })),
    }));
  }
  end() {
    this.gone = true;
    this.endLive();
    this.observer.disconnect();
    this.themes.disconnect();
    document.removeEventListener("jn-cursor", this.heard);
    this.panels.forEach((panel) => panel.end());
  }
}

export default {
  template: `<div class="jn-plots" aria-label="Plots"><div class="jn-plots-empty"></div><div class="jn-plots-grid"></div></div>`,
  emits: ["changed", "ended"],
  props: { editable: { type: Boolean, default: false }, columns: { type: Number, default: 0 } },
  mounted() {
    this.board = new Board(this.$el, { tell: (event, detail) => this.$emit(event, detail), editable: this.editable, columns: this.columns });
    (window.jouncePlots ??= {})[this.$el.id] = this.board;
    this.ready = getReady().catch(() => this.board.said("no plots: uPlot is missing; run `make setup`, or tools/vendor_web.py"));
  },
  beforeUnmount() {
    delete window.jouncePlots[this.$el.id];
    this.board.end();
  },
  methods: {
    async show(runs, specs) {
      await this.ready;
      await this.board.show(runs, specs);
    },
    async live(run, label, specs, end) {
      await this.ready;
      this.board.live(run, label, specs, end);
    },
    add(names) { this.board.add(names); },
    addPlot(names) { this.board.addPlot(names); },
    setColumns(columns) {
      this.board.columns = columns;
      this.board.rebuild();
    },
    save(name) { this.board.save(name); },
    cursor(time) { this.board.setCursor(time, true); },
    showAll() { this.board.showAll(); },
    said(text) { this.board.said(text); },
  },
};
