// The channels of a run as a tree: groups, quantities, wheels as buttons on the line of their quantity.

/** A shell pattern as fnmatch has it, in any letter case; plain words are looked for anywhere. */
export function matcher(pattern) {
  const wanted = pattern.trim().toLowerCase();
  if (!wanted) return () => true;
  if (!/[*?[]/.test(wanted)) return (name) => name.toLowerCase().includes(wanted);
  let source = "";
  for (let k = 0; k < wanted.length; k++) {
    const c = wanted[k];
    if (c === "*") source += "[^]*";
    else if (c === "?") source += "[^]";
    else if (c === "[") {
      let end = k + 1;
      if (wanted[end] === "!") end += 1;
      if (wanted[end] === "]") end += 1;
      while (end < wanted.length && wanted[end] !== "]") end += 1;
      if (end >= wanted.length) source += "\\[";
      else {
        let inside = wanted.slice(k + 1, end).replace(/[\\^\]&~|[]/g, "\\$&");
        if (inside.startsWith("!")) inside = `^${inside.slice(1)}`;
        source += `[${inside}]`;
        k = end;
      }
    } else source += c.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  }
  let expression;
  try {
    expression = new RegExp(`^${source}$`, "u");
  } catch {
    return () => false;
  }
  return (name) => expression.test(name.toLowerCase());
}

const WHEEL = /^(.*[.:_])([LR]\d+(?:_twin)?)$/;

/** Groups of lines: a quantity with its wheels, or a single channel. */
export function treeOf(channels) {
  const groups = new Map();
  for (const { name, unit } of channels) {
    const dot = name.search(/[.:]/);
    const group = dot > 0 ? name.slice(0, dot) : "other";
    const wheel = name.match(WHEEL);
    const stem = wheel ? wheel[1].slice(0, -1) : name;
    const lines = groups.get(group) ?? groups.set(group, new Map()).get(group);
    const key = wheel ? `${stem}|` : name;
    const line = lines.get(key) ?? lines.set(key, { stem, title: dot > 0 ? stem.slice(dot + 1) || stem : stem, unit, names: [], wheels: [] }).get(key);
    line.names.push(name);
    line.wheels.push(wheel ? wheel[2] : "");
  }
  return [...groups].map(([name, lines]) => ({ name, lines: [...lines.values()], count: [...lines.values()].reduce((n, l) => n + l.names.length, 0) }));
}

export default {
  template: `
    <div class="jn-channels">
      <div class="jn-find">
        <input v-model="filter" type="search" placeholder="Channels: *yaw*" aria-label="Filter channels" @keydown.enter="first">
        <span class="jn-muted">{{ found }}</span>
      </div>
      <div class="jn-channels-list" tabindex="0">
        <div v-if="said" class="jn-muted jn-pad">{{ said }}</div>
        <div v-for="group in groups" :key="group.name">
          <div class="jn-group" @click="flip(group.name)"><span>{{ isOpen(group.name) ? '▾' : '▸' }}</span> {{ group.name }} <span class="jn-muted">{{ group.count }}</span></div>
          <template v-if="isOpen(group.name)">
            <div v-for="line in group.lines" :key="line.stem + line.wheels[0]" class="jn-channel" draggable="true"
                 @dragstart="drag($event, line.names)" :title="hint(line)">
              <span class="jn-channel-name" @click="add(line.names)">{{ line.title }}</span>
              <template v-if="line.wheels[0]"><button v-for="(wheel, k) in line.wheels" :key="wheel" draggable="true" @dragstart.stop="drag($event, [line.names[k]])" @click="add([line.names[k]])">{{ wheel }}</button></template>
              <span class="jn-muted jn-unit">{{ line.unit === '-' ? '' : line.unit }}</span>
              <button class="jn-plus" title="As a plot of its own" aria-label="New plot" @click="$emit('plot', {names: line.names})">+</button>
            </div>
          </template>
        </div>
      </div>
    </div>`,
  emits: ["add", "plot"],
  props: { run: { type: String, default: "" }, stamp: { type: Number, default: 0 } },
  data() {
    return { channels: [], filter: "", open: {}, said: "" };
  },
  computed: {
    kept() {
      const match = matcher(this.filter);
      return this.channels.filter(({ name }) => match(name));
    },
    groups() {
      return treeOf(this.kept);
    },
    found() {
      return this.channels.length ? (this.kept.length === this.channels.length ? `${this.channels.length}` : `${this.kept.length} of ${this.channels.length}`) : "";
    },
  },
  watch: {
    run() { this.load(); },
    stamp() { this.load(); },
  },
  mounted() { this.load(); },
  methods: {
    async load() {
      const run = this.run;
      this.said = run ? "" : "no run is shown";
      if (!run) {
        this.channels = [];
        return;
      }
      try {
        const answer = await fetch(`/api/runs/${encodeURIComponent(run)}`);
        const about = await answer.json();
        if (run !== this.run) return;
        this.channels = about.channels ?? [];
        this.said = about.error ?? (this.channels.length ? "" : about.status === "failed" ? "this run failed: it has no channels" : "not there yet");
      } catch (problem) {
        this.said = String(problem.message ?? problem);
      }
    },
    isOpen(name) {
      return this.filter.trim() ? this.open[name] !== false : Boolean(this.open[name]);
    },
    flip(name) { this.open = { ...this.open, [name]: !this.isOpen(name) }; },
    add(names) { this.$emit("add", { names }); },
    first() { if (this.kept.length) this.add(this.groups[0].lines[0].names); },
    drag(event, names) {
      event.dataTransfer.setData("text/jounce-channel", JSON.stringify(names));
      event.dataTransfer.effectAllowed = "copy";
    },
    hint(line) {
      return `${line.names.join("\n")}\nclick: into the outlined plot · +: a plot of its own · drag: onto a plot, or below its axis to plot over it`;
    },
  },
};
