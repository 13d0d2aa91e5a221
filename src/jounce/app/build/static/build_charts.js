// Small pictures of curves, one beside the other; what was before stands behind them, dashed.
import { scale, span, ticks } from "/static/build/chart_tools.js";

const [W, H] = [260, 132];
const BOX = { left: 38, right: 4, top: 6, bottom: 26 };

export default {
  template: `
    <div class="jb-charts">
      <div v-for="chart in drawn" :key="chart.title" class="jb-chart" :data-title="chart.title">
        <h4>{{ chart.title }} <span class="jn-muted">{{ chart.y_label }}</span></h4>
        <svg :viewBox="'0 0 ${W} ${H}'" role="img" :aria-label="chart.title">
          <template v-for="t in chart.xt" :key="'x' + t.at"><line class="grid" :x1="chart.sx(t.at)" :x2="chart.sx(t.at)" y1="${BOX.top}" y2="${H - BOX.bottom}"/><text :x="chart.sx(t.at)" y="${H - BOX.bottom + 11}" text-anchor="middle">{{ t.text }}</text></template>
          <template v-for="t in chart.yt" :key="'y' + t.at"><line class="grid" x1="${BOX.left}" x2="${W - BOX.right}" :y1="chart.sy(t.at)" :y2="chart.sy(t.at)"/><text x="${BOX.left - 4}" :y="chart.sy(t.at) + 3" text-anchor="end">{{ t.text }}</text></template>
          <text x="${W - BOX.right}" y="${H - 3}" text-anchor="end">{{ chart.x_label }}</text>
          <polyline v-for="(line, k) in chart.old" :key="'o' + k" :points="line" stroke="var(--jn-muted)" stroke-dasharray="3 3"/>
          <polyline v-for="(line, k) in chart.now" :key="'n' + k" :points="line" :stroke="'var(--jn-c' + k + ')'"/>
        </svg>
        <span v-if="chart.lines.length > 1" class="jn-muted" style="font-size: 11px"><template v-for="(line, k) in chart.lines" :key="k"><b :style="{color: 'var(--jn-c' + k + ')'}">—</b> {{ line.label }} &nbsp;</template></span>
      </div>
    </div>`,
  props: { charts: Array },
  computed: {
    drawn() {
      return (this.charts ?? []).map((chart) => {
        const all = [...chart.lines, ...(chart.was ?? [])];
        const [x0, x1] = span(all.flatMap((line) => line.x));
        const [y0, y1] = span(all.flatMap((line) => line.y), chart.least);
        const sx = scale(x0, x1, BOX.left, W - BOX.right);
        const sy = scale(y0, y1, H - BOX.bottom, BOX.top);
        const path = (line) => line.x.map((v, k) => `${sx(v).toFixed(1)},${sy(line.y[k]).toFixed(1)}`).join(" ");
        return { ...chart, sx, sy, xt: ticks(x0, x1, 5), yt: ticks(y0, y1, 4), now: chart.lines.map(path), old: (chart.was ?? []).map(path) };
      });
    },
  },
};
