// Data of plots: frames of columns, and what is known of one run. The layout of a frame is told in jounce/app/frames.py.

export function unpack(buffer) {
  const view = new DataView(buffer);
  const size = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const columns = {};
  head.channels.forEach((name, k) => (columns[name] = new Float64Array(buffer, 4 + size + 8 * head.rows * k, head.rows)));
  return { head, columns };
}

/** First index whose value is not less than what is looked for. */
export function lower(values, wanted, length = values.length) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Linearly between two instants; NaN outside. */
export function between(time, values, t, length = time.length) {
  if (!length || t < time[0] - 1e-9 || t > time[length - 1] + 1e-9) return NaN;
  const k = Math.min(Math.max(lower(time, t, length), 1), length - 1);
  if (length === 1) return values[0];
  const span = time[k] - time[k - 1];
  const part = span > 0 ? Math.min(Math.max((t - time[k - 1]) / span, 0), 1) : 0;
  return values[k - 1] * (1 - part) + values[k] * part;
}

export async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `${path}: ${answer.status}`);
  return answer;
}

/** Columns over time, which may grow. */
class Rows {
  constructor(columns, exact) {
    this.time = columns.time;
    this.columns = columns;
    this.exact = exact;
    this.length = this.time.length;
  }
  get from() {
    return this.length ? this.time[0] : NaN;
  }
  get to() {
    return this.length ? this.time[this.length - 1] : NaN;
  }
}

/** A run that is laid under plots. */
export class Source {
  constructor(id, label) {
    this.id = id;
    this.label = label;
    this.about = {}; // by channel: unit, size, shown, title, wheel
    this.groups = {}; // by what was asked for: channels
    this.titles = {}; // by what was asked for, where it has words of its own
    this.whole = null;
    this.detail = null;
    this.pairs = null;
  }
  /** Whether it has told which channels it has. */
  get known() {
    return Object.keys(this.groups).length > 0;
  }
  path(names, more) {
    const query = new URLSearchParams(more);
    for (const name of names) query.append("channel", name);
    return `/api/plots/${encodeURIComponent(this.id)}/frame?${query}`;
  }
  async fetch(names, more) {
    const answer = await get(this.path(names, more));
    const { head, columns } = unpack(await answer.arrayBuffer());
    return { head, rows: new Rows(columns, head.exact) };
  }
  /** All of it, coarsely if need be. */
  async load(names, crossed, points) {
    const [over, paired] = await Promise.all([
      names.length ? this.fetch(names, { points }) : null,
      crossed.length ? this.fetch(crossed, { points: 20000, paired: true }) : null,
    ]);
    for (const part of [over, paired]) {
      if (!part) continue;
      Object.assign(this.about, part.head.about);
      Object.assign(this.groups, part.head.groups);
      Object.assign(this.titles, part.head.titles);
    }
    this.names = names;
    this.whole = over?.rows ?? null;
    this.pairs = paired?.rows ?? null;
    this.detail = null;
  }
  get from() {
    return Math.min(this.whole?.from ?? Infinity, this.pairs?.from ?? Infinity);
  }
  get to() {
    return Math.max(this.whole?.to ?? -Infinity, this.pairs?.to ?? -Infinity);
  }
  /** What there is in the most detail of a span of time. */
  rows(from, to) {
    const d = this.detail;
    if (d && this.whole && d.from <= Math.max(from, this.whole.from) + 1e-9 && d.to >= Math.min(to, this.whole.to) - 1e-9) return d;
    return this.whole;
  }
  /** Get what a span of time needs; true where something came. */
  async refine(from, to, points) {
    if (!this.whole || this.whole.exact || !this.names?.length) return false;
    const span = to - from;
    if (span >= 0.9 * (this.whole.to - this.whole.from)) return false;
    const d = this.detail;
    if (d && d.from <= Math.max(from, this.whole.from) && d.to >= Math.min(to, this.whole.to) && (d.exact || d.span < 2.4 * 3 * span)) return false;
    const asked = (this.asked = Symbol());
    const { rows } = await this.fetch(this.names, { start: from - span, end: to + span, points: 3 * points });
    if (this.asked !== asked) return false;
    rows.span = 3 * span;
    this.detail = rows;
    return true;
  }
  value(channel, t) {
    const rows = this.rows(t, t);
    const column = rows?.columns[channel];
    if (column) return between(rows.time, column, t, rows.length);
    const pair = this.pairs?.columns[channel];
    return pair ? between(this.pairs.time, pair, t, this.pairs.length) : NaN;
  }
}

/** A run that goes on: its rows come over a websocket. */
export class LiveSource extends Source {
  constructor(id, label, wanted, told, ended) {
    super(id, label);
    this.wanted = wanted;
    this.told = told;
    this.ended = ended;
    this.open();
  }
  async open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams();
    for (const name of this.wanted) query.append("channel", name);
    const socket = new WebSocket(`${scheme}://${location.host}/api/plots/${encodeURIComponent(this.id)}/live?${query}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data === "string") this.hear(JSON.parse(data));
      else this.append(unpack(data));
    };
  }
  hear(said) {
    if (said.about) {
      this.about = said.about;
      this.groups = said.groups;
      this.titles = said.titles;
      this.told(true);
    } else if (said.status) {
      this.close();
      this.ended(said);
    }
  }
  append({ head, columns }) {
    const more = columns.time;
    if (!this.whole) {
      const room = {};
      for (const name of head.channels) room[name] = new Float64Array(4096);
      this.whole = this.pairs = new Rows(room, true);
      this.whole.length = 0;
    }
    const rows = this.whole;
    let first = 0; // a procedure begins its time anew with each of its runs; the last one is shown
    let before = rows.length ? rows.time[rows.length - 1] : -Infinity;
    for (let k = 0; k < more.length; k++) {
      if (more[k] < before) {
        first = k;
        rows.length = 0;
      }
      before = more[k];
    }
    const count = more.length - first;
    const need = rows.length + count;
    if (need > rows.time.length) {
      for (const name of head.channels) {
        const larger = new Float64Array(2 * need);
        larger.set(rows.columns[name].subarray(0, rows.length));
        rows.columns[name] = larger;
      }
      rows.time = rows.columns.time;
    }
    for (const name of head.channels) rows.columns[name].set(columns[name].subarray(first), rows.length);
    rows.length = need;
    this.told(false);
  }
  async refine() {
    return false;
  }
  close() {
    this.socket?.close();
    this.socket = null;
  }
}
