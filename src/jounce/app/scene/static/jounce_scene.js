// The scene: bodies that are moved by binary frames. What it can do, its keys and what can be read back from it is told
// in jounce/app/scene/__init__.py; the layout of a frame in frame.py, that of a drawing in drawing.py.
let THREE, OrbitControls;
let missing = "";
try {
  THREE = await import("three");
  ({ OrbitControls } = await import("three/OrbitControls.js"));
} catch (problem) {
  missing = "three.js is missing: run `make vendor`";
}

const MAGIC = 0x3143534a;
const HEAD = 48; // bytes before the poses
const MODES = { follow: "Follow", driver: "Driver", top: "Top", free: "Free" };
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const NEWTONS = 6000; // that are drawn one metre long
const USUAL_LOAD = 7000; // N on a tire, up to which arrows have that length
const SLOW = 16; // pictures per second; below it a moving scene is drawn with fewer pixels

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;

/** Lines of a square grid in pieces: one that reaches behind the eye is lost where there is no graphics processor. */
function gridLines(cells, step, pieces = 12) {
  const points = [];
  const [half, piece] = [(cells * step) / 2, (cells * step) / pieces];
  for (let k = 0; k <= cells; k++) {
    const at = k * step - half;
    for (let n = 0; n < pieces; n++) {
      const [from, to] = [n * piece - half, (n + 1) * piece - half];
      points.push(at, from, 0, at, to, 0, from, at, 0, to, at, 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  return geometry;
}

/** Whether pictures are made without a graphics processor. */
function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

/** Frames that stand one after the other: instants, and poses that are read where they lie. */
class Track {
  constructor(buffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < HEAD || view.getUint32(0, true) !== MAGIC) throw new Error("not frames of a scene");
    this.bodies = view.getUint32(4, true);
    this.tires = view.getUint32(8, true);
    this.stride = HEAD + 4 * (7 * this.bodies + 6 * this.tires);
    this.length = Math.floor(buffer.byteLength / this.stride);
    this.view = view;
    this.buffer = buffer;
    this.time = Float64Array.from({ length: this.length }, (_, k) => view.getFloat64(k * this.stride + 16, true));
  }
  number(k) {
    return this.view.getUint32(k * this.stride + 12, true);
  }
  values(k) {
    const at = k * this.stride;
    const origin = [24, 32, 40].map((offset) => this.view.getFloat64(at + offset, true));
    return { origin, data: new Float32Array(this.buffer, at + HEAD, 7 * this.bodies + 6 * this.tires) };
  }
  /** Poses and forces at an instant, linearly between frames, attitudes along the shorter arc. */
  at(time) {
    let low = 0;
    let high = this.length - 1;
    const t = Math.min(Math.max(time, this.time[0]), this.time[high]);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle;
    }
    const span = this.time[high] - this.time[low];
    const part = span > 0 ? (t - this.time[low]) / span : 0;
    const a = this.values(low);
    const b = this.values(high);
    const poses = [];
    const forces = [];
    const q = new THREE.Quaternion();
    const r = new THREE.Quaternion();
    const mix = (i, k) => (a.data[i] + a.origin[k]) * (1 - part) + (b.data[i] + b.origin[k]) * part;
    for (let n = 0; n < this.bodies; n++) {
      const i = 7 * n;
      q.set(a.data[i + 3], a.data[i + 4], a.data[i + 5], a.data[i + 6]);
      r.set(b.data[i + 3], b.data[i + 4], b.data[i + 5], b.data[i + 6]);
      q.slerp(r, part);
      poses.push({ position: [mix(i, 0), mix(i + 1, 1), mix(i + 2, 2)], quaternion: q.toArray() });
    }
    for (let n = 0; n < this.tires; n++) {
      const i = 7 * this.bodies + 6 * n;
      const vector = [3, 4, 5].map((k) => a.data[i + k] * (1 - part) + b.data[i + k] * part);
      forces.push({ point: [mix(i, 0), mix(i + 1, 1), mix(i + 2, 2)], vector });
    }
    return { time: t, poses, forces };
  }
}

/** One vehicle: a group of bodies, made from a drawing. */
class Actor {
  constructor(scene, look, order, ghost) {
    this.scene = scene;
    this.look = look;
    this.order = order ?? Object.keys(look.bodies);
    this.tires = look.forces ?? [];
    this.ghost = ghost;
    this.group = new THREE.Group();
    this.bodies = {};
    this.points = [];
    this.measures = [];
    this.links = [];
    scene.world.add(this.group);
    for (const name of this.order) {
      const body = new THREE.Group();
      for (const shape of look.bodies[name] ?? []) this.add(body, shape);
      this.bodies[name] = body;
      this.group.add(body);
    }
    if (!ghost) for (const pair of look.links ?? []) this.addLink(pair);
    this.arrows = [];
    this.addArrows();
    this.paint();
  }
  addArrows() {
    if (this.ghost) return;
    for (const pair of this.arrows) this.group.remove(...pair);
    this.arrows = this.tires.map(() => [this.scene.arrow("load"), this.scene.arrow("grip")]);
    for (const pair of this.arrows) this.group.add(...pair);
  }
  add(body, shape) {
    const make = this[`make_${shape.kind}`];
    if (!make || (this.ghost && !["mesh", "wheel"].includes(shape.kind))) return;
    const made = make.call(this, shape);
    made.userData.shape = shape;
    body.add(made);
  }
  addLink(pair) {
    const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    line.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    line.frustumCulled = false;
    line.userData.role = "muted";
    this.group.add(line);
    this.links.push({ pair, line });
  }
  make_mesh(shape) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.points, 3));
    geometry.setIndex(shape.triangles);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    const mesh = new THREE.Mesh(flat, new THREE.MeshLambertMaterial({ side: THREE.DoubleSide, transparent: true }));
    mesh.userData.role = "paint";
    const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 12), new THREE.LineBasicMaterial({ transparent: true }));
    edges.userData.role = "edge";
    mesh.add(edges);
    return mesh;
  }
  make_wheel(shape) {
    const wheel = new THREE.Group();
    const part = (radius, width, role) => {
      const mesh = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, width, 28), new THREE.MeshLambertMaterial());
      mesh.userData.role = role;
      return mesh;
    };
    const rim = part(0.62 * shape.radius, 1.02 * shape.width, "rim");
    wheel.add(part(shape.radius, shape.width, "tire"), rim);
    for (let k = 0; k < 3; k++) {
      const spoke = new THREE.Mesh(new THREE.BoxGeometry(1.18 * shape.radius, 1.05 * shape.width, 0.09 * shape.radius), new THREE.MeshLambertMaterial());
      spoke.rotation.y = (k * Math.PI) / 3;
      spoke.userData.role = k ? "spoke" : "mark";
      wheel.add(spoke);
    }
    wheel.position.y = shape.offset ?? 0;
    if (shape.label) this.points.push({ object: wheel, shape, reach: shape.radius });
    return wheel;
  }
  make_centre(shape) {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.06, 20, 14), new THREE.MeshLambertMaterial({ depthTest: false, transparent: true }));
    ball.position.fromArray(shape.at);
    ball.renderOrder = 5;
    ball.userData.role = "centre";
    this.points.push({ object: ball, shape, reach: 0.06 });
    return ball;
  }
  make_point(shape) {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.026, 12, 8), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
    ball.position.fromArray(shape.at);
    ball.renderOrder = 5;
    ball.userData.role = "point";
    this.points.push({ object: ball, shape, reach: 0.026 });
    return ball;
  }
  make_axes(shape) {
    const axes = new THREE.AxesHelper(shape.size);
    axes.material.depthTest = false;
    axes.renderOrder = 4;
    return axes;
  }
  make_measure(shape) {
    const [a, b] = [shape.from, shape.to].map((p) => new THREE.Vector3(...p));
    const along = b.clone().sub(a).normalize();
    const tick = new THREE.Vector3(-along.y, along.x, 0).multiplyScalar(0.12);
    const points = [a, b, a.clone().add(tick), a.clone().sub(tick), b.clone().add(tick), b.clone().sub(tick)];
    const line = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial());
    line.position.z = 0.005;
    line.userData.role = "muted";
    this.measures.push({ object: line, at: a.clone().add(b).multiplyScalar(0.5), label: shape.label });
    return line;
  }
  /** Colours of the page, on everything. */
  paint() {
    const c = this.scene.colours;
    const through = this.scene.through && !this.ghost;
    this.group.traverse((object) => {
      const role = object.userData.role;
      if (!role || !object.material) return;
      if (this.ghost) {
        object.material.color.set(c.ghost);
        object.material.transparent = true;
        object.material.depthWrite = false;
        object.material.opacity = role === "edge" ? 0.5 : 0.22;
        return;
      }
      const colour = { paint: c.paint, edge: c.glass, tire: c.tire, rim: c.rim, spoke: c.spoke, mark: c.accent, centre: c.bad, point: c.accent, muted: c.muted }[role];
      object.material.color.set(colour ?? c.muted);
      if (role === "paint") {
        object.material.opacity = through ? 0.16 : 0.62; // wheels stand within the width of the body
        object.material.depthWrite = false;
      }
      if (role === "edge") object.material.opacity = through ? 0.7 : 0.9;
    });
  }
  /** Put bodies and arrows where a frame says, from the origin of what is drawn. */
  place(state) {
    this.state = state;
    const from = this.scene.origin;
    state.poses.forEach((pose, k) => {
      const body = this.bodies[this.order[k]];
      if (!body) return;
      body.position.set(...pose.position.map((v, i) => v - from[i]));
      body.quaternion.fromArray(pose.quaternion);
    });
    for (const { pair, line } of this.links) {
      const ends = line.geometry.attributes.position;
      pair.forEach((name, k) => ends.setXYZ(k, ...(this.bodies[name]?.position.toArray() ?? [0, 0, 0])));
      ends.needsUpdate = true;
    }
    if (!this.newtons && state.forces.length) {
      const largest = Math.max(...state.forces.map((force) => Math.hypot(...force.vector)));
      this.newtons = NEWTONS * Math.max(1, largest / USUAL_LOAD); // arrows of a truck are no longer than those of a car
    }
    this.arrows.forEach(([load, grip], k) => {
      const force = state.forces[k];
      const at = force ? force.point.map((v, i) => v - from[i]) : [0, 0, 0];
      const [x, y, z] = force?.vector ?? [0, 0, 0];
      this.scene.aim(load, at, 0, 0, z, this.newtons);
      this.scene.aim(grip, at, x, y, 0, this.newtons);
    });
  }
  poses() {
    const found = {};
    for (const name of this.order) {
      const body = this.bodies[name];
      const q = body.quaternion;
      const forward = new THREE.Vector3(1, 0, 0).applyQuaternion(q);
      found[name] = {
        position: body.position.toArray().map((v, i) => v + this.scene.origin[i]),
        quaternion: q.toArray(),
        heading: Math.atan2(forward.y, forward.x),
      };
    }
    return found;
  }
  remove() {
    this.scene.world.remove(this.group);
    this.group.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
  }
}

class Scene {
  constructor(host, canvas, labels, options) {
    this.host = host;
    this.labels = labels;
    this.tell = options.tell;
    this.name = options.name;
    this.camera = options.mode;
    this.through = options.through;
    this.arrowsShown = true;
    this.origin = [0, 0, 0];
    this.time = 0;
    this.frames = 0;
    this.rate = 0;
    this.speed = 1;
    this.playing = false;
    this.kept = [];
    const soft = drawnBySoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !soft, powerPreference: "high-performance" });
    this.ratio = this.fine = soft ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    this.world = new THREE.Scene();
    this.eye = new THREE.PerspectiveCamera(42, 1, 0.1, 3000);
    this.eye.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.eye, canvas);
    this.controls.maxPolarAngle = Math.PI / 2 - 0.01;
    this.controls.addEventListener("change", () => this.ask());
    this.controls.addEventListener("start", () => this.camera === "free" || this.setCamera("free", true));
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8899aa, 2.2);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.6);
    this.sun.position.set(-4, 6, 10);
    this.world.add(this.sky, this.sun);
    this.makeGround();
    this.repaint();
    this.home();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.themes = new MutationObserver(() => this.repaint());
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.heard = (event) => this.hear(event);
    document.addEventListener("jn-cursor", this.heard);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.showTip(null));
    canvas.addEventListener("click", (event) => this.pick(event));
    this.resize();
  }

  // --- ground ---------------------------------------------------------------------------------------------------------

  makeGround() {
    this.ground = new THREE.Group();
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(4000, 4000), new THREE.MeshBasicMaterial());
    this.plane.position.z = -0.004;
    this.plane.material.depthWrite = false; // so large a triangle has no exact depth
    this.plane.renderOrder = -2;
    this.grids = [1, 10].map((step) => {
      const grid = new THREE.LineSegments(gridLines(60, step), new THREE.LineBasicMaterial({ transparent: true, depthWrite: false }));
      grid.renderOrder = -1;
      return grid;
    });
    this.ground.add(this.plane, ...this.grids);
    this.world.add(this.ground);
    this.trail = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.trail.frustumCulled = false;
    this.world.add(this.trail);
  }
  setGround(look) {
    for (const object of [this.road, this.cones]) {
      if (!object) continue;
      this.world.remove(object);
      object.geometry?.dispose();
    }
    this.road = this.cones = null;
    const [grade, bank] = look.slope ?? [0, 0];
    const up = new THREE.Vector3(-grade, -bank, 1).normalize();
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    if (look.road) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(look.road.points, 3));
      geometry.setIndex(look.road.triangles);
      geometry.computeVertexNormals();
      this.road = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ side: THREE.DoubleSide }));
      const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 1), new THREE.LineBasicMaterial());
      this.road.add(edges);
      this.world.add(this.road);
    }
    this.plane.visible = !look.road;
    this.grids.forEach((grid) => (grid.visible = !look.road));
    if (look.cones?.length) {
      const shape = new THREE.ConeGeometry(0.13, 0.5, 12);
      shape.rotateX(Math.PI / 2).translate(0, 0, 0.25);
      this.cones = new THREE.InstancedMesh(shape, new THREE.MeshLambertMaterial({ color: 0xe07b1f }), look.cones.length);
      this.conePlaces = look.cones;
      this.cones.frustumCulled = false;
      this.world.add(this.cones);
    }
    this.placeGround();
    this.repaint();
  }
  placeGround() {
    const from = this.origin;
    if (this.road) this.road.position.set(-from[0], -from[1], -from[2]);
    if (this.cones) {
      const m = new THREE.Matrix4();
      this.conePlaces.forEach(([x, y, z], k) => this.cones.setMatrixAt(k, m.makeTranslation(x - from[0], y - from[1], z - from[2])));
      this.cones.instanceMatrix.needsUpdate = true;
    }
    this.ground.position.set(0, 0, -from[2]);
  }
  /** What is drawn counts from a place near the car, which moves by whole hundreds of metres. */
  moveOrigin(place) {
    const next = [Math.round(place[0] / 500) * 500, Math.round(place[1] / 500) * 500, 0];
    if (next.every((v, i) => v === this.origin[i])) return;
    const shift = new THREE.Vector3(...next.map((v, i) => this.origin[i] - v));
    this.origin = next;
    this.eye.position.add(shift);
    this.controls.target.add(shift);
    if (this.centre) this.centre.add(shift);
    this.placeGround();
    this.layTrail();
  }
  layTrail() {
    const track = this.track;
    this.trail.visible = Boolean(track) && track.length > 1;
    if (!this.trail.visible) return;
    const every = Math.max(1, Math.floor(track.length / 4000));
    const places = [];
    for (let k = 0; k < track.length; k += every) {
      const { origin, data } = track.values(k);
      places.push(data[0] + origin[0] - this.origin[0], data[1] + origin[1] - this.origin[1], data[2] + origin[2] - this.origin[2] + 0.01);
    }
    this.trail.geometry.dispose();
    this.trail.geometry = new THREE.BufferGeometry();
    this.trail.geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  }

  // --- colours --------------------------------------------------------------------------------------------------------

  repaint() {
    const style = getComputedStyle(document.body);
    const get = (name, other) => style.getPropertyValue(`--jn-${name}`).trim() || other;
    const dark = document.body.classList.contains("body--dark");
    this.colours = {
      sky: get("sky", dark ? "#1b2026" : "#e9edf1"), ground: get("ground", dark ? "#262d34" : "#cfd6dc"),
      grid: get("grid", dark ? "#39434c" : "#b4bec7"), paint: get("paint", "#8fa9c4"), glass: get("glass", "#5e7d9c"),
      ghost: get("ghost", "#a06ab4"), accent: get("accent", "#1f66ad"), bad: get("bad", "#b3261e"), muted: get("muted", "#66707a"),
      load: get("c2", "#2b7a3f"), grip: get("c1", "#c4501b"), tire: dark ? "#4a5057" : "#2b3036", rim: dark ? "#9aa3ab" : "#c3cad0", spoke: dark ? "#6d757d" : "#8d969e",
    };
    const c = this.colours;
    this.world.background = new THREE.Color(c.sky);
    this.world.fog = new THREE.Fog(c.sky, 60, 400);
    this.plane.material.color.set(c.ground);
    this.grids.forEach((grid, k) => {
      grid.material.color.set(c.grid);
      grid.material.opacity = k ? 1 : 0.55;
    });
    this.trail.material.color.set(c.accent);
    if (this.road) {
      this.road.material.color.set(c.ground);
      this.road.children[0].material.color.set(c.grid);
    }
    for (const actor of [this.car, this.other]) {
      actor?.paint();
      actor?.arrows.forEach(([load, grip]) => {
        load.traverse((o) => o.material?.color.set(c.load));
        grip.traverse((o) => o.material?.color.set(c.grip));
      });
    }
    this.ask();
  }
  arrow(kind) {
    const group = new THREE.Group();
    const material = new THREE.MeshBasicMaterial({ color: this.colours[kind], depthTest: false, transparent: true });
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.022, 0.022, 1, 8).translate(0, 0.5, 0), material);
    const tip = new THREE.Mesh(new THREE.ConeGeometry(0.06, 0.16, 12).translate(0, 0.08, 0), material);
    group.add(shaft, tip);
    shaft.renderOrder = tip.renderOrder = 6;
    group.visible = false;
    return group;
  }
  aim(arrow, at, x, y, z, newtons = NEWTONS) {
    const size = Math.hypot(x, y, z);
    const length = size / newtons;
    arrow.visible = this.arrowsShown && length > 0.02;
    if (!arrow.visible) return;
    arrow.position.set(at[0], at[1], at[2] + 0.01);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(x / size, y / size, z / size));
    const [shaft, tip] = arrow.children;
    shaft.scale.y = Math.max(length - 0.1, 0.01);
    tip.position.y = Math.max(length - 0.1, 0.01);
  }

  // --- what is shown --------------------------------------------------------------------------------------------------

  setCar(look, order) {
    this.car?.remove();
    this.car = new Actor(this, look, order, false);
    this.repaint();
  }
  draw(look, buffer, keep) {
    this.stopStream();
    this.track = null;
    const first = !this.car;
    this.setCar(look);
    this.setGround(look);
    this.dropGhost();
    this.show(new Track(buffer).at(0));
    if (first || !keep) this.home();
    this.layTrail();
    this.bar(false);
    this.ask();
  }
  pose(buffer) {
    this.show(new Track(buffer).at(0));
  }
  show(state) {
    this.time = state.time;
    if (!this.car) return;
    this.moveOrigin(state.poses[0].position);
    this.car.place(state);
    if (this.other && this.ghostTrack) this.other.place(this.ghostTrack.at(state.time));
    this.follow();
    this.ask();
  }
  clear() {
    this.stopStream();
    this.pause();
    this.car?.remove();
    this.car = this.track = null;
    this.dropGhost();
    this.layTrail();
    this.bar(false);
    this.said("");
    this.ask();
  }
  async get(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `${path}: ${answer.status}`);
    return answer;
  }
  async load(run) {
    const base = `/api/scene/${encodeURIComponent(run)}`;
    const [look, frames] = await Promise.all([this.get(`${base}/drawing`), this.get(`${base}/motion`)]);
    return { look: await look.json(), track: new Track(await frames.arrayBuffer()) };
  }
  async replay(run, ghost) {
    this.stopStream();
    const same = this.run === run;
    const asked = (this.asked = Symbol(run));
    try {
      const { look, track } = await this.load(run);
      if (this.asked !== asked) return;
      this.run = run;
      this.track = track;
      this.setCar(look, look.order);
      this.setGround(look);
      this.said(look.remarks?.length && !track.length ? look.remarks[0] : "");
      this.placeGround();
      this.layTrail();
      this.bar(true);
      if (!same || this.camera !== "free") this.centre = null;
      this.cursor(same ? this.time : this.pointed(track));
      if (!same && this.camera === "free") this.home();
    } catch (problem) {
      if (this.asked === asked) this.said(String(problem.message ?? problem));
      return;
    }
    await this.setGhost(ghost);
  }
  /** Where somebody already points in a plot, which may have come first; else the begin. */
  pointed(track) {
    const from = track.time[0];
    const to = track.time[track.length - 1];
    return Object.values(window.jouncePlots ?? {}).map((board) => board.cursor).find((t) => t >= from && t <= to) ?? from;
  }
  async setGhost(run) {
    this.dropGhost();
    if (!run) return;
    try {
      const { look, track } = await this.load(run);
      this.other = new Actor(this, look, look.order, true);
      this.ghostTrack = track;
      this.bar(true);
      this.cursor(this.time);
    } catch (problem) {
      this.said(String(problem.message ?? problem));
    }
  }
  dropGhost() {
    this.other?.remove();
    this.other = this.ghostTrack = null;
    this.ask();
  }
  async live(run) {
    this.stopStream();
    this.pause();
    this.bar(false);
    this.said("");
    this.track = null;
    this.dropGhost();
    this.layTrail();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/scene/${encodeURIComponent(run)}/live`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.run = run;
    let before = Promise.resolve(); // messages are handled one after the other
    socket.onmessage = (event) => {
      before = before.then(() => this.socket === socket && this.hearLive(run, event.data)).catch((problem) => this.said(String(problem)));
    };
  }
  async hearLive(run, data) {
    if (typeof data !== "string") {
      if (this.liveReady === run) this.show(new Track(data).at(0));
      return;
    }
    const told = JSON.parse(data);
    if (told.bodies) {
      const socket = this.socket;
      const look = await (await this.get(`/api/scene/${encodeURIComponent(run)}/drawing`)).json();
      if (this.socket !== socket) return;
      this.setCar(look, told.bodies);
      this.car.tires = told.tires;
      this.car.addArrows();
      this.setGround(look);
      this.centre = null;
      this.liveReady = run;
    } else if (told.status) {
      this.stopStream();
      if (told.reason && told.status === "failed") this.said(told.reason);
      this.tell("ended", { run, ...told });
    }
  }
  stopStream() {
    this.socket?.close();
    this.socket = null;
    this.liveReady = null;
  }

  // --- time -----------------------------------------------------------------------------------------------------------

  get duration() {
    return this.track ? this.track.time[this.track.length - 1] - this.track.time[0] : 0;
  }
  cursor(time, quiet = false) {
    if (!this.track) return;
    const state = this.track.at(time);
    this.show(state);
    this.onTime?.();
    if (quiet) return;
    document.dispatchEvent(new CustomEvent("jn-cursor", { detail: { time: state.time, from: this.name } }));
    this.tell("cursor", { time: state.time });
  }
  hear(event) {
    const { time, from } = event.detail ?? {};
    if (from === this.name || !this.track || !Number.isFinite(time)) return;
    this.cursor(time, true);
  }
  play(speed) {
    if (!this.track) return;
    this.speed = speed ?? this.speed;
    if (this.time >= this.track.time[this.track.length - 1] - 1e-9) this.time = this.track.time[0];
    this.playing = true;
    this.last = 0;
    this.kept = [];
    this.onTime?.();
    this.ask();
  }
  pause() {
    this.playing = false;
    if (this.ratio !== this.fine) {
      this.ratio = this.fine; // what stands still is drawn with all pixels
      this.resize();
    }
    this.onTime?.();
  }
  step(by) {
    if (!this.track) return;
    this.pause();
    this.cursor(this.time + by);
  }
  bar(shown) {
    this.onBar?.(shown && Boolean(this.track));
  }
  said(text) {
    this.onSaid?.(text);
  }

  // --- cameras --------------------------------------------------------------------------------------------------------

  setCamera(mode, byHand = false) {
    this.camera = mode;
    if (!byHand) this.centre = null;
    this.controls.enabled = true;
    if (mode === "free" && !byHand) this.home();
    this.onCamera?.(mode);
    this.follow();
    this.ask();
  }
  /** Where the whole car is seen from ahead and the left. */
  home() {
    const body = this.car?.bodies[this.car.order[0]];
    const at = body ? body.position.clone() : new THREE.Vector3();
    const turn = body ? this.heading(body) : 0;
    let middle = new THREE.Vector3(-1.3, 0, 0.45);
    let size = 2.6;
    if (this.car) {
      const wheels = this.car.order.slice(1).map((name) => this.car.bodies[name].position.clone().sub(at));
      if (wheels.length) {
        const box = new THREE.Box3().setFromPoints(wheels);
        const c = box.getCenter(new THREE.Vector3());
        size = Math.max(box.getSize(new THREE.Vector3()).length(), 2);
        middle = c.applyAxisAngle(new THREE.Vector3(0, 0, 1), -turn).setZ(0.45);
      }
    }
    const up = new THREE.Vector3(0, 0, 1);
    const wide = Math.max(1, 1.35 / Math.max(this.eye.aspect, 0.4));
    this.controls.target.copy(middle.clone().applyAxisAngle(up, turn).add(at));
    const away = new THREE.Vector3(1.0, 1.25, 0.62).normalize().multiplyScalar((1.1 * size + 2.4) * wide);
    this.eye.position.copy(this.controls.target).add(away.applyAxisAngle(up, turn));
    this.centre = at.clone();
    this.eye.up.set(0, 0, 1);
    this.controls.update();
    this.ask();
  }
  heading(body) {
    const forward = new THREE.Vector3(1, 0, 0).applyQuaternion(body.quaternion);
    return Math.atan2(forward.y, forward.x);
  }
  /** How far the last wheel is behind the front of a vehicle, m. */
  behind(at, ahead) {
    return Math.max(0, ...this.car.order.slice(1).map((name) => -this.car.bodies[name].position.clone().sub(at).dot(ahead)));
  }
  follow() {
    const body = this.car?.bodies[this.car.order[0]];
    if (!body) return;
    const at = body.position;
    const step = (value, by) => Math.round(value / by) * by;
    this.grids.forEach((grid) => grid.position.set(step(at.x + this.origin[0], 10) - this.origin[0], step(at.y + this.origin[1], 10) - this.origin[1], 0));
    this.plane.position.set(at.x, at.y, -0.004);
    if (this.camera === "free") {
      if (this.centre) {
        const moved = at.clone().sub(this.centre);
        this.eye.position.add(moved);
        this.controls.target.add(moved);
      }
      this.centre = at.clone();
      return;
    }
    const turn = this.heading(body);
    const ahead = new THREE.Vector3(Math.cos(turn), Math.sin(turn), 0);
    this.eye.up.set(0, 0, 1);
    const more = Math.max(0, this.behind(at, ahead) - 2.9); // m that it is longer than a car
    if (this.camera === "follow") {
      this.eye.position.copy(at).addScaledVector(ahead, -9.5 - 1.6 * more).setZ(at.z + 3.1 + 0.5 * more);
      this.controls.target.copy(at).addScaledVector(ahead, 2 - 0.8 * more).setZ(at.z + 0.6);
    } else if (this.camera === "driver") {
      const eye = new THREE.Vector3(-1.35, 0.36, 1.15).applyQuaternion(body.quaternion);
      const look = new THREE.Vector3(12, 0.36, 0.9).applyQuaternion(body.quaternion);
      this.eye.position.copy(at).add(eye);
      this.controls.target.copy(at).add(look);
      this.eye.up.copy(new THREE.Vector3(0, 0, 1).applyQuaternion(body.quaternion));
    } else {
      const middle = at.clone().addScaledVector(ahead, -0.6 * more);
      this.eye.position.copy(middle).add(new THREE.Vector3(0, 0, 34 + 1.5 * more));
      this.controls.target.copy(middle);
      this.eye.up.copy(ahead);
    }
    this.eye.lookAt(this.controls.target);
  }

  // --- drawing --------------------------------------------------------------------------------------------------------

  resize() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h) return;
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(w, h, false);
    this.eye.aspect = w / h;
    this.eye.updateProjectionMatrix();
    this.ask();
  }
  ask() {
    if (this.pending || this.gone) return;
    this.pending = requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    this.pending = 0;
    if (this.gone) return;
    if (this.playing && this.track) {
      const passed = this.last ? (now - this.last) / 1000 : 0;
      this.last = now;
      const end = this.track.time[this.track.length - 1];
      const next = this.time + Math.min(passed, 0.25) * this.speed;
      this.cursor(Math.min(next, end));
      if (next >= end) this.pause();
      this.kept.push(now);
      while (this.kept.length > 2 && now - this.kept[0] > 2000) this.kept.shift();
      const span = now - this.kept[0];
      this.rate = span > 0 ? (1000 * (this.kept.length - 1)) / span : 0;
    }
    this.hideInside();
    this.renderer.render(this.world, this.eye);
    this.frames += 1;
    if (this.playing && this.kept.length > 8 && this.rate < SLOW && this.ratio > 0.5) {
      this.ratio = Math.max(0.5, 0.8 * this.ratio);
      this.kept = [];
      this.resize();
    }
    this.placeLabels();
    if (this.playing) this.ask();
  }
  /** The driver sees the road, not the inside of a box. */
  hideInside() {
    const body = this.car?.bodies[this.car.order[0]];
    if (!body) return;
    const inside = this.camera === "driver";
    body.children.forEach((child) => {
      if (child.userData.role === "paint") child.visible = !inside;
    });
  }
  screen(place) {
    const p = place.clone().project(this.eye);
    if (p.z > 1) return null;
    return [(0.5 + 0.5 * p.x) * this.host.clientWidth, (0.5 - 0.5 * p.y) * this.host.clientHeight];
  }
  placeLabels() {
    const measures = this.camera === "free" ? (this.car?.measures ?? []) : [];
    while (this.labels.children.length > measures.length) this.labels.lastChild.remove();
    const taken = []; // boxes of labels that are shown: what would lie over one is left out
    measures.forEach((measure, k) => {
      const label = this.labels.children[k] ?? this.labels.appendChild(document.createElement("div"));
      const at = this.screen(measure.object.localToWorld(measure.at.clone()));
      if (label.textContent !== measure.label) label.textContent = measure.label;
      const half = 3.2 * measure.label.length + 5;
      const free = at && taken.every(([x, y, other]) => Math.abs(at[1] - y) > 17 || Math.abs(at[0] - x) > half + other);
      if (free) taken.push([at[0], at[1], half]);
      label.style.display = free ? "" : "none";
      if (free) label.style.translate = `${at[0].toFixed(1)}px ${at[1].toFixed(1)}px`;
    });
  }
  nearest(event) {
    const box = this.host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    for (const point of this.car?.points ?? []) {
      if (point.shape.kind === "wheel") continue;
      const at = this.screen(point.object.getWorldPosition(new THREE.Vector3()));
      if (!at) continue;
      const distance = Math.hypot(at[0] - x, at[1] - y);
      if (distance < 12 && (!best || distance < best.distance)) best = { distance, at, shape: point.shape };
    }
    return best;
  }
  point(event) {
    if (!event.buttons) this.showTip(this.nearest(event));
  }
  pick(event) {
    const found = this.nearest(event);
    if (found?.shape.path) this.tell("pick", { path: found.shape.path });
  }
  showTip(found) {
    this.onTip?.(found ? { text: found.shape.label, x: found.at[0], y: found.at[1] } : null);
  }
  mark(path) {
    for (const { object, shape } of this.car?.points ?? []) {
      if (!shape.path) continue;
      object.scale.setScalar(path && (shape.path === path || path.startsWith(`${shape.path}.`)) ? 2.2 : 1);
    }
    this.ask();
  }
  setArrows(shown) {
    this.arrowsShown = shown;
    if (this.car?.state) this.car.place(this.car.state);
    this.onCamera?.(this.camera);
    this.ask();
  }
  setThrough(through) {
    this.through = through;
    this.car?.paint();
    this.ask();
  }

  // --- for tests and for whoever is curious ---------------------------------------------------------------------------

  poses() {
    return this.car?.poses() ?? {};
  }
  ghosts() {
    return this.other?.poses() ?? {};
  }
  forces() {
    const found = {};
    this.car?.state?.forces.forEach((force, k) => (found[this.car.tires[k] ?? k] = force));
    return found;
  }
  shapes() {
    const found = {};
    for (const [name, body] of Object.entries(this.car?.bodies ?? {})) found[name] = body.children.map((c) => c.userData.shape?.kind).filter(Boolean);
    if (this.cones) found.cones = this.conePlaces.length;
    if (this.road) found.road = this.road.geometry.index.count / 3;
    return found;
  }
  end() {
    this.gone = true;
    this.stopStream();
    this.observer.disconnect();
    this.themes.disconnect();
    document.removeEventListener("jn-cursor", this.heard);
    this.car?.remove();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

export default {
  template: `
    <div tabindex="0" aria-label="3D view" @keydown="key">
      <canvas ref="canvas"></canvas>
      <div class="jn-scene-labels" ref="labels"></div>
      <div class="jn-scene-labels"><div v-if="tip" class="jn-scene-tip" :style="{left: tip.x + 'px', top: tip.y + 'px'}">{{ tip.text }}</div></div>
      <div v-if="said" class="jn-scene-said">{{ said }}</div>
      <div class="jn-scene-buttons">
        <button v-for="(title, name) in modes" :key="name" :class="{on: camera === name}" :title="title + ' camera (C)'" @click="setCamera(name)">{{ title }}</button>
        <button :class="{on: arrowsShown}" title="Forces on the tires (F)" @click="setArrows(!arrowsShown)">Forces</button>
        <button :class="{on: through}" title="Look through the body (X)" @click="setThrough(!through)">X-ray</button>
      </div>
      <div v-if="bar" class="jn-scene-bar">
        <button :title="playing ? 'Pause (space)' : 'Play (space)'" @click="toggle">{{ playing ? '❚❚' : '►' }}</button>
        <input type="range" :min="from" :max="to" step="any" :value="time" aria-label="Time" @input="slide">
        <select aria-label="Speed" :value="speed" @change="setSpeed"><option v-for="s in speeds" :key="s" :value="s">{{ s }} ×</option></select>
        <span class="jn-scene-clock">{{ time.toFixed(2) }} / {{ to.toFixed(2) }} s</span>
      </div>
    </div>`,
  props: { mode: { type: String, default: "free" }, seeThrough: { type: Boolean, default: false } },
  data() {
    return { modes: MODES, speeds: SPEEDS, camera: this.mode, arrowsShown: true, through: this.seeThrough, tip: null, said: "", bar: false, playing: false, time: 0, from: 0, to: 0, speed: 1 };
  },
  mounted() {
    const name = this.$el.id;
    let scene;
    if (missing) {
      this.said = `no 3D view: ${missing}`;
      return;
    }
    try {
      scene = new Scene(this.$el, this.$refs.canvas, this.$refs.labels, {
        name, mode: this.mode, through: this.seeThrough, tell: (event, detail) => this.$emit(event, detail),
      });
    } catch (problem) {
      this.said = `no 3D view: ${problem.message ?? problem}`;
      return;
    }
    this.scene = scene; // not reactive: it was not there when data() was read
    scene.onCamera = (mode) => {
      this.camera = mode;
      this.arrowsShown = scene.arrowsShown;
    };
    scene.onTip = (tip) => (this.tip = tip);
    scene.onSaid = (text) => (this.said = text);
    scene.onTime = () => {
      this.playing = scene.playing;
      this.time = scene.time;
      this.speed = scene.speed;
    };
    scene.onBar = (shown) => {
      this.bar = shown;
      if (!shown) return;
      this.from = scene.track.time[0];
      this.to = scene.track.time[scene.track.length - 1];
    };
    (window.jounceScenes ??= {})[name] = scene;
    window.jounceScene = scene;
  },
  beforeUnmount() {
    if (!this.scene) return;
    delete window.jounceScenes[this.$el.id];
    if (window.jounceScene === this.scene) window.jounceScene = Object.values(window.jounceScenes)[0];
    this.scene.end();
  },
  methods: {
    draw(look, poses, keep) { this.scene?.draw(look, bytesOf(poses), keep); },
    pose(poses) { this.scene?.pose(bytesOf(poses)); },
    mark(path) { this.scene?.mark(path); },
    live(run) { this.scene?.live(run); },
    replay(run, ghost) { this.scene?.replay(run, ghost); },
    ghost(run) { this.scene?.setGhost(run); },
    cursor(time) { this.scene?.cursor(time); },
    play(speed) { this.scene?.play(speed); },
    pause() { this.scene?.pause(); },
    clear() { this.scene?.clear(); },
    setCamera(mode) { this.scene?.setCamera(mode); },
    setArrows(shown) { this.scene?.setArrows(shown); },
    setThrough(through) {
      this.through = through;
      this.scene?.setThrough(through);
    },
    toggle() {
      if (this.scene?.playing) this.scene.pause();
      else this.scene?.play(this.speed);
    },
    slide(event) {
      this.scene.pause();
      this.scene.cursor(Number(event.target.value));
    },
    setSpeed(event) {
      this.speed = Number(event.target.value);
      if (this.scene) this.scene.speed = this.speed;
    },
    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
      const names = Object.keys(MODES);
      const does = {
        c: () => this.setCamera(names[(names.indexOf(this.camera) + 1) % names.length]),
        f: () => this.setArrows(!this.arrowsShown),
        x: () => this.setThrough(!this.through),
        " ": () => this.toggle(),
        ArrowRight: () => this.scene?.step(event.shiftKey ? 0.5 : 0.02),
        ArrowLeft: () => this.scene?.step(event.shiftKey ? -0.5 : -0.02),
      }[event.key];
      if (!does || (event.target.tagName === "BUTTON" && event.key === " ")) return;
      event.preventDefault();
      does();
    },
  },
};
