/* Downloads of the picture as it is seen: PNG at twice the size of the screen, SVG with real text and shapes. */
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
    canvas.toBlob((blob) => save(blob, name), "image/png");
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
    save(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), name);
  }

  memsiteGraph.download = { png, svg };
})();
