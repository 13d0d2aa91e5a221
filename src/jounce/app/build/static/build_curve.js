// A curve or a map as a table and as a picture: cells are typed, points are dragged (with Shift also sideways), rows are
// added and taken away. What is done is said to Python as a whole; where it is refused, what was there comes back.
import { scale, span, ticks } from "/static/build/chart_tools.js";

const BOX = { left: 52, right: 12, top: 20, bottom: 30 };
const MOST = 2_000_000; // bytes of a file that is read

export default {
  template: `
    <div class="jb-curve" @keydown.esc.stop="$emit('close')">
      <header>
        <b :title="curve.path">{{ curve.label }}</b>
        <span class="jn-muted">{{ curve.about }}</span><span class="said" :title="said">{{ said }}</span><span class="jn-space"></span>
        <template v-if="curve.form === 'table'">
          <button class="jf-cmd" title="A row after the marked one" @click="insert">+ row</button>
          <button class="jf-cmd" title="Take the marked row away" :disabled="data.x.length < 3" @click="remove">− row</button>
          <button class="jf-cmd" title="Write as CSV" @click="$emit('export', {path: curve.path})">Export</button>
        </template>
        <button v-else class="jf-cmd" title="Make a table of it" @click="$emit('table', {path: curve.path})">As a table</button>
        <button class="jf-cmd" title="Read from a CSV file" @click="$refs.file.click()">Import</button>
        <input ref="file" type="file" accept=".csv,.txt" hidden @change="load">
        <button class="jf-cmd" title="Close (Esc)" @click="$emit('close')">×</button>
      </header>
      <div class="jb-curve-table">
        <table v-if="curve.form === 'table'">
          <tr><th>{{ curve.xu }}</th><th v-if="!data.z.length">{{ curve.yu }}</th>
            <th v-for="(v, j) in data.z" :key="j" @click="column = j" :style="{fontWeight: j === column ? 600 : 400}">{{ number(v) }} {{ curve.zu }}</th></tr>
          <tr v-for="(v, i) in data.x" :key="i" :class="{on: i === row}" @focusin="row = i">
            <td class="x"><input :value="number(v)" @change="cell(i, -1, $event)" @keydown="move($event)"></td>
            <td v-for="(w, j) in data.y[i]" :key="j"><input :value="number(w)" @focus="column = j" @change="cell(i, j, $event)" @keydown="move($event)"></td>
          </tr>
        </table>
        <p v-else class="jn-muted" style="padding: 8px">{{ curve.text }}</p>
      </div>
      <div class="plot" ref="plot">
        <svg v-if="size[0]" :width="size[0]" :height="size[1]" @pointermove="drag" @pointerup="drop" @pointercancel="drop">
          <g v-for="t in xTicks" :key="'x' + t.at"><line class="grid" :x1="sx(t.at)" :x2="sx(t.at)" :y1="box.top" :y2="size[1] - box.bottom"/>
            <text :x="sx(t.at)" :y="size[1] - box.bottom + 13" text-anchor="middle">{{ t.text }}</text></g>
          <g v-for="t in yTicks" :key="'y' + t.at"><line class="grid" :x1="box.left" :x2="size[0] - box.right" :y1="sy(t.at)" :y2="sy(t.at)"/>
            <text :x="box.left - 5" :y="sy(t.at) + 3" text-anchor="end">{{ t.text }}</text></g>
          <text :x="size[0] - box.right" :y="size[1] - 4" text-anchor="end">{{ curve.xu }}</text>
          <text :x="4" :y="9">{{ curve.yu }}</text>
          <polyline v-for="(line, j) in was" :key="'w' + j" :points="line" stroke="var(--jn-muted)" stroke-dasharray="3 3"/>
          <polyline v-for="(line, j) in lines" :key="'l' + j" :points="line" :stroke="'var(--jn-c' + (j % 8) + ')'" :opacity="j === column ? 1 : 0.55"/>
          <template v-if="curve.form === 'table'"><circle v-for="(v, i) in data.x" :key="i" :cx="sx(v)" :cy="sy(data.y[i][column])" r="4.5" :class="{on: i === row}"
            @pointerdown="grab(i, $event)"><title>{{ number(v) }} {{ curve.xu }}, {{ number(data.y[i][column]) }} {{ curve.yu }}</title></circle></template>
        </svg>
      </div>
    </div>`,
  props: { curve: { type: Object, default: () => ({ path: "", form: "none", x: [], y: [], z: [] }) } },
  emits: ["change", "close", "table", "export", "import"],
  data() {
    return { data: this.copy(), row: 0, column: 0, held: -1, said: "", size: [0, 0], box: BOX, frozen: null };
  },
  watch: {
    curve(now, before) {
      if (this.held >= 0) return;
      this.data = this.copy();
      if (now.path !== before.path) {
        this.said = "";
        this.row = 0;
      }
      this.row = Math.min(this.row, Math.max(this.data.x.length - 1, 0));
      this.column = Math.min(this.column, Math.max((this.data.y[0] ?? []).length - 1, 0));
    },
  },
  computed: {
    reach() {
      if (this.frozen) return this.frozen; // scales stand still while a point is held
      const was = this.curve.was ?? { x: [], y: [] };
      return [span([...this.data.x, ...was.x]), span([...this.data.y.flat(), ...was.y.flat()])];
    },
    sx() {
      return scale(...this.reach[0], BOX.left, this.size[0] - BOX.right);
    },
    sy() {
      return scale(...this.reach[1], this.size[1] - BOX.bottom, BOX.top);
    },
    xTicks() {
      return ticks(...this.reach[0], Math.max(2, this.size[0] / 80));
    },
    yTicks() {
      return ticks(...this.reach[1], Math.max(2, this.size[1] / 40));
    },
    lines() {
      return this.drawn(this.data);
    },
    was() {
      return this.curve.was ? this.drawn(this.curve.was) : [];
    },
  },
  mounted() {
    this.observer = new ResizeObserver(() => {
      const { clientWidth: w, clientHeight: h } = this.$refs.plot;
      this.size = [Math.max(0, w - 16), Math.max(0, h - 8)];
    });
    this.observer.observe(this.$refs.plot);
  },
  beforeUnmount() {
    this.observer.disconnect();
  },
  methods: {
    copy() {
      return { x: [...this.curve.x], z: [...this.curve.z], y: this.curve.y.map((line) => [...line]) };
    },
    drawn({ x, y }) {
      const columns = y.length ? y[0].length : 0;
      return Array.from({ length: columns }, (_, j) => x.map((v, i) => `${this.sx(v).toFixed(1)},${this.sy(y[i][j]).toFixed(1)}`).join(" "));
    },
    number(v) {
      return String(Number(v.toPrecision(10)));
    },
    say() {
      this.said = "";
      this.$emit("change", { path: this.curve.path, x: this.data.x, z: this.data.z, y: this.data.y });
    },
    refused(text) {
      this.said = text;
      this.data = this.copy();
    },
    cell(i, j, event) {
      const value = Number(event.target.value.replace("−", "-"));
      if (event.target.value.trim() === "" || !Number.isFinite(value)) {
        this.said = `“${event.target.value}” is no number`;
        event.target.value = this.number(j < 0 ? this.data.x[i] : this.data.y[i][j]);
        return;
      }
      if (j < 0) this.data.x[i] = value;
      else this.data.y[i][j] = value;
      this.say();
    },
    move(event) {
      const step = { ArrowDown: 1, Enter: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const cell = event.target.closest("td");
      const line = cell.parentElement;
      const to = (step > 0 ? line.nextElementSibling : line.previousElementSibling)?.children[cell.cellIndex]?.querySelector("input");
      event.target.blur();
      to?.focus();
      to?.select();
    },
    insert() {
      const i = this.row;
      const j = Math.min(i + 1, this.data.x.length - 1);
      const last = i === j;
      const x = last ? 2 * this.data.x[i] - this.data.x[i - 1] : 0.5 * (this.data.x[i] + this.data.x[j]);
      const y = this.data.y[i].map((v, k) => (last ? 2 * v - this.data.y[i - 1][k] : 0.5 * (v + this.data.y[j][k])));
      this.data.x.splice(i + 1, 0, x);
      this.data.y.splice(i + 1, 0, y);
      this.row = i + 1;
      this.say();
    },
    remove() {
      this.data.x.splice(this.row, 1);
      this.data.y.splice(this.row, 1);
      this.row = Math.max(0, this.row - 1);
      this.say();
    },
    grab(i, event) {
      this.row = this.held = i;
      this.frozen = this.reach;
      event.target.closest("svg").setPointerCapture(event.pointerId);
      event.preventDefault();
    },
    /** Where the pointer is, in steps that people would write. */
    at(event) {
      const from = this.$el.querySelector("svg").getBoundingClientRect();
      const back = ([low, high], at, a, b) => {
        const step = 10 ** Math.floor(Math.log10((high - low) / 200));
        return Number((Math.round((low + ((at - a) / (b - a)) * (high - low)) / step) * step).toPrecision(10));
      };
      return [
        back(this.reach[0], event.clientX - from.left, BOX.left, this.size[0] - BOX.right),
        back(this.reach[1], event.clientY - from.top, this.size[1] - BOX.bottom, BOX.top),
      ];
    },
    drag(event) {
      const i = this.held;
      if (i < 0) return;
      const [x, y] = this.at(event);
      this.data.y[i][this.column] = y;
      const gap = 1e-6 * (this.reach[0][1] - this.reach[0][0]);
      if (event.shiftKey && x > (this.data.x[i - 1] ?? -Infinity) + gap && x < (this.data.x[i + 1] ?? Infinity) - gap) this.data.x[i] = x;
      this.moved = true;
    },
    drop() {
      if (this.held < 0) return;
      this.held = -1;
      this.frozen = null;
      if (this.moved) this.say();
      this.moved = false;
    },
    async load(event) {
      const [file] = event.target.files;
      event.target.value = "";
      if (!file) return;
      if (file.size > MOST) {
        this.said = `${file.name}: ${file.size} bytes; at most ${MOST}`;
        return;
      }
      this.$emit("import", { path: this.curve.path, name: file.name, text: await file.text() });
    },
  },
};
