/* The graph around a page: <div class="ms-local-graph" data-shard="../graph/near/abc.js">. Its neighbours come
   from that file when the picture comes into sight; depth 2 loads the neighbours' own files. Drawn as SVG with
   real links, so that it works with keyboard and screen reader like any list of links. */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const texts = window.memsiteTexts;
  const NAMED = 12; /* nodes that always carry their label */
  const SECOND = 36; /* nodes added at depth 2 at most */
  const here = document.currentScript.src;
  const records = new Map(); /* file -> {URL of page: record} */
  const waiting = new Map();

  Object.defineProperty(window, "memsiteLocal", { value: Object.freeze({
    receive(name, value) {
      records.set(name, new Map(Object.entries(value)));
      if (waiting.has(name)) waiting.get(name)();
    },
  }) });

  const loads = new Map();

  function load(name, root) {
    if (!loads.has(name)) {
      loads.set(name, new Promise((resolve) => {
        const script = document.createElement("script");
        waiting.set(name, resolve);
        script.onerror = resolve;
        script.src = new URL(`graph/near/${name}.js`, root).href;
        document.head.append(script);
      }));
    }
    return loads.get(name).then(() => records.get(name) || new Map());
  }

  function shape(name, attributes, ...children) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  /* Letters, wide ones (Chinese, emoji) counted twice. */
  const breadth = (text) => Array.from(text).reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e7f ? 2 : 1), 0);

  function shorten(text, most) {
    if (breadth(text) <= most) return text;
    const letters = Array.from(text);
    while (breadth(letters.join("")) >= most) letters.pop();
    return `${letters.join("").trimEnd()}…`;
  }

  /* The page's name in the file: its path below the root of the site. */
  function ownRecord(file, root) {
    const path = decodeURIComponent(location.pathname).slice(decodeURIComponent(root.pathname).length);
    return [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].map((name) => file.get(name)).find(Boolean);
  }

  /* Nodes and edges of a record as objects; a node's key is its URL. */
  function first(record) {
    const nodes = record.nodes.map(([label, url, concept, colour, shard, key], i) => ({ label, url, concept, colour, shard, key, depth: i ? 1 : 0 }));
    const edges = [];
    for (let at = 0; at < record.edges.length; at += 3) edges.push([nodes[record.edges[at]], nodes[record.edges[at + 1]]]);
    return { nodes, edges, more: record.more };
  }

  async function second(near, root) {
    const known = new Map(near.nodes.map((node) => [node.key, node]));
    const edges = near.edges.slice();
    const files = await Promise.all(near.nodes.slice(1).map((node) => load(node.shard, root)));
    const found = near.nodes.slice(1).map((node, i) => (files[i].has(node.key) ? first(files[i].get(node.key)) : { nodes: [] }));
    let room = SECOND;
    for (let turn = 1; room > 0 && turn < 25; turn++) {
      found.forEach(({ nodes }, i) => {
        const other = nodes[turn];
        if (!other || room <= 0) return;
        if (!known.has(other.key)) {
          known.set(other.key, { ...other, depth: 2 });
          room--;
        }
        const end = known.get(other.key);
        if (end.depth === 2) edges.push([near.nodes[i + 1], end]);
      });
    }
    return { nodes: [...known.values()], edges, more: near.more };
  }

  /* A few hundred steps of springs and pushes from a fixed start: the same picture each time. */
  function settle({ nodes, edges }, width, height) {
    const [cx, cy] = [width / 2, height / 2];
    const spread = Math.min(width, height) * 0.34;
    nodes.forEach((node, i) => {
      const angle = i * 2.399963;
      const reach = node.depth * spread * (nodes.length > 20 ? 0.55 : 0.9);
      node.x = cx + Math.cos(angle) * reach;
      node.y = cy + Math.sin(angle) * reach;
      node.wide = node.named ? Math.min(56, 6 + breadth(shorten(node.label, node.depth ? 16 : 24)) * 3) : 9;
    });
    for (let step = 0; step < 260; step++) {
      const heat = 1 - step / 260;
      for (const node of nodes) { node.fx = (cx - node.x) * 0.002; node.fy = (cy - node.y) * 0.003; }
      nodes.forEach((a, i) => {
        for (let j = i + 1; j < nodes.length; j++) {
          const b = nodes[j];
          const [dx, dy] = [(a.x - b.x) / (a.wide + b.wide + 6), (a.y - b.y) / (a.named || b.named ? 34 : 18)];
          const far = Math.max(0.05, Math.hypot(dx, dy));
          const push = (far < 1 ? 5 : 1.4) / (far * far + 0.3);
          a.fx += (dx / far) * push; a.fy += (dy / far) * push;
          b.fx -= (dx / far) * push; b.fy -= (dy / far) * push;
        }
      });
      for (const [a, b] of edges) {
        const [dx, dy] = [b.x - a.x, b.y - a.y];
        const far = Math.max(1, Math.hypot(dx, dy));
        const pull = (far - spread * (b.depth === 2 ? 0.4 : 0.95)) * 0.012;
        a.fx += (dx / far) * pull; a.fy += (dy / far) * pull;
        b.fx -= (dx / far) * pull; b.fy -= (dy / far) * pull;
      }
      for (const node of nodes) {
        if (!node.depth) continue;
        node.x = Math.max(node.wide + 2, Math.min(width - node.wide - 2, node.x + Math.max(-8, Math.min(8, node.fx * 5)) * heat));
        node.y = Math.max(12, Math.min(height - 22, node.y + Math.max(-8, Math.min(8, node.fy * 5)) * heat));
      }
    }
  }

  function draw(box, graph, root) {
    const width = Math.max(200, box.clientWidth);
    const height = Math.round(Math.min(380, 130 + 11 * Math.min(20, graph.nodes.length) + (graph.nodes.length > 30 ? 30 : 0)));
    graph.nodes.forEach((node, i) => { node.named = i <= (graph.nodes.length > 30 ? NAMED / 2 : NAMED) && (node.depth < 2 || graph.nodes.length < 18); });
    settle(graph, width, height);
    const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": box.closest("section").querySelector("h2").textContent });
    const lines = graph.edges.map(([a, b]) => shape("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: a.depth && b.depth ? "mg-far" : "" }));
    const marks = graph.nodes.map((node) => mark(node, root));
    graph.nodes.forEach((node, i) => {
      const own = marks[i];
      function light(on) {
        graph.edges.forEach(([a, b], e) => { if (a === node || b === node) lines[e].classList.toggle("mg-lit", on); });
        own.classList.toggle("mg-lit", on);
      }
      /* Under the pointer it moves to the end of the picture, so that its label lies above all others; what has the
         focus would lose it by that. */
      own.addEventListener("pointerenter", () => { light(true); if (!own.matches(":focus")) picture.append(own); });
      own.addEventListener("pointerleave", () => light(false));
      if (!own.matches("a")) return; /* Chromium lets Tab stop at whatever listens to focus */
      own.addEventListener("focus", () => light(true));
      own.addEventListener("blur", () => light(false));
    });
    picture.append(...lines, ...marks.toReversed());
    return picture;
  }

  function mark(node, root) {
    const r = node.depth ? (node.depth === 1 ? 5 : 3.6) : 8;
    const dot = shape("circle", { cx: node.x, cy: node.y, r, class: `mg-k${node.colour}${node.concept ? " mg-concept" : ""}` });
    const label = shape("text", { x: node.x, y: node.y + r + 11, class: node.named ? "" : "mg-quiet" });
    label.textContent = shorten(node.label, node.depth ? 16 : 24);
    const parts = [shape("circle", { cx: node.x, cy: node.y, r: 12, class: "mg-touch" }), dot, label];
    if (!node.depth || !node.url) return shape("g", { class: "mg-node mg-centre" }, ...parts);
    const title = shape("title", {});
    title.textContent = node.label;
    return shape("a", { href: new URL(node.url, root).href, class: "mg-node" }, title, ...parts);
  }

  function button(text, depth) {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.dataset.depth = depth;
    return element;
  }

  async function start(box) {
    const file = new URL(box.dataset.shard, location.href);
    const root = new URL("../../", file);
    const name = file.pathname.split("/").pop().replace(".js", "");
    const record = ownRecord(await load(name, root), root);
    if (!record || record.nodes.length < 2) {
      box.closest(".ms-local")?.setAttribute("hidden", "");
      return;
    }
    const near = first(record);
    const buttons = [button("1", 1), button("2", 2)];
    const bar = document.createElement("p");
    const open = document.createElement("a");
    bar.className = "mg-local-bar";
    open.href = new URL(`graph.html#${new URLSearchParams({ view: "notes", node: record.id })}`, root).href;
    open.textContent = texts.local_graph_open;
    const group = document.createElement("span");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", texts.local_graph_depth);
    group.append(...buttons);
    bar.append(group, open);
    const show = async (depth) => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(Number(one.dataset.depth) === depth));
      const graph = depth === 2 ? await second(near, root) : { ...near, nodes: near.nodes };
      box.replaceChildren(draw(box, graph, root), bar);
    };
    for (const one of buttons) {
      one.addEventListener("click", async () => { await show(Number(one.dataset.depth)); one.focus(); });
    }
    await show(1);
  }

  function watch(box) {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("local-graph.css", here).href;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      if (![...document.styleSheets].some((sheet) => sheet.href === style.href)) document.head.append(style);
      start(box);
    }, { rootMargin: "200px" });
    seen.observe(box);
  }

  const boxes = () => document.querySelectorAll(".ms-local-graph").forEach(watch);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", boxes);
  else boxes();
})();
