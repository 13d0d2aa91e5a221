// What charts of the Build page share: scales, ticks and lines.

export function span(values, least = 0) {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) return [0, 1];
  const missing = Math.max(least, 1e-12 * Math.max(Math.abs(low), Math.abs(high)), low === high ? (Math.abs(low) || 1) * 0.5 : 0) - (high - low);
  return missing > 0 ? [low - missing / 2, high + missing / 2] : [low, high];
}

/** Round numbers within a range, at most so many. */
export function ticks(low, high, most) {
  const raw = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return found.map((v) => ({ at: v, text: (Math.abs(v) < step * 1e-6 ? 0 : v).toFixed(Math.min(digits, 8)).replace("-", "−") }));
}

export const scale = (low, high, from, to) => (v) => from + ((v - low) / (high - low)) * (to - from);

/** Points of a line in a box of so many units, with a margin. */
export function polyline(x, y, all, width, height, margin) {
  const [x0, x1] = span(x);
  const [y0, y1] = span(all);
  const sx = scale(x0, x1, margin, width - margin);
  const sy = scale(y0, y1, height - margin, margin);
  return x.map((v, k) => `${sx(v).toFixed(2)},${sy(y[k]).toFixed(2)}`).join(" ");
}
