// The tree of a vehicle: nodes {path, label, doc, changed, doubted, children}; keys as in every tree.
export default {
  template: `
    <aside class="jb-side">
    <div class="jb-side-tools">
      <input id="jn-filter" type="search" placeholder="Filter: *rate" spellcheck="false" autocomplete="off" aria-label="Filter"
             title="Shell wildcards * ? [abc], in any case" v-model="text" @input="filter" @keydown.esc="clear">
      <button class="jf-cmd" title="Order of the tree: by subsystem or by component" @click="$emit('turn')">⇄ {{ order }}</button>
    </div>
    <div class="jb-tree" role="tree" tabindex="0" ref="tree" @keydown="key">
      <div v-for="node in shown" :key="node.path" role="treeitem" :data-path="node.path" :title="title(node)"
           :class="{on: node.path === selected, changed: node.changed}" :aria-selected="node.path === selected"
           :aria-expanded="node.children.length ? isOpen(node) : null" :style="{paddingLeft: 4 + 12 * node.level + 'px'}"
           @click="pick(node)" @dblclick="turn(node)">
        <span class="jb-tree-mark" @click.stop="turn(node)">{{ node.children.length ? (isOpen(node) ? '▾' : '▸') : '' }}</span>
        <span class="jb-tree-label">{{ node.label }}</span>
        <span v-if="node.doubted" class="jb-tree-doubt" title="something here is unusual">▲</span>
        <span v-if="node.changed" class="jb-tree-dot" title="changed">●</span>
      </div>
      <div v-if="!shown.length" class="jn-muted jb-tree-none">nothing matches</div>
    </div>
    </aside>`,
  props: { nodes: { type: Array, default: () => [] }, selected: { type: String, default: "" }, all: Boolean, order: String, pattern: { type: String, default: "" } },
  emits: ["select", "filter", "turn"],
  data() {
    return { open: {}, text: this.pattern };
  },
  computed: {
    shown() {
      const found = [];
      const add = (nodes, level) => {
        for (const node of nodes) {
          found.push({ ...node, level });
          if (node.children.length && this.isOpen({ ...node, level })) add(node.children, level + 1);
        }
      };
      add(this.nodes ?? [], 0);
      return found;
    },
  },
  watch: {
    pattern(now) {
      if (document.activeElement?.id !== "jn-filter") this.text = now;
    },
    selected(path) {
      for (const at of this.around(path)) this.open[at] = true;
      this.$nextTick(() => this.$el.querySelector(".on")?.scrollIntoView({ block: "nearest" }));
    },
  },
  methods: {
    filter() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.$emit("filter", { pattern: this.text }), 100);
    },
    clear() {
      this.text = "";
      this.filter();
      this.$refs.tree.focus();
    },
    around(path) {
      const steps = [""];
      for (let k = 0; k < path.length; k++) if (path[k] === "." || (path[k] === "[" && k)) steps.push(path.slice(0, k));
      return steps;
    },
    title(node) {
      const path = node.path.startsWith("#") ? "" : node.path;
      return [path, node.doc, node.file && `in ${node.file}`].filter(Boolean).join("\n");
    },
    isOpen(node) {
      return this.all || (this.open[node.path] ?? node.path === "");
    },
    turn(node) {
      if (node.children.length) this.open[node.path] = !this.isOpen(node);
    },
    pick(node) {
      if (node.path.startsWith("#")) this.turn(node);
      else this.$emit("select", { path: node.path });
    },
    key(event) {
      const at = this.shown.findIndex((node) => node.path === this.selected);
      const node = this.shown[at];
      const go = (k) => {
        const next = this.shown[Math.min(Math.max(k, 0), this.shown.length - 1)];
        if (next) next.path.startsWith("#") ? (this.open[next.path] = true) : this.$emit("select", { path: next.path });
      };
      const does = {
        ArrowDown: () => go(at + 1),
        ArrowUp: () => go(at - 1),
        Home: () => go(0),
        End: () => go(this.shown.length - 1),
        ArrowRight: () => node?.children.length && (this.isOpen(node) ? go(at + 1) : this.turn(node)),
        ArrowLeft: () => {
          if (node?.children.length && this.isOpen(node)) return this.turn(node);
          for (let k = at - 1; k >= 0; k--) if (this.shown[k].level < node.level) return go(k);
        },
      }[event.key];
      if (!does || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      does();
    },
  },
};
