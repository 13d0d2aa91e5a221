// The library of events with a search.
import "/static/test/test.js";
import { matcher } from "/static/review/jounce_channels.js";

export default {
  template: `
    <div class="jn-events">
      <div class="jn-find"><input ref="find" v-model="filter" type="search" placeholder="Search events ( / )" aria-label="Search events" @keydown="key"><span class="jn-muted">{{ kept.length }}</span></div>
      <div class="jn-events-list" tabindex="0" @keydown="key">
        <div v-for="event in kept" :key="event.kind" class="jn-event" :class="{'jn-run-on': event.kind === chosen}" :data-event="event.kind"
             :title="event.words" @click="$emit('choose', {kind: event.kind})" @dblclick="$emit('plan', {kind: event.kind})">
          <span class="jn-event-title">{{ event.title }}</span><span class="jn-muted jn-event-norm">{{ event.standard }}</span>
        </div>
        <div v-if="!kept.length" class="jn-muted jn-pad">no event is called so</div>
      </div>
    </div>`,
  emits: ["choose", "plan"],
  props: { events: { type: Array, default: () => [] }, chosen: { type: String, default: "" } },
  data() {
    return { filter: "" };
  },
  computed: {
    kept() {
      const match = matcher(this.filter);
      return this.events.filter((event) => match(event.title) || match(event.kind) || match(event.standard) || match(event.words));
    },
  },
  mounted() {
    this.slash = (event) => {
      if (event.key !== "/" || ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
      event.preventDefault();
      this.$refs.find.focus();
    };
    document.addEventListener("keydown", this.slash);
  },
  beforeUnmount() { document.removeEventListener("keydown", this.slash); },
  methods: {
    key(event) {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const list = this.kept;
      if (!list.length) return;
      const at = list.findIndex((one) => one.kind === this.chosen);
      if (event.key === "Enter" && at < 0) this.$emit("choose", { kind: list[0].kind });
      if (!by) return;
      event.preventDefault();
      const next = list[Math.min(Math.max(at + by, 0), list.length - 1)];
      this.$emit("choose", { kind: next.kind });
      this.$nextTick(() => this.$el.querySelector(".jn-run-on")?.scrollIntoView({ block: "nearest" }));
    },
  },
};
