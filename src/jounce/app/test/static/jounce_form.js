// Parameters of an event: text with units, checked by the server while one types.
const NUMBER = /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*$/;

export default {
  template: `
    <div class="jn-form">
      <template v-for="group in groups" :key="group.name">
        <div v-if="group.name === 'common'" class="jn-form-more" @click="more = !more"><span>{{ more ? '▾' : '▸' }}</span> Road, friction, start and more <span v-if="changedIn(group)" class="jn-badge">{{ changedIn(group) }} set</span></div>
        <div v-for="field in group.name === 'common' && !more ? group.fields.filter((f) => isSet(f) || errors[f.name]) : group.fields" :key="field.name"
             class="jn-param" :class="{'jn-param-set': isSet(field), 'jn-param-bad': errors[field.name], 'jn-param-doubt': !errors[field.name] && doubts[field.name]}" :title="hint(field)">
          <label :for="id(field)">{{ field.title }}</label>
          <span class="jn-param-value">
            <select v-if="field.kind === 'choice'" :id="id(field)" :value="text(field) || field.default" @change="set(field, $event.target.value)"><option v-for="c in field.choices" :key="c" :value="c">{{ c.replaceAll('_', ' ') }}</option></select>
            <input v-else-if="field.kind === 'flag'" :id="id(field)" type="checkbox" :checked="(text(field) || field.default) === 'yes'" @change="set(field, $event.target.checked ? 'yes' : 'no')">
            <template v-else>
              <input :id="id(field)" :value="shown(field)" :placeholder="placeholder(field)" :list="field.names ? id(field) + '-names' : null" :class="{'jn-wide': !field.units.length}"
                     spellcheck="false" autocomplete="off" @input="typed(field, $event.target.value)" @change="typed(field, $event.target.value, true)" @keydown.enter.exact="typed(field, $event.target.value, true)">
              <datalist v-if="field.names" :id="id(field) + '-names'"><option v-for="n in field.names" :key="n" :value="n"></option></datalist>
              <select v-if="field.units.length" class="jn-units" :value="unit(field)" aria-label="Unit" tabindex="-1" @change="turn(field, $event.target.value)"><option v-for="u in units(field)" :key="u" :value="u">{{ nice(u) }}</option></select>
            </template>
          </span>
          <button v-if="isSet(field)" class="jn-param-back" title="Back to the default" aria-label="Back to the default" tabindex="-1" @click="set(field, null)"><i class="material-icons">undo</i></button>
          <div v-if="errors[field.name] || doubts[field.name]" class="jn-param-said">{{ errors[field.name] || doubts[field.name] }}</div>
        </div>
      </template>
      <div v-if="errors['']" class="jn-param-said jn-pad jn-bad-text">{{ errors[''] }}</div>
    </div>`,
  emits: ["change", "turn"],
  props: {
    fields: { type: Array, default: () => [] }, values: { type: Object, default: () => ({}) }, errors: { type: Object, default: () => ({}) },
    doubts: { type: Object, default: () => ({}) }, kind: { type: String, default: "" },
  },
  data() {
    return { own: { ...this.values }, more: false };
  },
  watch: {
    values(next) { this.own = { ...next }; },
    kind() { this.own = { ...this.values }; },
  },
  computed: {
    groups() {
      return ["event", "common"].map((name) => ({ name, fields: this.fields.filter((field) => field.group === name) })).filter((group) => group.fields.length);
    },
  },
  methods: {
    id(field) { return `jn-f-${this.kind}-${field.name}`; },
    text(field) { return this.own[field.name] ?? ""; },
    isSet(field) { return this.own[field.name] !== undefined && this.own[field.name] !== null; },
    changedIn(group) { return group.fields.filter((field) => this.isSet(field)).length; },
    nice(unit) { return unit.replace("percent", "%").replaceAll("g_0", "g").replaceAll(".", "·").replace(/2$/, "²"); },
    placeholder(field) { return field.default || (field.optional ? "–" : ""); },
    /** The number alone where the unit stands beside it. */
    shown(field) {
      const text = this.text(field);
      if (!field.units.length) return text;
      const found = text.match(NUMBER);
      return found ? found[1] : text;
    },
    unit(field) {
      const found = this.text(field).match(NUMBER);
      return (found && found[2]) || this.units_[field.name] || field.unit;
    },
    units(field) {
      const unit = this.unit(field);
      return field.units.includes(unit) ? field.units : [unit, ...field.units];
    },
    typed(field, text, done = false) {
      const found = text.match(NUMBER);
      let value = text.trim();
      if (field.units.length && found && !found[2]) value = `${found[1]} ${this.unit(field)}`;
      if (!value && !field.optional) value = null;
      clearTimeout(this.later);
      if (done) this.set(field, value);
      else this.later = setTimeout(() => this.set(field, value), 250);
    },
    turn(field, unit) {
      if (this.isSet(field) && this.text(field)) this.$emit("turn", { name: field.name, unit });
      else this.$emit("turn", { name: field.name, unit, value: field.default ? `${field.default} ${field.unit}` : "" });
    },
    set(field, value) {
      if ((value ?? null) === (this.own[field.name] ?? null)) return;
      const next = { ...this.own };
      if (value === null || value === undefined) delete next[field.name];
      else next[field.name] = value;
      this.own = next;
      this.$emit("change", { values: next });
    },
    hint(field) {
      return [field.doc, field.limits ? `allowed: ${field.limits}${field.unit ? ` ${field.unit}` : ""}` : "", field.default ? `default: ${field.default} ${field.unit}` : ""].filter(Boolean).join("\n");
    },
  },
  created() { this.units_ = {}; },
};
