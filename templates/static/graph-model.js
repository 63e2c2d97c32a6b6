/* The graph as the page holds it: typed arrays decoded from graph/<view>.*.js, and questions about them.
   Nodes come sorted by importance, so "the first k visible ones" is always the right choice. */
(() => {
  "use strict";

  /* Words of the site's texts; `{name}` in one stands for a value. */
  const said = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const counted = (amount, forms) => said(amount === 1 ? forms.one : forms.other, { n: amount.toLocaleString("en") });

  const received = new Map();
  const waiting = new Map();

  /* Data files are classic scripts that call this: fetch() is blocked on file://, scripts are not. */
  function receive(name, value) {
    received.set(name, value);
    const resolve = waiting.get(name);
    if (resolve) resolve(value);
  }

  const loads = new Map();

  function load(name, url) {
    if (received.has(name)) return Promise.resolve(received.get(name));
    if (!loads.has(name)) {
      loads.set(name, new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        const script = document.createElement("script");
        script.src = url;
        script.onerror = () => { loads.delete(name); reject(new Error(`cannot load ${url}`)); };
        document.head.append(script);
      }));
    }
    return loads.get(name);
  }

  function bytes(base64) {
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  }

  function varints(base64) {
    const source = bytes(base64);
    const out = new Uint32Array(source.length);
    let count = 0;
    for (let at = 0; at < source.length;) {
      let value = 0;
      let shift = 0;
      let byte;
      do { byte = source[at++]; value |= (byte & 127) << shift; shift += 7; } while (byte & 128);
      out[count++] = value >>> 0;
    }
    return out.subarray(0, count);
  }

  function signed(base64) {
    const out = varints(base64);
    return Int32Array.from(out, (value) => (value >>> 1) ^ -(value & 1));
  }

  /* Lower-case without accents, so that "Zurich" finds "Zürich". */
  const MARKS = /\p{M}+/gu;
  function fold(text) {
    return text.normalize("NFKD").replace(MARKS, "").toLowerCase();
  }

  class Graph {
    constructor(model, points) {
      this.model = model;
      this.n = model.nodes;
      this.x = signed(points.x);
      this.y = signed(points.y);
      this.community = varints(points.community);
      this.storeSet = varints(points.stores);
      this.type = varints(points.types);
      this.kind = varints(points.kinds);
      this.readEdges(points);
      this.radius = this.readRadii(varints(points.sizes));
      this.visible = new Uint8Array(this.n).fill(1);
      this.minimumWeight = 1;
      this.grid = new Grid(this);
      this.labels = model.labels.slice();
      for (const [node, name] of Object.entries(model.names)) this.labels[node] = name;
      this.titles = null;
      this.folded = null;
    }

    /* Sizes come as the first and the falls after it. The layout keeps room for exactly these radii. */
    readRadii(falls) {
      let size = 0;
      return Float32Array.from(falls, (fall, i) => {
        size = i ? size - fall : fall;
        return Math.min(40, 4 + 1.8 * Math.sqrt(size));
      });
    }

    /* Nodes are seated by community; each has a row with the number of its neighbours on earlier seats and the
       gaps between them. */
    readEdges(points) {
      const code = varints(points.edges);
      const seats = Array.from({ length: this.n }, (_, i) => i).sort((a, b) => this.community[a] - this.community[b] || a - b);
      const count = this.model.edges;
      this.from = new Uint32Array(count);
      this.to = new Uint32Array(count);
      this.weight = varints(points.weights);
      this.direction = points.directions ? varints(points.directions) : null;
      const degrees = new Uint32Array(this.n + 1);
      let edge = 0;
      let at = 0;
      for (const node of seats) {
        let seat = -1;
        for (let left = code[at++]; left > 0; left--) {
          seat += code[at++] + 1;
          this.from[edge] = Math.min(node, seats[seat]);
          this.to[edge++] = Math.max(node, seats[seat]);
          degrees[seats[seat] + 1]++;
          degrees[node + 1]++;
        }
      }
      for (let i = 0; i < this.n; i++) degrees[i + 1] += degrees[i];
      this.offsets = degrees;
      this.neighbours = new Uint32Array(2 * count);
      this.edgeOf = new Uint32Array(2 * count);
      const next = degrees.slice();
      for (let e = 0; e < count; e++) {
        for (const [a, b] of [[this.from[e], this.to[e]], [this.to[e], this.from[e]]]) {
          this.neighbours[next[a]] = b;
          this.edgeOf[next[a]++] = e;
        }
      }
    }

    degree(node) { return this.offsets[node + 1] - this.offsets[node]; }

    /* How many nodes have a radius above `least` at zoom 1: they are the first ones. */
    largerThan(least) {
      let [low, high] = [0, this.n];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.radius[middle] >= least) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    edgeShown(edge) {
      return this.weight[edge] >= this.minimumWeight && this.visible[this.from[edge]] && this.visible[this.to[edge]];
    }

    /* Calls back with (neighbour, edge) for each shown edge of a node. */
    each(node, callback) {
      for (let at = this.offsets[node]; at < this.offsets[node + 1]; at++) {
        const edge = this.edgeOf[at];
        if (this.weight[edge] >= this.minimumWeight && this.visible[this.neighbours[at]]) callback(this.neighbours[at], edge);
      }
    }

    /* 1: from the node, 2: to the node, 3: both; 0 in a graph without directions. */
    directionFrom(node, edge) {
      if (!this.direction) return 0;
      const code = this.direction[edge];
      return this.from[edge] === node ? code : ((code & 1) << 1) | (code >> 1);
    }

    within(start, depth) {
      const reached = new Map([[start, 0]]);
      let front = [start];
      for (let step = 1; step <= depth; step++) {
        const next = [];
        for (const node of front) {
          this.each(node, (other) => {
            if (!reached.has(other)) { reached.set(other, step); next.push(other); }
          });
        }
        front = next;
      }
      return reached;
    }

    /* Fewest steps; of equally short ways the one over more important nodes. Empty when there is none. */
    path(start, end) {
      const before = new Int32Array(this.n).fill(-1);
      before[start] = start;
      let front = [start];
      while (front.length && before[end] < 0) {
        const next = [];
        front.sort((a, b) => a - b);
        for (const node of front) {
          this.each(node, (other) => {
            if (before[other] < 0) { before[other] = node; next.push(other); }
          });
        }
        front = next;
      }
      if (before[end] < 0) return [];
      const way = [end];
      while (way[0] !== start) way.unshift(before[way[0]]);
      return way;
    }

    setTitles(titles) {
      this.titles = titles;
      this.labels = titles.labels;
      this.day = varints(titles.days);
    }

    label(node) { return this.labels[node] || ""; }
    url(node) { return this.titles && this.titles.urls[node] || ""; }

    /* Whole title first, then its beginning, then a word's beginning, then any place; important nodes first. */
    search(query, limit) {
      const wanted = fold(query.trim());
      if (!wanted || !this.titles) return [];
      if (!this.folded) this.folded = this.titles.labels.map(fold);
      const ranks = [[], [], [], []];
      for (let i = 0; i < this.n; i++) {
        if (!this.visible[i]) continue;
        const title = this.folded[i];
        const at = title.indexOf(wanted);
        if (at < 0) continue;
        const rank = at === 0 ? (title.length === wanted.length ? 0 : 1) : /[\p{L}\p{N}]/u.test(title[at - 1]) ? 3 : 2;
        if (ranks[rank].length < limit) ranks[rank].push(i);
      }
      return ranks.flat().slice(0, limit);
    }

    indexOf(id) {
      if (!this.ids) {
        if (!this.titles) return -1;
        this.ids = new Map(this.titles.ids.map((value, i) => [value, i]));
      }
      return this.ids.get(id) ?? -1;
    }

    tagged(tag) {
      const list = this.titles && Object.hasOwn(this.titles.tags, tag) ? varints(this.titles.tags[tag]) : [];
      let node = -1;
      return Array.from(list, (gap) => (node += gap + 1));
    }

    /* [left, top, right, bottom] of the visible nodes, or of those listed. */
    bounds(nodes) {
      let box = null;
      const add = (i) => {
        const r = this.radius[i];
        if (!box) box = [this.x[i] - r, this.y[i] - r, this.x[i] + r, this.y[i] + r];
        else {
          box[0] = Math.min(box[0], this.x[i] - r);
          box[1] = Math.min(box[1], this.y[i] - r);
          box[2] = Math.max(box[2], this.x[i] + r);
          box[3] = Math.max(box[3], this.y[i] + r);
        }
      };
      if (nodes) for (const i of nodes) add(i);
      else for (let i = 0; i < this.n; i++) if (this.visible[i]) add(i);
      return box || [-100, -100, 100, 100];
    }
  }

  /* Buckets of equal squares: which nodes lie near a point. */
  class Grid {
    constructor(graph) {
      this.graph = graph;
      this.box = graph.bounds();
      const side = Math.max(this.box[2] - this.box[0], this.box[3] - this.box[1], 1);
      this.columns = Math.max(1, Math.min(256, Math.ceil(Math.sqrt(graph.n))));
      this.cell = side / this.columns;
      const starts = new Uint32Array(this.columns * this.columns + 1);
      const cellOf = Uint32Array.from({ length: graph.n }, (_, i) => this.at(graph.x[i], graph.y[i]));
      for (const cell of cellOf) starts[cell + 1]++;
      for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
      this.starts = starts;
      this.members = new Uint32Array(graph.n);
      const next = starts.slice();
      cellOf.forEach((cell, i) => { this.members[next[cell]++] = i; });
    }

    column(value, origin) {
      return Math.max(0, Math.min(this.columns - 1, Math.floor((value - origin) / this.cell)));
    }

    at(x, y) { return this.column(y, this.box[1]) * this.columns + this.column(x, this.box[0]); }

    /* Calls back with each visible node in the rectangle's cells. */
    each(left, top, right, bottom, callback) {
      for (let row = this.column(top, this.box[1]); row <= this.column(bottom, this.box[1]); row++) {
        for (let column = this.column(left, this.box[0]); column <= this.column(right, this.box[0]); column++) {
          const cell = row * this.columns + column;
          for (let at = this.starts[cell]; at < this.starts[cell + 1]; at++) {
            if (this.graph.visible[this.members[at]]) callback(this.members[at]);
          }
        }
      }
    }

    /* The node whose edge is nearest to the point, if the point is on it or within `slack` of it. */
    hit(x, y, radiusOf, slack) {
      const reach = radiusOf.largest + slack;
      let best = -1;
      let nearest = slack;
      this.each(x - reach, y - reach, x + reach, y + reach, (i) => {
        const distance = Math.hypot(this.graph.x[i] - x, this.graph.y[i] - y) - radiusOf(i);
        if (distance <= nearest) { nearest = distance; best = i; }
      });
      return best;
    }
  }

  Object.defineProperty(window, "memsiteGraph", { value: { receive, load, said, counted, Graph } });
})();
