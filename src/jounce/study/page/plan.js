"use strict";
// Rows are drawn when they are seen: those above and below are two empty rows of the right height.
(() => {
  const events = JSON.parse(document.getElementById("data").textContent);
  const [VEHICLE, VARIATION, STATUS, REASON, VERDICT, LINK, WARNINGS, SPAN, VALUES] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const EXTRA = 20; // rows beyond the window
  const frame = document.getElementById("frame"), table = document.getElementById("table");
  const find = document.getElementById("find"), only = document.getElementById("only");
  const spans = document.getElementById("spans"), count = document.getElementById("count");
  let event = null, shown = [], key = null, down = false, drawn = "";

  const make = (tag, text, style) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (style) node.className = style;
    return node;
  };
  // As the terminal writes numbers: four digits.
  const number = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3
    ? x.toExponential(2) : String(Number(x.toPrecision(4)))).replace("-", "−");
  const mark = (run, k) => {
    const span = event.spans[run[SPAN]][k], x = run[VALUES][k];
    return span === null || x === null ? 0 : x > span[1] ? 1 : x < span[0] ? -1 : 0;
  };
  const bad = (run) => run[STATUS] !== "complete" || run[VERDICT] === "fail";
  for (const one of events) { // marks once: sorting and counting use them again and again
    event = one;
    for (const run of one.runs) {
      run.marks = one.figures.map((_, k) => mark(run, k));
      run.count = run.marks.reduce((n, m) => n + Math.abs(m), 0) + (bad(run) ? 1 : 0);
      run.text = `${run[VEHICLE]} ${run[VARIATION]} ${run[STATUS]} ${run[REASON]} ${run[VERDICT]}`.toLowerCase();
    }
    one.marks = one.runs.reduce((n, run) => n + (run.count > 0 ? 1 : 0), 0);
    one.varied = one.runs.some((run) => run[VARIATION] !== "");
    one.judged = one.runs.some((run) => run[VERDICT] !== "");
  }

  const columns = () => [
    ["Vehicle", "", (run) => run[VEHICLE]],
    ...(event.varied ? [["Variation", "", (run) => run[VARIATION]]] : []),
    ["End", "", (run) => `${bad(run) ? 0 : 1}${run[STATUS]}${run[VERDICT]}`],
    ["Marks", "", (run) => run.count],
    ...event.figures.map(([name, title, unit], k) => [title, unit, (run) => run[VALUES][k], name]),
  ];

  function choose(one) {
    event = one; key = null; down = false;
    [...document.getElementById("events").children].forEach((b, k) => b.classList.toggle("on", events[k] === one));
    head(); filter();
  }

  function head() {
    const row = make("tr");
    columns().forEach(([title, unit, , name], k) => {
      const cell = make("th", title, `${k > (event.varied ? 2 : 1) ? "num" : ""}${k === key ? " sorted" : ""}`);
      if (unit) cell.append(make("small", unit));
      if (k === key) cell.append(down ? " ↓" : " ↑");
      if (name) cell.title = name;
      cell.tabIndex = 0;
      const click = () => { down = k === key && !down; key = k; head(); filter(); };
      cell.onclick = click;
      cell.onkeydown = (e) => { if (e.key === "Enter") click(); };
      row.append(cell);
    });
    const top = make("thead");
    top.append(row);
    table.replaceChildren(top, make("tbody"));
  }

  function filter() {
    const words = find.value.toLowerCase().split(/\s+/).filter((w) => w);
    shown = event.runs.filter((run) => words.every((w) => run.text.includes(w)) && (!only.checked || run.count > 0));
    if (key !== null) {
      const value = columns()[key][2], sign = down ? -1 : 1;
      const order = new Intl.Collator(undefined, { numeric: true }).compare;
      const compare = (a, b) => (typeof a === "string" ? order(a, b) : a - b);
      const pairs = shown.map((run) => [value(run), run]); // what is no number stands last, either way
      pairs.sort(([a], [b]) => (a === null ? (b === null ? 0 : 1) : b === null ? -1 : sign * compare(a, b)));
      shown = pairs.map((pair) => pair[1]);
    }
    count.textContent = shown.length === event.runs.length ? `${shown.length} runs`
      : `${shown.length} of ${event.runs.length} runs`;
    drawn = ""; frame.scrollTop = 0; draw();
  }

  function line(run) {
    const row = make("tr", undefined, spans.checked ? "ranges" : "");
    const name = make("td");
    if (run[LINK]) { const link = make("a", run[VEHICLE]); link.href = run[LINK]; name.append(link); }
    else name.textContent = run[VEHICLE];
    row.append(name);
    if (event.varied) row.append(make("td", run[VARIATION]));
    const end = make("td", undefined, "why");
    const words = run[VERDICT] || run[STATUS];
    end.append(make("span", words, bad(run) ? "out" : words === "pass" ? "ok" : "soft"));
    if (run[STATUS] !== "complete" && run[REASON]) end.append(` ${run[REASON]}`);
    end.title = [run[REASON], ...run[WARNINGS]].filter((t) => t).join("\n");
    if (run[WARNINGS].length) end.append(make("span", ` · ${run[WARNINGS].length} remark${run[WARNINGS].length > 1 ? "s" : ""}`, "none"));
    row.append(end, make("td", run.count ? String(run.count) : "", "num"));
    run[VALUES].forEach((x, k) => {
      const cell = make("td", undefined, "num"), span = event.spans[run[SPAN]][k];
      if (x === null) cell.append(make("span", "–", "none"));
      else {
        if (run.marks[k]) { cell.append(make("span", run.marks[k] > 0 ? "▲ " : "▼ ", "m")); cell.classList.add("marked"); }
        cell.append(number(x));
      }
      if (span) {
        const text = `${number(span[0])} … ${number(span[1])}`;
        cell.title = `usual: ${text} ${event.figures[k][2]}`;
        if (spans.checked) cell.append(make("small", text));
      }
      row.append(cell);
    });
    return row;
  }

  function draw() {
    const height = spans.checked ? 45 : 31; // of a row, with its line
    const first = Math.max(0, Math.floor(frame.scrollTop / height) - EXTRA);
    const last = Math.min(shown.length, Math.ceil((frame.scrollTop + frame.clientHeight) / height) + EXTRA);
    const now = `${first} ${last} ${shown.length}`;
    if (now === drawn) return;
    drawn = now;
    const space = (rows) => {
      const row = make("tr", undefined, "space"), cell = make("td");
      cell.colSpan = columns().length;
      cell.style.height = `${rows * height}px`;
      row.append(cell);
      return row;
    };
    const body = document.createDocumentFragment();
    if (first > 0) body.append(space(first));
    for (let k = first; k < last; k++) body.append(line(shown[k]));
    if (last < shown.length) body.append(space(shown.length - last));
    table.tBodies[0].replaceChildren(body);
  }

  for (const one of events) {
    const button = make("button", one.name);
    button.append(make("i", one.runs.length));
    if (one.marks) button.append(make("span", `▲ ${one.marks}`, "m"));
    button.onclick = () => choose(one);
    document.getElementById("events").append(button);
  }
  find.oninput = filter; only.onchange = filter;
  spans.onchange = () => { drawn = ""; draw(); };
  frame.onscroll = draw; window.onresize = draw;
  if (events.length) choose(events[0]);
})();
