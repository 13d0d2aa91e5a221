// A test plan: events with the parameters that say most, and what they are run with.
export default {
  template: `
    <div class="jn-plan">
      <div v-if="!rows.length" class="jn-muted jn-pad">No tests yet. Choose an event and press “Add to plan”, or double-click it in the library. A plan runs each of its tests with each of the chosen vehicles.</div>
      <table v-else>
        <tr v-for="row in rows" :key="row.id" :class="{'jn-plan-off': row.off}" :data-test="row.id">
          <td><input type="checkbox" :checked="!row.off" title="Run it with the plan" aria-label="Run it" @change="$emit('edit', {id: row.id, off: !$event.target.checked})"></td>
          <td class="jn-plan-name"><a href="#" title="Edit all of its parameters" @click.prevent="$emit('open', {id: row.id})">{{ row.name }}</a><div class="jn-muted">{{ row.title }}</div></td>
          <td v-for="cell in row.cells" :key="cell.name" class="jn-plan-cell" :class="{'jn-param-set': cell.set, 'jn-param-bad': cell.error}" :title="cell.error || cell.doc">
            <label>{{ cell.title }}<span v-if="cell.unit"> / {{ cell.unit }}</span></label>
            <select v-if="cell.choices" :value="cell.value || cell.default" @change="edit(row, cell, $event)"><option v-for="c in cell.choices" :key="c">{{ c }}</option></select>
            <input v-else :value="cell.value" :placeholder="cell.default || '–'" spellcheck="false" @change="edit(row, cell, $event)">
          </td>
          <td v-for="k in 4 - row.cells.length" :key="'none' + k"></td>
          <td class="jn-plan-tools">
            <button title="Run this test alone" aria-label="Run" @click="$emit('run', {id: row.id})"><i class="material-icons">play_arrow</i></button>
            <button title="Copy" aria-label="Copy" @click="$emit('copy', {id: row.id})"><i class="material-icons">content_copy</i></button>
            <button title="Remove" aria-label="Remove" @click="$emit('remove', {id: row.id})"><i class="material-icons">close</i></button>
          </td>
        </tr>
      </table>
    </div>`,
  emits: ["edit", "open", "run", "copy", "remove"],
  props: { rows: { type: Array, default: () => [] } },
  methods: {
    edit(row, cell, event) { this.$emit("edit", { id: row.id, name: cell.name, value: event.target.value }); },
  },
};
