// Plots of a report: canvas, no library. Drag to zoom in x, double click to go back, click a key to hide a line.
// Panels of one group share the x axis and the cursor.
(function () {
  "use strict";
  const source = JSON.parse(document.getElementById("plots").textContent);
  const arrays = source.data.map(function (text) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Float32Array(bytes.buffer);
  });
  const left = 58, right = 10, top = 8, bottom = 34, groups = {};
  const font = "11px system-ui, -apple-system, 'Segoe UI', Arial, 'Liberation Sans', sans-serif";

  function ticks(low, high, count) {
    const span = high - low, raw = span / Math.max(count, 1), power = Math.pow(10, Math.floor(Math.log10(raw)));
    const unit = raw / power, step = (unit < 1.5 ? 1 : unit < 3.5 ? 2 : unit < 7.5 ? 5 : 10) * power;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), list = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * span; v += step)
      list.push([Math.abs(v) < 1e-9 * span ? 0 : v, v]);
    return list.map(function (p) { return { at: p[0], text: p[0].toFixed(Math.min(digits, 6)).replace("-", "−") }; });
  }
  function logTicks(low, high) {
    const list = [];
    for (let d = Math.floor(Math.log10(low)); d <= Math.ceil(Math.log10(high)); d++)
      [1, 2, 5].forEach(function (m) {
        const v = m * Math.pow(10, d);
        if (v >= low * 0.999 && v <= high * 1.001) list.push({ at: v, text: String(+v.toPrecision(2)) });
      });
    return list;
  }
  function text(v) {
    if (!isFinite(v)) return "–";
    const a = Math.abs(v), d = a === 0 ? 0 : a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : a >= 1 ? 3 : 4;
    return v.toFixed(d).replace("-", "−");
  }
  function Panel(figure, spec) {
    this.figure = figure; this.spec = spec; this.canvas = figure.querySelector("canvas");
    this.at = figure.querySelector(".at"); this.group = spec.group; this.hidden = {};
    const x = spec.series.map(function (s) { return arrays[s.x]; });
    let low = Infinity, high = -Infinity;
    x.forEach(function (a) { for (let i = 0; i < a.length; i++) { if (a[i] < low) low = a[i]; if (a[i] > high) high = a[i]; } });
    if (!(high > low)) { low -= 0.5; high += 0.5; }
    if (spec.ordered === false) { const m = 0.03 * (high - low); low -= m; high += m; }
    this.full = [low, high];
    (groups[this.group] = groups[this.group] || { panels: [], view: null, cursor: null }).panels.push(this);
    const panel = this;
    figure.querySelectorAll(".key").forEach(function (key, k) {
      key.addEventListener("click", function () {
        panel.hidden[k] = !panel.hidden[k]; key.classList.toggle("off", !!panel.hidden[k]); panel.draw();
      });
    });
    this.listen();
  }
  Panel.prototype.view = function () { return groups[this.group].view || this.full; };
  Panel.prototype.listen = function () {
    const panel = this, canvas = this.canvas, group = groups[this.group];
    let from = null;
    function place(e) { const b = canvas.getBoundingClientRect(); return panel.xAt(e.clientX - b.left); }
    function all() { group.panels.forEach(function (p) { p.draw(); }); }
    canvas.addEventListener("pointerdown", function (e) { if (e.button === 0) { from = place(e); try { canvas.setPointerCapture(e.pointerId); } catch (gone) { /* a pointer that left */ } } });
    canvas.addEventListener("pointermove", function (e) {
      group.cursor = place(e); group.drag = from === null ? null : [from, group.cursor]; all();
    });
    canvas.addEventListener("pointerup", function (e) {
      if (from !== null) {
        const to = place(e), v = panel.view(), a = Math.max(Math.min(from, to), v[0]), b = Math.min(Math.max(from, to), v[1]);
        if (panel.fraction(b) - panel.fraction(a) > 0.015) group.view = [a, b];
      }
      from = null; group.drag = null; all();
    });
    canvas.addEventListener("pointerleave", function () { if (from === null) { group.cursor = null; all(); } });
    canvas.addEventListener("dblclick", function () { group.view = null; all(); });
  };
  Panel.prototype.fraction = function (x) {
    const v = this.view();
    return this.spec.log ? Math.log(x / v[0]) / Math.log(v[1] / v[0]) : (x - v[0]) / (v[1] - v[0]);
  };
  Panel.prototype.xAt = function (pixel) {
    const v = this.view(), f = Math.min(Math.max((pixel - left) / (this.width - left - right), 0), 1);
    return this.spec.log ? v[0] * Math.pow(v[1] / v[0], f) : v[0] + f * (v[1] - v[0]);
  };
  Panel.prototype.rangeY = function () {
    if (this.spec.range) return this.spec.range;
    const v = this.view(), ordered = this.spec.ordered !== false;
    let low = Infinity, high = -Infinity;
    function take(a, x) {
      for (let i = 0; i < a.length; i++) {
        if (ordered && (x[i] < v[0] || x[i] > v[1])) continue;
        if (a[i] < low) low = a[i];
        if (a[i] > high) high = a[i];
      }
    }
    const panel = this;
    this.spec.series.forEach(function (s, k) { if (!panel.hidden[k]) take(arrays[s.y], arrays[s.x]); });
    (this.spec.bands || []).forEach(function (b) { take(arrays[b.low], arrays[b.x]); take(arrays[b.high], arrays[b.x]); });
    if (!isFinite(low)) return [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), least = Math.max(this.spec.least || 0, size * 1e-4, 1e-9);
    if (high - low < least) { const m = 0.5 * (low + high); low = m - 0.5 * least; high = m + 0.5 * least; }
    const pad = 0.06 * (high - low);
    return [low - pad, high + pad];
  };
  Panel.prototype.draw = function () {
    const ratio = window.devicePixelRatio || 1, canvas = this.canvas, box = canvas.getBoundingClientRect();
    if (!box.width) return;
    const w = box.width, h = box.height, spec = this.spec, group = groups[this.group], panel = this;
    this.width = w;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
    }
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0); g.clearRect(0, 0, w, h); g.font = font;
    const v = this.view();
    let y = this.rangeY(), x0 = left, x1 = w - right, y0 = h - bottom, y1 = top, vx = v;
    if (spec.equal) { // same scale on both axes, around the middle
      const perX = (v[1] - v[0]) / (x1 - x0), perY = (y[1] - y[0]) / (y0 - y1), per = Math.max(perX, perY);
      const my = 0.5 * (y[0] + y[1]), mx = 0.5 * (v[0] + v[1]);
      y = [my - 0.5 * per * (y0 - y1), my + 0.5 * per * (y0 - y1)]; vx = [mx - 0.5 * per * (x1 - x0), mx + 0.5 * per * (x1 - x0)];
    }
    function px(x) {
      const f = spec.log ? Math.log(x / vx[0]) / Math.log(vx[1] / vx[0]) : (x - vx[0]) / (vx[1] - vx[0]);
      return x0 + f * (x1 - x0);
    }
    function py(value) { return y0 - (value - y[0]) / (y[1] - y[0]) * (y0 - y1); }
    // grid and axes
    g.lineWidth = 1; g.textBaseline = "middle"; g.textAlign = "right"; g.fillStyle = "#5d6774";
    ticks(y[0], y[1], (y0 - y1) / 38).forEach(function (t) {
      const p = Math.round(py(t.at)) + 0.5;
      g.strokeStyle = t.at === 0 ? "#b9c1ca" : "#e6e9ed"; g.beginPath(); g.moveTo(x0, p); g.lineTo(x1, p); g.stroke();
      g.fillText(t.text, x0 - 7, p);
    });
    g.textAlign = "center"; g.textBaseline = "top";
    (spec.log ? logTicks(vx[0], vx[1]) : ticks(vx[0], vx[1], (x1 - x0) / 80)).forEach(function (t) {
      const p = Math.round(px(t.at)) + 0.5;
      g.strokeStyle = "#e6e9ed"; g.beginPath(); g.moveTo(p, y0); g.lineTo(p, y1); g.stroke();
      g.fillText(t.text, p, y0 + 6);
    });
    g.strokeStyle = "#9aa3ad"; g.beginPath(); g.moveTo(x0 + 0.5, y1); g.lineTo(x0 + 0.5, y0 + 0.5); g.lineTo(x1, y0 + 0.5); g.stroke();
    g.textAlign = "right"; g.textBaseline = "bottom"; g.fillText(spec.xlabel, x1, h - 1);
    g.save(); g.translate(10, 0.5 * (y0 + y1)); g.rotate(-Math.PI / 2); g.textAlign = "center"; g.textBaseline = "middle";
    g.fillText(spec.unit, 0, 0); g.restore();
    // data
    g.save(); g.beginPath(); g.rect(x0, y1 - 1, x1 - x0, y0 - y1 + 2); g.clip();
    (spec.marks || []).forEach(function (m) {
      const p = px(m.at); g.strokeStyle = "#9aa3ad"; g.setLineDash([3, 3]); g.beginPath(); g.moveTo(p, y0); g.lineTo(p, y1); g.stroke(); g.setLineDash([]);
      g.fillStyle = "#5d6774"; g.textAlign = "left"; g.textBaseline = "top"; g.fillText(m.text, p + 4, y1);
    });
    (spec.bands || []).forEach(function (b) {
      const x = arrays[b.x], lo = arrays[b.low], hi = arrays[b.high];
      g.fillStyle = b.color; g.globalAlpha = 0.16; g.beginPath();
      for (let i = 0; i < x.length; i++) g.lineTo(px(x[i]), py(hi[i]));
      for (let i = x.length - 1; i >= 0; i--) g.lineTo(px(x[i]), py(lo[i]));
      g.closePath(); g.fill(); g.globalAlpha = 1;
    });
    spec.series.forEach(function (s, k) { if (!panel.hidden[k]) panel.line(g, s, px, py, vx, x1 - x0); });
    if (group.drag) {
      const a = px(Math.min(group.drag[0], group.drag[1])), b = px(Math.max(group.drag[0], group.drag[1]));
      g.fillStyle = "rgba(31,95,168,.10)"; g.fillRect(a, y1, b - a, y0 - y1);
    }
    if (group.cursor !== null && spec.ordered !== false) {
      const p = Math.round(px(group.cursor)) + 0.5;
      g.strokeStyle = "#5d6774"; g.beginPath(); g.moveTo(p, y0); g.lineTo(p, y1); g.stroke();
    }
    g.restore();
    this.readout();
  };
  Panel.prototype.line = function (g, s, px, py, v, pixels) {
    const x = arrays[s.x], y = arrays[s.y], n = x.length;
    g.strokeStyle = s.color; g.lineWidth = 1.6; g.lineJoin = "round"; g.setLineDash(s.dash || []); g.beginPath();
    let first = 0, last = n;
    if (this.spec.ordered !== false) { first = Math.max(find(x, v[0]) - 1, 0); last = Math.min(find(x, v[1]) + 2, n); }
    const step = Math.floor((last - first) / (2 * pixels));
    let pen = false;
    function put(i) {
      if (!isFinite(y[i])) { pen = false; return; }
      if (pen) g.lineTo(px(x[i]), py(y[i])); else { g.moveTo(px(x[i]), py(y[i])); pen = true; }
    }
    if (step < 2 || this.spec.ordered === false) for (let i = first; i < last; i++) put(i);
    else for (let i = first; i < last; i += step) { // lowest and highest of each stretch, in their order
      let a = i, b = i;
      for (let j = i; j < Math.min(i + step, last); j++) { if (y[j] < y[a]) a = j; if (y[j] > y[b]) b = j; }
      put(Math.min(a, b)); if (a !== b) put(Math.max(a, b));
    }
    g.stroke(); g.setLineDash([]);
    if (s.start) { const i = first; g.fillStyle = s.color; g.beginPath(); g.arc(px(x[i]), py(y[i]), 3.2, 0, 7); g.fill(); }
  };
  Panel.prototype.readout = function () {
    const cursor = groups[this.group].cursor, spec = this.spec;
    const show = cursor !== null && spec.ordered !== false;
    if (this.at) this.at.textContent = show ? text(cursor) + " " + (spec.xunit || "") : "";
    this.figure.querySelectorAll(".key").forEach(function (key, k) {
      const s = spec.series[k], x = arrays[s.x], y = arrays[s.y];
      let value = "";
      if (show && cursor >= x[0] && cursor <= x[x.length - 1]) {
        const i = Math.min(find(x, cursor), x.length - 1), j = Math.max(i - 1, 0);
        const f = x[i] > x[j] ? (cursor - x[j]) / (x[i] - x[j]) : 0;
        value = " " + text(y[j] + f * (y[i] - y[j]));
      }
      key.querySelector("span").textContent = value;
    });
  };
  function find(x, value) { // first index with x >= value
    let low = 0, high = x.length;
    while (low < high) { const mid = (low + high) >> 1; if (x[mid] < value) low = mid + 1; else high = mid; }
    return low;
  }
  const panels = source.plots.map(function (spec, k) { return new Panel(document.getElementById("plot" + k), spec); });
  function all() { panels.forEach(function (p) { p.draw(); }); }
  window.addEventListener("resize", all); window.addEventListener("beforeprint", all); all();
})();
