/* How the graph is drawn. vis-network owns the camera and draws the hubs; everything else is painted around
   them: regions, edges and other nodes below (from a bitmap while the camera moves, sharp when it rests),
   light on a chosen node and labels above. Sizes are CSS pixels; the world is the layout's plane. */
(() => {
  "use strict";

  const REST = 170; /* ms without movement after which the picture is drawn sharp */
  const WORLD_SIDE = 1800; /* px of the bitmap that stands in while moving */
  const STROKES = 8000; /* edges in one picture; of more only every so-maniest is drawn from afar */
  const CLOSE = 2.5; /* from this zoom on (1: everything fits) only the edges of nodes in sight are drawn */
  const DIRECT = 400; /* this many edges are simply drawn in each frame */
  const CURVED = 6000; /* above this many, edges are straight */
  const BEND = 0.13; /* of a curved edge: how far its middle lies off the straight line, in lengths */
  const TURN = Math.PI * 2;
  const FAR = 0.33; /* nodes shrink slower than the zoom, so that they are seen from afar, */
  const NEAR = 0.5; /* and grow slower, so that they part as one comes closer */

  class Painter {
    constructor(canvas, theme) {
      this.canvas = canvas;
      this.hubs = 0;
      this.theme = theme;
      this.graph = null;
      this.lit = null; /* {center, nodes: Map(node -> step), edges: [], way: []} */
      this.cursor = -1;
      this.veil = 0;
      this.widths = new Map();
      this.measure = document.createElement("canvas").getContext("2d");
      this.curved = CURVED;
      this.bend = BEND;
      this.world = document.createElement("canvas");
      this.sharp = document.createElement("canvas");
      this.fog = document.createElement("canvas");
      this.sharpView = null;
      this.lastView = null;
      this.frame = null;
      this.timer = 0;
      this.rest = () => {};
      this.bucketOf = null;
      this.palette = [];
    }

    /* bucketOf: Uint8Array, for each node a position in the palette; the last colour is "everything else". */
    setGraph(graph) {
      this.graph = graph;
      this.hubs = graph.model.hubs.length;
      this.named = new Set(graph.model.capitals);
      this.capitals = new Set(graph.model.capitals.slice(0, Math.min(12, graph.model.communities.length)));
      this.widths.clear();
      this.lit = null;
      this.cursor = -1;
    }

    setColours(bucketOf, palette, regions) {
      this.bucketOf = bucketOf;
      this.palette = palette;
      this.regions = regions;
    }

    radius(node, scale) { return this.graph.radius[node] * swelling(scale); }

    radiusAt(scale) {
      const of = (node) => this.radius(node, scale);
      of.largest = 40 * swelling(scale);
      return of;
    }

    /* After a change of graph, filter, colours or theme. */
    rebuild() {
      this.fit = this.fitScale();
      this.buildPaths();
      this.paintFog();
      this.sharpView = null;
      this.lastView = null;
      this.worldBox = null;
    }

    get direct() { return this.shownEdges <= DIRECT; }

    trace(path, edge) {
      const { x, y, from, to } = this.graph;
      const a = from[edge];
      const b = to[edge];
      path.moveTo(x[a], y[a]);
      if (this.graph.model.edges > CURVED) path.lineTo(x[b], y[b]);
      else {
        path.quadraticCurveTo((x[a] + x[b]) / 2 - (y[b] - y[a]) * BEND, (y[a] + y[b]) / 2 + (x[b] - x[a]) * BEND, x[b], y[b]);
      }
    }

    /* What is stroked from afar: all edges, or an even sample of them. */
    buildPaths() {
      const { graph } = this;
      const shown = [];
      for (let e = 0; e < graph.model.edges; e++) if (graph.edgeShown(e)) shown.push(e);
      this.shownEdges = shown.length;
      this.shownNodes = graph.visible.reduce((sum, one) => sum + one, 0);
      this.step = Math.max(1, Math.ceil(shown.length / STROKES));
      this.edgePaths = this.paths(this.step > 1 ? shown.filter((_, i) => i % this.step === 0) : shown);
    }

    /* One path for each colour and width of edge. Where groups are regions, edges inside have their colour. */
    paths(edges) {
      const { graph, bucketOf } = this;
      const other = this.palette.length - 1;
      const paths = new Map();
      for (const e of edges) {
        const inside = this.regions && bucketOf[graph.from[e]] === bucketOf[graph.to[e]];
        const bucket = inside ? bucketOf[graph.from[e]] : other;
        const weight = graph.weight[e];
        const key = bucket * 3 + (weight > 5 ? 2 : weight > 1 ? 1 : 0);
        let path = paths.get(key);
        if (!path) paths.set(key, path = new Path2D());
        this.trace(path, e);
      }
      return [...paths].sort((a, b) => b[0] - a[0]).map(([key, path]) => ({
        path, bucket: Math.floor(key / 3), width: [1, 1.7, 2.6][key % 3],
      }));
    }

    /* The edges for a picture of `view`: [left, top, right, bottom] in the world, or null for everything. */
    pathsFor(scale, view) {
      const all = { paths: this.edgePaths, alpha: this.edgeAlpha(scale) };
      if (this.step === 1 || !view || scale < CLOSE * this.fit) return all;
      const near = new Set();
      this.graph.grid.each(...view, (node) => this.graph.each(node, (_, edge) => near.add(edge)));
      if (near.size > 2 * STROKES) return all;
      const crowd = Math.sqrt(700 / Math.max(near.size, 1));
      return { paths: this.paths(near), alpha: this.theme.edgeAlpha * Math.min(0.8, 0.75 * crowd) };
    }

    /* Regions of communities: big discs of one colour, painted small and blown up, which makes them soft. */
    paintFog() {
      const { graph, fog } = this;
      this.fogBox = null;
      if (!this.regions || graph.n < 3) return;
      const box = graph.bounds();
      const reach = 30 + 300 / Math.sqrt(graph.n);
      const [left, top] = [box[0] - 2 * reach, box[1] - 2 * reach];
      const side = Math.max(box[2] - box[0], box[3] - box[1]) + 4 * reach;
      const scale = 300 / side;
      const sheet = document.createElement("canvas");
      fog.width = sheet.width = Math.ceil((box[2] - box[0] + 4 * reach) * scale);
      fog.height = sheet.height = Math.ceil((box[3] - box[1] + 4 * reach) * scale);
      const ctx = sheet.getContext("2d");
      ctx.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
      const discs = this.palette.map(() => new Path2D());
      for (let i = graph.n - 1; i >= 0; i--) {
        if (!graph.visible[i] || !graph.degree(i)) continue;
        const r = reach * (0.75 + graph.radius[i] / 40);
        discs[this.bucketOf[i]].moveTo(graph.x[i] + r, graph.y[i]);
        discs[this.bucketOf[i]].arc(graph.x[i], graph.y[i], r, 0, TURN);
      }
      for (let bucket = 0; bucket < discs.length - 1; bucket++) {
        ctx.fillStyle = this.palette[bucket];
        ctx.fill(discs[bucket]);
      }
      soften(sheet, fog.getContext("2d"));
      this.fogBox = [left, top, fog.width / scale, fog.height / scale];
    }

    edgeAlpha(scale) {
      const crowd = Math.sqrt(700 / Math.max(Math.min(this.shownEdges, STROKES), 1));
      const zoom = Math.max(1, scale / this.fit) ** 0.5;
      return Math.min(this.theme.edgeAlpha, Math.max(0.06, this.theme.edgeAlpha * crowd * 1.1 * zoom));
    }

    fitScale() {
      const box = this.graph.grid.box;
      return Math.min(this.canvas.width, this.canvas.height) / Math.max(box[2] - box[0], box[3] - box[1], 1);
    }

    /* Edges and the nodes that are no hubs, with the world transform already set on `ctx`. */
    paintGround(ctx, scale, view) {
      const { paths, alpha } = this.pathsFor(scale, view);
      const thin = Math.max(0.55, Math.min(1.3, 0.9 * scale ** 0.25)) / scale;
      const other = this.palette.length - 1;
      ctx.lineCap = "round";
      for (const { path, bucket, width } of paths) {
        ctx.globalAlpha = Math.min(1, alpha * (bucket === other ? 0.55 : 1) * (width > 1 ? 1.25 : 1));
        ctx.strokeStyle = bucket === other ? this.theme.edge : this.palette[bucket];
        ctx.lineWidth = thin * width;
        ctx.stroke(path);
      }
      ctx.globalAlpha = 1;
      const dots = new Map();
      const add = (i) => {
        if (i < this.hubs) return;
        const r = Math.max(this.radius(i, scale), 0.9 / scale);
        let path = dots.get(this.bucketOf[i]);
        if (!path) dots.set(this.bucketOf[i], path = new Path2D());
        path.moveTo(this.graph.x[i] + r, this.graph.y[i]);
        path.arc(this.graph.x[i], this.graph.y[i], r, 0, TURN);
      };
      if (view) this.graph.grid.each(...view, add);
      else for (let i = this.hubs; i < this.graph.n; i++) if (this.graph.visible[i]) add(i);
      for (const [bucket, path] of [...dots].sort((a, b) => b[0] - a[0])) {
        ctx.fillStyle = this.palette[bucket];
        ctx.fill(path);
        if (scale > 0.35) {
          ctx.strokeStyle = this.theme.ground;
          ctx.lineWidth = 1.2 / scale;
          ctx.stroke(path);
        }
      }
    }

    /* The bitmap that stands in while the camera moves: made when there is time. */
    paintWorld() {
      if (this.direct || this.worldBox) return;
      const box = this.graph.bounds();
      const margin = 30;
      const side = Math.max(box[2] - box[0], box[3] - box[1]) + 2 * margin;
      const scale = WORLD_SIDE / side;
      this.world.width = Math.ceil((box[2] - box[0] + 2 * margin) * scale);
      this.world.height = Math.ceil((box[3] - box[1] + 2 * margin) * scale);
      const ctx = this.world.getContext("2d");
      ctx.setTransform(scale, 0, 0, scale, (margin - box[0]) * scale, (margin - box[1]) * scale);
      this.paintGround(ctx, Math.min(scale, 1), null);
      this.worldBox = [box[0] - margin, box[1] - margin, this.world.width / scale, this.world.height / scale];
    }

    /* The frame being drawn: camera, size in device pixels, device pixels a CSS pixel. */
    setFrame(view, width, height, ratio) {
      this.frame = { view, width, height, ratio, scale: view.a / ratio };
    }

    /* vis-network calls this before it draws the hubs; `ctx` carries camera and device pixels. */
    before(ctx) {
      if (!this.graph) return;
      const view = ctx.getTransform();
      this.setFrame(view, this.canvas.width, this.canvas.height, this.canvas.width / Math.max(this.canvas.clientWidth, 1));
      if (!same(view, this.lastView)) this.moved(view);
      this.paintRegions(ctx);
      if (this.direct) {
        this.paintGround(ctx, this.frame.scale, null);
        return;
      }
      if (!this.sharpView) this.sharpen();
      if (same(view, this.sharpView)) this.blit(ctx, view);
      else if (this.worldBox) ctx.drawImage(this.world, ...this.worldBox);
      else this.blit(ctx, view);
    }

    /* The sharp picture, moved with the camera where that has moved since. */
    blit(ctx, view) {
      ctx.save();
      const grown = view.a / this.sharpView.a;
      ctx.setTransform(grown, 0, 0, grown, view.e - this.sharpView.e * grown, view.f - this.sharpView.f * grown);
      ctx.drawImage(this.sharp, 0, 0);
      ctx.restore();
    }

    paintRegions(ctx) {
      if (!this.fogBox) return;
      ctx.globalAlpha = this.theme.fogAlpha;
      ctx.drawImage(this.fog, ...this.fogBox);
      ctx.globalAlpha = 1;
    }

    /* The whole picture on another canvas, sharp: for a download. */
    picture(ctx, view, width, height, ratio) {
      const frame = this.frame;
      this.setFrame(view, width, height, ratio);
      ctx.fillStyle = this.theme.ground;
      ctx.fillRect(0, 0, width, height);
      ctx.setTransform(view);
      this.paintRegions(ctx);
      this.paintGround(ctx, this.frame.scale, null);
      for (let hub = Math.min(this.hubs, this.graph.n) - 1; hub >= 0; hub--) this.paintHub(ctx, hub);
      this.after(ctx);
      this.frame = frame;
    }

    moved(view) {
      this.lastView = view;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        if (!this.direct && !same(this.lastView, this.sharpView)) this.sharpen();
        this.rest();
        setTimeout(() => this.paintWorld(), 60);
      }, REST);
    }

    sharpen() {
      const view = this.lastView;
      const { width, height, scale } = this.frame;
      this.sharp.width = width;
      this.sharp.height = height;
      const ctx = this.sharp.getContext("2d");
      ctx.setTransform(view);
      const at = (px, py) => [(px - view.e) / view.a, (py - view.f) / view.d];
      const slack = 40;
      this.paintGround(ctx, scale, [...at(-slack, -slack), ...at(width + slack, height + slack)]);
      this.sharpView = view;
    }

    /* One hub, drawn for vis-network (`shape: "custom"`). */
    paintHub(ctx, node) {
      if (!this.graph || node >= this.graph.n || !this.graph.visible[node]) return;
      const { scale } = this.frame;
      this.paintNode(ctx, node, this.radius(node, scale), scale);
    }

    paintNode(ctx, node, r, scale) {
      const { x, y, kind } = this.graph;
      ctx.beginPath();
      ctx.arc(x[node], y[node], r, 0, TURN);
      ctx.fillStyle = this.palette[this.bucketOf[node]];
      ctx.fill();
      ctx.strokeStyle = this.theme.ground;
      ctx.lineWidth = Math.min(1.6 / scale, r * 0.3);
      ctx.stroke();
      if (kind[node] === 1 && r * scale > 4.5) {
        ctx.beginPath();
        ctx.arc(x[node], y[node], r * 0.42, 0, TURN);
        ctx.fillStyle = this.theme.ground;
        ctx.fill();
      }
    }

    /* vis-network calls this after the hubs. No label goes under the boxes `covered`, in CSS pixels. */
    after(ctx, covered) {
      if (!this.graph) return;
      const { scale } = this.frame;
      if (this.lit && this.veil > 0) this.paintLight(ctx, scale);
      this.paintCursor(ctx, scale);
      this.paintLabels(ctx, scale, covered);
    }

    paintLight(ctx, scale) {
      const { lit, theme } = this;
      ctx.save();
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.globalAlpha = theme.veil * this.veil;
      ctx.fillStyle = theme.ground;
      ctx.fillRect(0, 0, this.frame.width, this.frame.height);
      ctx.restore();
      const neutral = this.palette.length - 1;
      for (const edge of lit.edges) {
        const path = new Path2D();
        this.trace(path, edge);
        const far = this.graph.from[edge] === lit.center ? this.graph.to[edge] : this.graph.from[edge];
        const bucket = this.bucketOf[far];
        ctx.globalAlpha = lit.way.length ? 1 : Math.max(0.35, Math.min(0.9, 12 / Math.sqrt(lit.edges.length) / 4));
        ctx.strokeStyle = lit.way.length ? theme.accent : bucket === neutral ? theme.edgeLit : this.palette[bucket];
        ctx.lineWidth = (lit.way.length ? 3 : this.graph.weight[edge] > 1 ? 2 : 1.3) / scale;
        ctx.stroke(path);
      }
      ctx.globalAlpha = 1;
      if (this.graph.direction && lit.edges.length < 400) this.paintArrows(ctx, scale);
      for (const node of [...lit.nodes.keys()].sort((a, b) => b - a)) {
        this.paintNode(ctx, node, Math.max(this.radius(node, scale), 2.2 / scale), scale);
      }
    }

    paintArrows(ctx, scale) {
      const { lit, graph } = this;
      ctx.fillStyle = lit.way.length ? this.theme.accent : this.theme.edgeLit;
      for (const edge of lit.edges) {
        const code = graph.direction[edge];
        if (code & 1) this.paintArrow(ctx, scale, graph.from[edge], graph.to[edge], 1);
        if (code & 2) this.paintArrow(ctx, scale, graph.to[edge], graph.from[edge], -1);
      }
    }

    paintArrow(ctx, scale, from, to, side) {
      const { x, y } = this.graph;
      const bend = this.graph.model.edges > CURVED ? 0 : 2 * BEND * side;
      const angle = Math.atan2(y[to] - y[from], x[to] - x[from]) - bend;
      const r = Math.max(this.radius(to, scale), 2.2 / scale) + 1.5 / scale;
      const [px, py] = [x[to] - Math.cos(angle) * r, y[to] - Math.sin(angle) * r];
      const size = 7 / scale;
      ctx.beginPath();
      ctx.moveTo(px, py);
      ctx.lineTo(px - Math.cos(angle - 0.4) * size, py - Math.sin(angle - 0.4) * size);
      ctx.lineTo(px - Math.cos(angle + 0.4) * size, py - Math.sin(angle + 0.4) * size);
      ctx.fill();
    }

    paintCursor(ctx, scale) {
      const node = this.cursor;
      if (node < 0 || !this.graph.visible[node]) return;
      const r = Math.max(this.radius(node, scale), 2.2 / scale);
      const { x, y } = this.graph;
      if (node >= this.hubs) this.paintNode(ctx, node, r, scale);
      ctx.beginPath();
      ctx.arc(x[node], y[node], r + 4 / scale, 0, TURN);
      ctx.strokeStyle = this.theme.accent;
      ctx.lineWidth = 2.5 / scale;
      ctx.stroke();
    }

    /* Candidates for labels in the order of their right to one. */
    *labelled(view) {
      const { graph, lit, cursor } = this;
      if (cursor >= 0 && graph.visible[cursor]) yield cursor;
      if (lit) {
        if (lit.center >= 0 && lit.center !== cursor) yield lit.center;
        for (const node of [...lit.nodes.keys()].sort((a, b) => lit.nodes.get(a) - lit.nodes.get(b) || a - b)) {
          if (node !== lit.center && node !== cursor) yield node;
        }
        return;
      }
      const limit = Math.min(graph.n, graph.labels.length);
      for (const node of graph.model.capitals) if (node !== cursor) yield node;
      let seen = 0;
      for (let node = 0; node < limit && seen < 500; node++) {
        if (node === cursor || this.named.has(node) || !graph.labels[node]) continue;
        const inside = graph.x[node] > view[0] && graph.x[node] < view[2] && graph.y[node] > view[1] && graph.y[node] < view[3];
        if (inside && graph.visible[node]) { seen++; yield node; }
      }
    }

    /* The labels of this frame that found a place: [{x, y, text, size, weight, colour}] in CSS pixels. */
    placeLabels(scale, covered = []) {
      const { graph, theme, measure } = this;
      const { view, ratio } = this.frame;
      const width = this.frame.width / ratio;
      const height = this.frame.height / ratio;
      const world = [-view.e / view.a, -view.f / view.d, (this.frame.width - view.e) / view.a, (this.frame.height - view.f) / view.d];
      const near = Math.min(1, Math.max(0.3, 0.3 * (scale / this.fit) ** 0.7));
      const most = Math.round(Math.min(120, ((width * height) / 8500) * Math.max(near, Math.min(1, 160 / this.shownNodes))));
      const taken = [...covered];
      const labels = [];
      for (const node of this.labelled(world)) {
        if (labels.length >= most) break;
        if (!graph.visible[node]) continue;
        const chosen = node === this.cursor || (this.lit && node === this.lit.center);
        const large = graph.radius[node];
        const capital = this.capitals.has(node);
        const size = chosen ? 14 : capital ? 13.5 : large > 10 ? 12.5 : 11.5;
        const weight = chosen || capital ? 600 : 450;
        const text = shorten(graph.label(node), chosen ? 90 : 30);
        if (!text) continue;
        const key = `${weight} ${size} ${text}`;
        let w = this.widths.get(key);
        if (w === undefined) {
          measure.font = `${weight} ${size}px ${theme.font}`;
          this.widths.set(key, w = measure.measureText(text).width);
        }
        const cx = (graph.x[node] * view.a + view.e) / ratio;
        const cy = (graph.y[node] * view.d + view.f) / ratio;
        const at = { cx, cy, r: Math.max(this.radius(node, scale) * scale, 1), width, height };
        const box = this.placeLabel(node, taken, at, w, size, chosen ? "chosen" : capital || this.lit ? "yes" : "");
        if (!box) continue;
        taken.push(box);
        if (box[2] < 0 || box[3] < 0 || box[0] > width || box[1] > height) continue;
        const colour = chosen || capital || large > 9 || this.lit ? theme.ink : theme.inkSoft;
        labels.push({ x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2, text, size, weight, colour });
      }
      return labels;
    }

    paintLabels(ctx, scale, covered) {
      const { theme } = this;
      const { ratio } = this.frame;
      ctx.save();
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.textBaseline = "middle";
      ctx.textAlign = "center";
      ctx.lineJoin = "round";
      ctx.lineWidth = 3.5;
      ctx.strokeStyle = theme.halo;
      for (const { x, y, text, size, weight, colour } of this.placeLabels(scale, covered)) {
        ctx.font = `${weight} ${size}px ${theme.font}`;
        ctx.strokeText(text, x, y);
        ctx.fillStyle = colour;
        ctx.fillText(text, x, y);
      }
      ctx.restore();
    }

    /* Below the node, else to the right, the left, above; null when every place is taken. A label may lie on
       small dots, but on a node of about its own size only when it must be seen. */
    placeLabel(node, taken, at, w, size, must) {
      const { cx, cy, r, width, height } = at;
      const h = size * 1.25;
      const gap = 3;
      const spots = [[cx - w / 2, cy + r + gap], [cx + r + gap, cy - h / 2], [cx - r - gap - w, cy - h / 2], [cx - w / 2, cy - r - gap - h]];
      const inside = cx > 0 && cx < width && cy > 0 && cy < height;
      let second = null;
      for (const [left, top] of spots) {
        const moved = inside ? Math.max(4, Math.min(width - w - 4, left)) : left;
        const box = [moved - 2, top, moved + w + 2, top + h];
        if (taken.some((t) => box[0] < t[2] + 4 && box[2] > t[0] - 4 && box[1] < t[3] + 1 && box[3] > t[1] - 1)) continue;
        if (!this.hides(node, box, r)) return box;
        second ??= box;
      }
      return must ? second || (must === "chosen" ? [spots[0][0] - 2, spots[0][1], spots[0][0] + w + 2, spots[0][1] + h] : null) : null;
    }

    /* Whether a label at `box` would lie on another node that is not much smaller than its own. */
    hides(own, box, r) {
      const { view, ratio, scale } = this.frame;
      const [left, top] = [(box[0] * ratio - view.e) / view.a, (box[1] * ratio - view.f) / view.d];
      const [right, bottom] = [(box[2] * ratio - view.e) / view.a, (box[3] * ratio - view.f) / view.d];
      const least = Math.max(3, r * 0.4) / scale;
      const reach = this.radiusAt(scale).largest;
      let found = false;
      const look = (i) => {
        if (found || i === own || !this.graph.visible[i]) return;
        const size = this.radius(i, scale);
        if (size < least || (this.lit && !this.lit.nodes.has(i))) return;
        const dx = Math.max(left - this.graph.x[i], 0, this.graph.x[i] - right);
        const dy = Math.max(top - this.graph.y[i], 0, this.graph.y[i] - bottom);
        if (Math.hypot(dx, dy) < size) found = true;
      };
      /* Nodes come by size: from afar the few that count are looked through faster than the crowd nearby. */
      const large = this.graph.largerThan(least / swelling(scale));
      if (large < 250) for (let i = 0; i < large && !found; i++) look(i);
      else this.graph.grid.each(left - reach, top - reach, right + reach, bottom + reach, look);
      return found;
    }
  }

  /* How much larger than in the layout a node is drawn at a zoom. */
  function swelling(scale) {
    return Math.max(scale, 0.01) ** -(scale < 1 ? FAR : NEAR);
  }

  /* A blur of a few pixels: the picture laid over itself in a sunflower. The filter of the canvas costs more. */
  function soften(picture, ctx) {
    const times = 24;
    for (let i = 0; i < times; i++) {
      const reach = 5 * Math.sqrt((i + 0.5) / times);
      ctx.globalAlpha = 1 / (i + 1);
      ctx.globalCompositeOperation = "source-over";
      ctx.drawImage(picture, Math.cos(i * 2.399963) * reach, Math.sin(i * 2.399963) * reach);
    }
  }

  function same(a, b) {
    return Boolean(a && b) && a.a === b.a && a.e === b.e && a.f === b.f;
  }

  /* Cut to about `most` letters; a wide one (Chinese, emoji) counts twice. */
  function shorten(text, most) {
    let room = most;
    let at = 0;
    for (const letter of text) {
      room -= letter.codePointAt(0) > 0x2e7f ? 2 : 1;
      if (room < 0) return `${text.slice(0, at).trimEnd()}…`;
      at += letter.length;
    }
    return text;
  }

  memsiteGraph.Painter = Painter;
  memsiteGraph.shorten = shorten;
})();
