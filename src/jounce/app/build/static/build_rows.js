// The rows of a group: what is typed is checked while it is typed, and taken with Enter or when the field is left. A
// value that is refused is said to be, and the one before comes back. Rows are told in jounce/app/build/describe.py.
import { polyline } from "/static/build/chart_tools.js";

const WAIT = 120; // ms after a key before what is typed is checked

export default {
  template: `
    <div class="jb-rows">
      <template v-for="row in rows" :key="row.t + row.path">
        <div v-if="row.t === 'head'" class="jb-row-head" :class="{changed: row.changed}" :data-head="row.path" :title="[row.path, row.doc, row.file && 'in ' + row.file].filter(Boolean).join('\\n')">
          <span class="jb-row-title">{{ row.label }}</span>
          <span class="jn-muted">{{ row.component }}</span>
          <span v-if="row.remark" class="jb-row-remark">{{ row.remark }}</span>
          <span class="jn-space"></span>
          <button v-if="row.removable && row.path" title="Take it away" @click="$emit('remove', {path: row.path})">remove</button>
        </div>
        <div v-else-if="row.t === 'absent'" class="jb-row jb-row-absent" :title="row.path + ' — ' + row.doc">
          <label>{{ row.label }}</label>
          <button @click="$emit('add', {path: row.path})">{{ row.list ? '+ one more' : '+ add' }}</button>
          <span class="jb-row-doc">{{ row.doc }}</span>
        </div>
        <div v-else class="jb-row" :class="{changed: row.changed, on: row.path === focus}" :data-path="row.path">
          <label :title="row.path" :for="'row-' + row.path">{{ row.label }}</label>
          <template v-if="row.t === 'number' || row.t === 'text' || (row.t === 'curve' && row.form !== 'table' && row.form !== 'none')">
            <input :id="'row-' + row.path" :class="{number: row.t !== 'text', bad: errors[row.path]}" spellcheck="false" autocomplete="off"
                   :list="row.options ? 'list-' + row.path : null" :value="edits[row.path] ?? row.text ?? row.value"
                   :placeholder="row.default || (row.t === 'number' ? '–' : '')"
                   :aria-invalid="!!errors[row.path]" @input="typed(row, $event.target.value)" @keydown="key(row, $event)"
                   @blur="leave(row)" @focus="$emit('focus', {path: row.path})">
          </template>
          <template v-else-if="row.t === 'file'">
            <input :id="'row-' + row.path" :class="{bad: errors[row.path]}" :list="'list-' + row.path" spellcheck="false" autocomplete="off"
                   :value="edits[row.path] ?? row.value" :title="row.value" @input="typed(row, $event.target.value)" @keydown="key(row, $event)"
                   @blur="leave(row)" @focus="$emit('focus', {path: row.path})">
            <datalist :id="'list-' + row.path"><option v-for="o in row.options" :key="o" :value="o"></option></datalist>
          </template>
          <select v-else-if="row.t === 'choice'" :id="'row-' + row.path" @change="commit(row, $event.target.value)" @focus="$emit('focus', {path: row.path})">
            <option v-if="row.value === ''" value="">–</option>
            <option v-for="o in row.options" :key="o" :value="o" :selected="o === row.value">{{ o }}</option>
          </select>
          <span v-else-if="row.t === 'flag'" class="jb-row-flag"><input :id="'row-' + row.path" type="checkbox" :checked="row.value" @change="commit(row, $event.target.checked)"></span>
          <button v-else class="jb-row-curve" :id="'row-' + row.path" @click="$emit('curve', {path: row.path})">
            <svg v-if="row.spark.length" viewBox="0 0 64 18" preserveAspectRatio="none"><polyline v-for="(line, k) in row.spark.slice(1)" :key="k" :points="spark(row.spark[0], line, row.spark.slice(1))"/></svg>
            <span v-else>{{ row.summary }}</span>
          </button>
          <select v-if="row.units && row.units.length > 1" class="jb-row-unit" tabindex="-1" :title="'unit of ' + row.label" @change="unit(row, $event)">
            <option v-for="u in row.units" :key="u" :value="u" :selected="u === row.shown">{{ pretty(u) }}</option>
          </select>
          <button v-else-if="row.t === 'curve' && row.form !== 'table' && row.form !== 'none'" class="jb-row-unit" @click="$emit('curve', {path: row.path})" title="edit as a curve">{{ pretty(row.shown) }} ⌁</button>
          <span v-else class="jb-row-unit">{{ row.t === 'curve' ? '' : pretty(row.shown) }}</span>
          <span class="jb-row-doc" :class="{bad: errors[row.path], odd: !errors[row.path] && remark(row)}" :title="row.path + '\\n' + row.doc + (row.usual ? '\\nusual: ' + row.usual + ' ' + pretty(row.shown) : '')">
            <button v-if="row.changed" class="jb-row-was" :title="'back to ' + row.was" @click="$emit('reset', {path: row.path})">↶ {{ row.was }}</button>
            <i v-if="!errors[row.path] && !remark(row) && row.limits">{{ row.limits }}</i>
            {{ errors[row.path] || remark(row) || about(row) }}
          </span>
        </div>
      </template>
      <div v-if="!rows.length" class="jn-muted jb-tree-none">nothing here</div>
    </div>`,
  props: { rows: { type: Array, default: () => [] }, focus: { type: String, default: "" } },
  emits: ["check", "change", "reset", "unit", "focus", "curve", "remove", "add", "command"],
  data() {
    return { edits: {}, errors: {}, remarks: {} };
  },
  mounted() {
    this.keys = (event) => this.shortcut(event);
    document.addEventListener("keydown", this.keys);
  },
  beforeUnmount() {
    document.removeEventListener("keydown", this.keys);
  },
  methods: {
    pretty(unit) {
      return unit === "-" ? "" : unit === "percent" ? "%" : (unit ?? "").replaceAll(".", "·").replace(/(?<=[a-zA-Z)])2/g, "²").replace(/(?<=[a-zA-Z)])3/g, "³");
    },
    spark(x, line, all) {
      return polyline(x, line, all.flat(), 64, 18, 2);
    },
    remark(row) {
      return this.remarks[row.path] ?? row.remark;
    },
    about(row) {
      if (row.t === "curve") return [row.form === "table" ? row.summary : "", row.doc].filter(Boolean).join(" — ");
      return row.doc;
    },
    typed(row, text) {
      this.edits[row.path] = text;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("check", { path: row.path, text }), WAIT);
    },
    /** Python says what it thinks of what was typed. */
    told(path, text, error, remark) {
      if (this.edits[path] !== text) return; // something else was typed meanwhile
      this.errors[path] = error;
      this.remarks[path] = remark || undefined;
    },
    /** Python refused a value: the one before stands again, and why is said until something else is typed. */
    refused(path, error) {
      delete this.edits[path];
      this.errors[path] = error;
      this.$forceUpdate();
    },
    taken(path) {
      delete this.edits[path];
      delete this.errors[path];
      delete this.remarks[path];
    },
    leave(row) {
      if (this.edits[row.path] !== undefined) this.commit(row, this.edits[row.path]);
    },
    commit(row, value) {
      clearTimeout(this.timer);
      if (value === (row.text ?? row.value)) return this.taken(row.path);
      this.$emit("change", { path: row.path, value });
    },
    unit(row, event) {
      const value = event.target.value;
      this.$emit("unit", { unit: row.unit, shown: value });
    },
    key(row, event) {
      if (event.key === "Enter") {
        event.preventDefault();
        if (this.edits[row.path] !== undefined) this.commit(row, this.edits[row.path]);
        else this.next(event.target, event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        this.taken(row.path);
        event.target.value = row.text ?? row.value;
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        this.next(event.target, event.key === "ArrowDown" ? 1 : -1);
      }
    },
    next(from, step) {
      const all = [...this.$el.querySelectorAll(".jb-row > input, .jb-row > select:not(.jb-row-unit), .jb-row-flag > input, .jb-row-curve")];
      const to = all[all.indexOf(from) + step];
      to?.focus();
      to?.select?.();
    },
    shortcut(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const typing = event.target.closest?.("input, textarea") && !(event.target.closest(".jb-row") && !Object.keys(this.edits).length);
      const key = event.key.toLowerCase();
      const name = key === "s" ? (event.shiftKey ? "save-as" : "save") : key === "z" && !typing ? (event.shiftKey ? "redo" : "undo") : key === "y" && !typing ? "redo" : "";
      if (!name) return;
      event.preventDefault();
      if (key === "s") event.target.blur?.();
      this.$emit("command", { name });
    },
    show(path) {
      const row = this.$el.querySelector(`[data-path="${CSS.escape(path)}"]`);
      row?.scrollIntoView({ block: "center" });
      row?.querySelector("input, select, button")?.focus();
    },
  },
};
