// The list of runs: which are shown, and in which colour; the first is the reference.
import "/static/review/review.js";
import { matcher } from "/static/review/jounce_channels.js";

const STATUS = { complete: "", queued: "…", running: "►", partial: "◐", failed: "✕" };

export default {
  template: `
    <div class="jn-runs">
      <div class="jn-find">
        <input v-model="filter" type="search" placeholder="Filter runs" aria-label="Filter runs">
        <span class="jn-muted">{{ rows.length }}</span>
      </div>
      <div class="jn-runs-list" tabindex="0" @keydown="key">
        <div v-if="!rows.length" class="jn-muted jn-pad">No runs yet. Run an event on the <a href="/test">Test page</a>, or open a run or a measurement from disk.</div>
        <div v-for="row in kept" :key="row.id" class="jn-run" :class="{'jn-run-on': place(row) >= 0, 'jn-run-bad': row.status === 'failed'}"
             :title="hint(row)" :data-run="row.id" @click="pick(row, $event)">
          <span class="jn-run-mark" :style="mark(row)" title="Lay over the others, or take away" @click.stop="toggle(row)">{{ place(row) >= 0 ? letter(row) : '' }}</span>
          <span class="jn-run-text"><span class="jn-run-label">{{ row.label }}</span><span class="jn-muted">{{ about(row) }}</span></span>
          <span class="jn-run-state" :class="'jn-run-' + row.status">{{ states[row.status] }}</span>
          <span class="jn-run-tools">
            <button v-if="row.source === 'session'" title="Rename" aria-label="Rename" @click.stop="$emit('rename', {id: row.id})"><i class="material-icons">edit</i></button>
            <button :title="row.source === 'session' ? 'Delete from disk' : 'Take off the list'" aria-label="Remove" @click.stop="$emit('remove', {id: row.id})"><i class="material-icons">close</i></button>
          </span>
        </div>
      </div>
    </div>`,
  emits: ["pick", "rename", "remove"],
  props: { rows: { type: Array, default: () => [] }, shown: { type: Array, default: () => [] } },
  data() {
    return { filter: "", states: STATUS };
  },
  computed: {
    kept() {
      const match = matcher(this.filter);
      return this.rows.filter((row) => match(`${row.label} ${row.vehicle} ${row.event}`));
    },
  },
  methods: {
    place(row) { return this.shown.indexOf(row.id); },
    letter(row) { return String.fromCharCode(65 + (this.place(row) % 26)); },
    mark(row) {
      const k = this.place(row);
      return k >= 0 ? { background: `var(--jn-c${k % 8})`, borderColor: `var(--jn-c${k % 8})` } : {};
    },
    about(row) {
      const words = [row.source === "measured" ? "measured" : row.vehicle, row.event].filter(Boolean);
      return [words.join(", "), row.when].filter(Boolean).join(" · ");
    },
    hint(row) {
      const changes = Object.entries(row.changes ?? {}).map(([name, value]) => `${name}: ${value}`);
      return [row.label, this.about(row), row.reason ? `${row.status}: ${row.reason}` : row.status, ...changes, "click: show alone · Ctrl+click or the box: lay over"].join("\n");
    },
    pick(row, event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) this.toggle(row);
      else this.$emit("pick", { ids: [row.id] });
    },
    toggle(row) {
      const others = this.shown.filter((id) => id !== row.id);
      this.$emit("pick", { ids: others.length === this.shown.length ? [...others, row.id] : others });
    },
    key(event) {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by || !this.kept.length) return;
      event.preventDefault();
      event.stopPropagation();
      const at = this.kept.findIndex((row) => row.id === this.shown[0]);
      const next = this.kept[Math.min(Math.max(at + by, 0), this.kept.length - 1)];
      this.$emit("pick", { ids: event.shiftKey ? [...new Set([...this.shown, next.id])] : [next.id] });
    },
  },
};
