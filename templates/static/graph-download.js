/* Downloads of what is seen: PNG at twice the size of the screen, SVG with real text and shapes; and of what is
   shown as data for other programs: GraphML, JSON, Mermaid. Documents are made by the DOM, never of strings. */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function png(painter, name) {
    const { view, width, height, ratio } = painter.frame;
    const factor = 2 / ratio;
    const canvas = document.createElement("canvas");
    canvas.width = width * factor;
    canvas.height = height * factor;
    const larger = new DOMMatrix([view.a * factor, 0, 0, view.d * factor, view.e * factor, view.f * factor]);
    painter.picture(canvas.getContext("2d"), larger, canvas.width, canvas.height, 2);
    canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  }

  function shape(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const round = (value) => Math.round(value * 10) / 10;

  function edgePath(painter, edge, x, y) {
    const { from, to, model } = painter.graph;
    const [ax, ay, bx, by] = [x(from[edge]), y(from[edge]), x(to[edge]), y(to[edge])];
    if (model.edges > painter.curved) return `M${round(ax)} ${round(ay)}L${round(bx)} ${round(by)}`;
    const bend = painter.bend;
    return `M${round(ax)} ${round(ay)}Q${round((ax + bx) / 2 - (by - ay) * bend)} ${round((ay + by) / 2 + (bx - ax) * bend)} ${round(bx)} ${round(by)}`;
  }

  function svg(painter, name) {
    const { graph, theme, palette, bucketOf, frame } = painter;
    const { view, ratio, scale } = frame;
    const [width, height] = [Math.round(frame.width / ratio), Math.round(frame.height / ratio)];
    const x = (node) => (graph.x[node] * view.a + view.e) / ratio;
    const y = (node) => (graph.y[node] * view.d + view.f) / ratio;
    const other = palette.length - 1;
    const picture = shape("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": theme.font });
    picture.append(shape("rect", { width, height, fill: theme.ground }));
    const strokes = new Map();
    for (let edge = 0; edge < graph.model.edges; edge++) {
      if (!graph.edgeShown(edge)) continue;
      const [a, b] = [bucketOf[graph.from[edge]], bucketOf[graph.to[edge]]];
      const bucket = a === b ? a : other;
      if (!strokes.has(bucket)) strokes.set(bucket, []);
      strokes.get(bucket).push(edgePath(painter, edge, x, y));
    }
    for (const [bucket, pieces] of [...strokes].sort((a, b) => b[0] - a[0])) {
      picture.append(shape("path", {
        d: pieces.join(""), fill: "none", stroke: bucket === other ? theme.edge : palette[bucket],
        "stroke-opacity": round(painter.edgeAlpha(scale) * 100) / 100, "stroke-width": 1,
      }));
    }
    for (let node = graph.n - 1; node >= 0; node--) {
      if (!graph.visible[node]) continue;
      const dot = shape("circle", { cx: round(x(node)), cy: round(y(node)), r: round(Math.max(1, painter.radius(node, scale) * scale)), fill: palette[bucketOf[node]], stroke: theme.ground });
      dot.append(shape("title", {}, graph.label(node)));
      picture.append(dot);
    }
    for (const label of painter.placeLabels(scale)) {
      picture.append(shape("text", {
        x: round(label.x), y: round(label.y), "text-anchor": "middle", "dominant-baseline": "central", "font-size": label.size,
        "font-weight": label.weight, fill: label.colour, stroke: theme.halo, "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round",
      }, label.text));
    }
    save(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), `${name}.svg`);
  }

  /* Nodes and edges that pass the filters: positions of nodes, [from, to, weight, both ways?]. */
  function shown(graph) {
    const nodes = [];
    for (let node = 0; node < graph.n; node++) if (graph.visible[node]) nodes.push(node);
    const edges = [];
    for (let edge = 0; edge < graph.model.edges; edge++) {
      if (!graph.edgeShown(edge)) continue;
      const code = graph.direction ? graph.direction[edge] : 1;
      const [from, to] = code === 2 ? [graph.to[edge], graph.from[edge]] : [graph.from[edge], graph.to[edge]];
      edges.push([from, to, graph.weight[edge], code === 3]);
    }
    return { nodes, edges };
  }

  const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g; /* XML cannot hold these */

  function facts(graph, node) {
    const { model } = graph;
    const group = model.communities[graph.community[node]];
    return {
      label: graph.label(node), type: model.types[graph.type[node]], url: graph.url(node),
      stores: model.storeSets[graph.storeSet[node]].map((store) => model.stores[store]).join(", "), group: group ? group.name : "",
    };
  }

  function graphml({ graph }, name) {
    const file = document.implementation.createDocument("http://graphml.graphdrawing.org/xmlns", "graphml");
    const add = (parent, tag, attributes, text) => {
      const element = file.createElementNS("http://graphml.graphdrawing.org/xmlns", tag);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      if (text !== undefined) element.textContent = String(text).replace(CONTROL, "\ufffd");
      parent.append(element);
      return element;
    };
    const root = file.documentElement;
    for (const key of ["label", "type", "url", "stores", "group"]) add(root, "key", { id: key, for: "node", "attr.name": key, "attr.type": "string" });
    add(root, "key", { id: "weight", for: "edge", "attr.name": "weight", "attr.type": "int" });
    const body = add(root, "graph", { id: name, edgedefault: graph.direction ? "directed" : "undirected" });
    const { nodes, edges } = shown(graph);
    for (const node of nodes) {
      const element = add(body, "node", { id: `n${node}` });
      for (const [key, value] of Object.entries(facts(graph, node))) if (value) add(element, "data", { key }, value);
    }
    for (const [from, to, weight, both] of edges) {
      for (const [a, b] of both ? [[from, to], [to, from]] : [[from, to]]) {
        add(add(body, "edge", { source: `n${a}`, target: `n${b}` }), "data", { key: "weight" }, weight);
      }
    }
    save(new Blob([new XMLSerializer().serializeToString(file)], { type: "application/xml" }), `${name}.graphml`);
  }

  function json({ graph }, name) {
    const { nodes, edges } = shown(graph);
    const ids = graph.titles.ids;
    const out = {
      directed: Boolean(graph.direction),
      nodes: nodes.map((node) => ({ id: ids[node], ...facts(graph, node) })),
      edges: edges.map(([from, to, weight, both]) => ({ source: ids[from], target: ids[to], weight, both })),
    };
    save(new Blob([JSON.stringify(out, null, 1)], { type: "application/json" }), `${name}.json`);
  }

  /* Mermaid reads labels as Markdown with entities: everything but letters, digits and blanks becomes one. */
  const plain = (text) => text.replace(/[^\p{L}\p{N}\p{M} ]/gu, (sign) => `#${sign.codePointAt(0)};`);

  function mermaid({ graph }, name) {
    const { nodes, edges } = shown(graph);
    const arrow = (both) => (graph.direction ? (both ? "<-->" : "-->") : "---");
    const lines = ["flowchart LR", ...nodes.map((node) => `  n${node}["${plain(graph.label(node))}"]`)];
    lines.push(...edges.map(([from, to, weight, both]) => `  n${from} ${arrow(both)}${weight > 1 ? `|${weight}|` : ""} n${to}`));
    save(new Blob([`${lines.join("\n")}\n`], { type: "text/plain" }), `${name}.mmd`);
  }

  memsiteGraph.download = { png, svg, graphml, json, mermaid };
})();
