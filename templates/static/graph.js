/* The graph page: state, camera, filters, keyboard. The state lives in the URL's fragment, so that a view can
   be shared; everything that is shown follows from it. */
(() => {
  "use strict";

  const { Graph, Painter, Panel, Search, download, said, counted } = memsiteGraph;
  const texts = window.memsiteTexts;
  const root = document.getElementById("ms-graph");
  if (!root) return;
  const $ = (name) => document.getElementById(`ms-graph-${name}`);
  const stage = $("stage");
  const place = root.dataset.root || "";
  const COLOURS = 12;
  const FACETS = ["community", "store", "type", "age"];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  const graphs = new Map(); /* view -> {graph, model} */
  let graph = null;
  let state = null;
  let network = null;
  let painter = null;
  let hovered = -1;
  let dragging = false;
  let titlesComing = null;

  /* ---- state <-> fragment ------------------------------------------------------------------- */

  function defaults() {
    return {
      view: root.dataset.view, colour: "community", node: "", to: "", depth: 0, group: "", tag: "", since: "", until: "", weight: 1,
      orphans: true, hidden: { community: new Set(), store: new Set(), type: new Set(), age: new Set() }, at: "",
    };
  }

  function readState() {
    const next = defaults();
    const asked = new URLSearchParams(location.hash.slice(1));
    const views = root.dataset.views.split(" ");
    if (views.includes(asked.get("view"))) next.view = asked.get("view");
    if (FACETS.includes(asked.get("colour"))) next.colour = asked.get("colour");
    for (const key of ["node", "to", "group", "tag", "since", "until", "at"]) next[key] = asked.get(key) || "";
    next.depth = Math.min(4, Math.max(0, Number(asked.get("depth")) || 0));
    next.weight = Math.max(1, Number(asked.get("weight")) || 1);
    next.orphans = asked.get("orphans") !== "no";
    for (const facet of FACETS) {
      for (const name of asked.getAll(`no-${facet}`)) next.hidden[facet].add(name);
    }
    return next;
  }

  let leaving = false; /* a change of the URL now would call off the page that is on its way */
  addEventListener("pageshow", () => { leaving = false; });

  function writeState() {
    if (leaving) return;
    const out = new URLSearchParams();
    const plain = defaults();
    for (const key of ["view", "colour", "node", "to", "depth", "group", "tag", "since", "until", "weight", "at"]) {
      if (state[key] !== plain[key]) out.set(key, state[key]);
    }
    if (!state.orphans) out.set("orphans", "no");
    for (const facet of FACETS) for (const name of state.hidden[facet]) out.append(`no-${facet}`, name);
    const fragment = out.toString();
    try {
      history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
    } catch {
      location.replace(`#${fragment}`);
    }
  }

  /* ---- files --------------------------------------------------------------------------------- */

  const file = (view, part) => memsiteGraph.load(`${view}.${part}`, `${place}graph/${view}.${part}.js`);

  async function openView(view) {
    if (!graphs.has(view)) {
      const [model, points] = await Promise.all([file(view, "model"), file(view, "points")]);
      graphs.set(view, new Graph(model, points));
    }
    graph = graphs.get(view);
    hovered = -1;
    titlesComing = null;
  }

  function needTitles() {
    const wanted = graph;
    if (wanted.titles) return Promise.resolve();
    titlesComing ??= file(wanted.model.view, "titles").then((titles) => {
      wanted.setTitles(titles);
      if (wanted === graph) network.redraw();
    });
    return titlesComing;
  }

  async function details(node) {
    const size = graph.model.details;
    const [excerpt, mentions, tags] = (await file(graph.model.view, `details-${Math.floor(node / size)}`))[node % size];
    return { excerpt, mentions, tags };
  }

  /* ---- look ---------------------------------------------------------------------------------- */

  /* The colours of the style sheet as a canvas understands them: a probe computes light-dark() and var(). */
  function readTheme() {
    const probe = $("probe");
    const colour = (name) => {
      probe.style.color = `var(--mg-${name})`;
      return getComputedStyle(probe).color;
    };
    const colours = (name, count) => Array.from({ length: count }, (_, i) => colour(`${name}${i}`));
    return {
      ground: colour("ground"), ink: colour("ink"), inkSoft: colour("ink-soft"), halo: colour("halo"), edge: colour("edge"),
      edgeLit: colour("edge-lit"), accent: colour("accent"), other: colour("other"), groups: colours("c", COLOURS),
      ages: colours("age", 5), font: getComputedStyle(root).fontFamily, edgeAlpha: 0.5, fogAlpha: 0.13, veil: 0.84,
    };
  }

  /* The groups of a facet: [{name, label, count, bucket}], and each node's place among the colours. */
  function facetGroups(facet) {
    const { model } = graph;
    const of = facetOf(facet);
    let names;
    if (facet === "community") {
      names = model.communities.slice(0, COLOURS).map((one, i) => [String(i), one.name]);
      names.push(["other", texts.graph_smaller]);
    } else if (facet === "age") {
      names = model.ages.map((day, i) => [String(i), ageLabel(i)]);
      names.push(["other", texts.graph_undated]);
    } else {
      const all = facet === "store" ? model.stores : model.types;
      names = all.slice(0, COLOURS).map((name) => [name, name || texts.graph_none_of]);
      names.push(["other", facet === "store" ? texts.graph_several : texts.graph_other_types]);
    }
    const counts = new Uint32Array(names.length);
    for (let i = 0; i < graph.n; i++) counts[of(i)]++;
    const groups = names.map(([name, label], bucket) => ({ name, label, count: counts[bucket], bucket }));
    return groups.filter((group) => group.count > 0);
  }

  function ageLabel(group) {
    const { ages, days } = graph.model;
    const from = isoDay(ages[group]);
    const until = isoDay(group + 1 < ages.length ? ages[group + 1] - 1 : days[1]);
    return from === until ? from : `${from} – ${until}`;
  }

  const isoDay = (day) => new Date(day * 86400000).toISOString().slice(0, 10);
  const dayOf = (iso) => Math.floor(Date.parse(`${iso}T00:00:00Z`) / 86400000);

  /* Node -> bucket of the facet; the last bucket is everything else. */
  function facetOf(facet) {
    const { model } = graph;
    if (facet === "community") {
      const last = Math.min(COLOURS, model.communities.length);
      return (i) => Math.min(graph.community[i], last);
    }
    if (facet === "type") {
      const last = Math.min(COLOURS, model.types.length);
      return (i) => Math.min(graph.type[i], last);
    }
    if (facet === "store") {
      const last = Math.min(COLOURS, model.stores.length);
      return (i) => {
        const set = model.storeSets[graph.storeSet[i]];
        return set.length === 1 ? Math.min(set[0], last) : last;
      };
    }
    return (i) => {
      const day = dayOfNode(i);
      if (day === null) return model.ages.length;
      let group = 0;
      while (group + 1 < model.ages.length && model.ages[group + 1] <= day) group++;
      return group;
    };
  }

  const dayOfNode = (i) => (graph.day && graph.day[i] ? graph.day[i] - 1 + graph.model.days[0] : null);

  function paletteOf(facet, theme) {
    const { model } = graph;
    if (facet === "age") {
      const count = model.ages.length;
      return [...model.ages.map((_, i) => theme.ages[count === 1 ? 4 : Math.round((i * 4) / (count - 1))]), theme.other];
    }
    const count = { community: model.communities, store: model.stores, type: model.types }[facet].length;
    return [...theme.groups.slice(0, Math.min(count, COLOURS)), theme.other];
  }

  /* ---- what is shown ------------------------------------------------------------------------- */

  function nameOfBucket(facet, bucket) {
    const { model } = graph;
    if (facet === "community") return bucket < Math.min(COLOURS, model.communities.length) ? String(bucket) : "other";
    if (facet === "age") return bucket < model.ages.length ? String(bucket) : "other";
    const names = facet === "store" ? model.stores : model.types;
    return bucket < Math.min(COLOURS, names.length) ? names[bucket] : "other";
  }

  function facetFilter(facet) {
    const hidden = state.hidden[facet];
    if (!hidden.size) return null;
    if (facet === "store") {
      const out = graph.model.storeSets.map((set) => (set.length ? set.every((s) => hidden.has(graph.model.stores[s])) : hidden.has("other")));
      return (i) => !out[graph.storeSet[i]];
    }
    const of = facetOf(facet);
    return (i) => !hidden.has(nameOfBucket(facet, of(i)));
  }

  async function filter() {
    const dated = state.since || state.until;
    if (dated || state.tag || state.node || state.colour === "age" || state.hidden.age.size) await needTitles();
    const tests = FACETS.map(facetFilter).filter(Boolean);
    if (state.since) tests.push((i) => dayOfNode(i) !== null && dayOfNode(i) >= dayOf(state.since));
    if (state.until) tests.push((i) => dayOfNode(i) !== null && dayOfNode(i) <= dayOf(state.until));
    if (state.tag) {
      const tagged = new Set(graph.tagged(state.tag));
      tests.push((i) => tagged.has(i));
    }
    if (state.group) tests.push((i) => graph.community[i] === Number(state.group));
    if (!state.orphans) tests.push((i) => graph.degree(i) > 0);
    graph.minimumWeight = state.weight;
    for (let i = 0; i < graph.n; i++) graph.visible[i] = tests.every((test) => test(i)) ? 1 : 0;
    if (state.depth && chosen() >= 0) {
      graph.visible[chosen()] = 1;
      const near = graph.within(chosen(), state.depth);
      for (let i = 0; i < graph.n; i++) if (!near.has(i)) graph.visible[i] = 0;
    }
  }

  const chosen = () => (state.node ? graph.indexOf(state.node) : -1);
  const target = () => (state.to ? graph.indexOf(state.to) : -1);

  function recolour() {
    painter.theme = readTheme();
    const of = facetOf(state.colour);
    painter.setColours(Uint8Array.from({ length: graph.n }, (_, i) => of(i)), paletteOf(state.colour, painter.theme), state.colour === "community");
    painter.rebuild();
  }

  /* Everything that follows from the state, in order. */
  async function show({ fit = false, fly = false } = {}) {
    await filter();
    if (painter.graph !== graph) takeGraph();
    recolour();
    light();
    drawControls();
    await drawPanel();
    fitted = fitCamera().scale;
    if (fit) camera(state.at && !fly ? readAt() : fitCamera(), { jump: !fly });
    network.redraw();
    count();
  }

  async function change(changes, options) {
    Object.assign(state, changes);
    writeState();
    await show(options);
  }

  function count() {
    const shown = painter.shownNodes;
    const what = { concepts: texts.graph_count_concepts, notes: texts.graph_count_notes, overview: texts.graph_count_overview }[graph.model.view];
    const some = shown < graph.n ? said(texts.graph_some, { shown: number(shown), all: number(graph.n) }) : number(graph.n);
    $("count").textContent = said(what, { nodes: some, edges: number(painter.shownEdges) });
    $("empty").hidden = shown > 0;
    if (!graph.n) $("empty").textContent = $("empty").dataset.none;
    root.classList.toggle("mg-none", !graph.n && graph.model.view === "notes");
  }

  const digits = new Intl.NumberFormat(document.documentElement.lang || "en");
  const number = (value) => digits.format(value);

  /* ---- light --------------------------------------------------------------------------------- */

  function around(node) {
    const nodes = new Map([[node, 0]]);
    const edges = [];
    graph.each(node, (other, edge) => { nodes.set(other, 1); edges.push(edge); });
    return { center: node, nodes, edges, way: [] };
  }

  function along(way) {
    const nodes = new Map(way.map((node, i) => [node, i]));
    const edges = [];
    for (let i = 1; i < way.length; i++) {
      graph.each(way[i], (other, edge) => { if (other === way[i - 1]) edges.push(edge); });
    }
    return { center: way[0], nodes, edges, way };
  }

  function light() {
    const way = chosen() >= 0 && target() >= 0 ? graph.path(chosen(), target()) : [];
    const node = hovered >= 0 ? hovered : way.length ? -1 : chosen();
    painter.cursor = chosen();
    painter.lit = node >= 0 && graph.visible[node] ? around(node) : way.length ? along(way) : null;
    painter.veil = hovered >= 0 || way.length ? 1 : 0.8;
  }

  function hover(node) {
    if (node === hovered) return;
    hovered = node;
    stage.classList.toggle("mg-over", node >= 0);
    if (node >= 0) needTitles();
    light();
    network.redraw();
  }

  /* ---- camera -------------------------------------------------------------------------------- */

  /* The free part of the stage: controls and panel lie above it. */
  function free() {
    const all = stage.getBoundingClientRect();
    const wide = all.width > 760;
    const left = wide && !$("controls").hidden ? $("controls").getBoundingClientRect().right - all.left : 0;
    const right = wide && !$("panel").hidden ? all.right - $("panel").getBoundingClientRect().left : 0;
    const bottom = !wide && !$("panel").hidden ? $("panel").getBoundingClientRect().height : 0;
    return { width: Math.max(120, all.width - left - right), height: Math.max(120, all.height - bottom), dx: (left - right) / 2, dy: -bottom / 2 };
  }

  /* What lies over the picture, in its pixels; labels keep out of it. */
  function covered() {
    const all = stage.getBoundingClientRect();
    return [root.querySelector(".mg-top"), $("controls"), $("panel")].filter((box) => !box.hidden).map((box) => {
      const { left, top, right, bottom } = box.getBoundingClientRect();
      return [left - all.left, top - all.top, right - all.left, bottom - all.top];
    });
  }

  function fitCamera(nodes) {
    const [left, top, right, bottom] = graph.bounds(nodes);
    const room = free();
    const margin = room.width < 500 ? 24 : 46;
    const scale = Math.min((room.width - 2 * margin) / (right - left + 1), (room.height - 2 * margin) / (bottom - top + 1), nodes ? 1.2 : 2.2);
    return { x: (left + right) / 2, y: (top + bottom) / 2, scale, offset: true };
  }

  function camera({ x, y, scale, offset = false }, { jump = false } = {}) {
    const room = offset ? free() : { dx: 0, dy: 0 };
    const animation = jump || calm.matches ? false : { duration: 450, easingFunction: "easeInOutCubic" };
    network.moveTo({ position: { x, y }, scale, offset: { x: room.dx, y: room.dy }, animation });
  }

  function fly(node) {
    const scale = Math.max(network.getScale(), Math.min(1, fitScale() * 4));
    camera({ x: graph.x[node], y: graph.y[node], scale, offset: true });
  }

  let fitted = 1; /* zoom at which everything that passes the filters fits */

  const fitScale = () => fitted;

  function readAt() {
    const [x, y, scale] = state.at.split(",").map(Number);
    return Number.isFinite(x + y + scale) && scale > 0 ? { x, y, scale: clampScale(scale) } : fitCamera();
  }

  function zoom(factor) {
    const { x, y } = network.getViewPosition();
    camera({ x, y, scale: clampScale(network.getScale() * factor) });
  }

  const clampScale = (scale) => Math.min(6, Math.max(fitScale() / 3, scale));

  let home = ""; /* where the camera rests first: no need to say so in the URL */

  function rested() {
    network.redraw();
    const { x, y } = network.getViewPosition();
    const at = [Math.round(x), Math.round(y), Number(network.getScale().toPrecision(3))].join(",");
    home ||= at;
    state.at = at === home ? "" : at;
    writeState();
    if (graph.n <= 20000 || painter.shownNodes < 2000 || network.getScale() > fitScale() * 2) needTitles();
  }

  /* ---- choosing ------------------------------------------------------------------------------ */

  let picking = false; /* the next chosen node ends a path */

  async function choose(node, { flying = false } = {}) {
    await needTitles();
    const id = node >= 0 ? graph.titles.ids[node] : "";
    if (picking && node >= 0 && id !== state.node) {
      picking = false;
      await change({ to: id });
      announcePath();
      const way = graph.path(chosen(), node);
      if (way.length) camera(fitCamera(way));
      return;
    }
    const refit = state.depth > 0;
    await change({ node: id, to: "", depth: node < 0 ? 0 : state.depth }, { fit: refit, fly: refit });
    if (node >= 0) {
      say(describe(node));
      if (flying) fly(node);
      else if (!refit) keepInView(node);
    }
  }

  function keepInView(node) {
    const at = network.canvasToDOM({ x: graph.x[node], y: graph.y[node] });
    const room = free();
    const { clientWidth, clientHeight } = stage;
    const [cx, cy] = [clientWidth / 2 + room.dx, clientHeight / 2 + room.dy];
    if (Math.abs(at.x - cx) > room.width / 2 - 40 || Math.abs(at.y - cy) > room.height / 2 - 40) {
      camera({ x: graph.x[node], y: graph.y[node], scale: network.getScale(), offset: true });
    }
  }

  function describe(node) {
    const { model } = graph;
    const group = model.communities[graph.community[node]];
    let links = 0;
    graph.each(node, () => links++);
    return [graph.label(node), model.types[graph.type[node]], counted(links, texts.count_links), group ? `${texts.graph_group} ${group.name}` : ""].filter(Boolean).join(", ");
  }

  function announcePath() {
    const way = graph.path(chosen(), target());
    say(way.length ? `${texts.graph_path}, ${counted(way.length - 1, texts.count_steps)}: ${way.map((node) => graph.label(node)).join(", ")}` : texts.graph_no_path);
  }

  const say = (text) => { $("live").textContent = text; };

  function open(node) {
    const url = graph.url(node);
    if (graph.kind[node] === 2) location.hash = url.split("#")[1];
    else if (url) {
      leaving = true;
      location.href = place + url;
    }
  }

  const hit = (x, y, slack) => {
    const scale = network.getScale();
    const at = network.DOMtoCanvas({ x, y });
    return graph.grid.hit(at.x, at.y, painter.radiusAt(scale), slack / scale);
  };

  /* ---- keyboard ------------------------------------------------------------------------------ */

  const ARROWS = { ArrowRight: 0, ArrowDown: Math.PI / 2, ArrowLeft: Math.PI, ArrowUp: -Math.PI / 2 };

  /* The neighbour that lies most in the direction of the arrow; near ones are preferred. */
  function towards(node, angle) {
    let best = -1;
    let least = Infinity;
    graph.each(node, (other) => {
      const dx = graph.x[other] - graph.x[node];
      const dy = graph.y[other] - graph.y[node];
      const turn = Math.abs(Math.atan2(Math.sin(Math.atan2(dy, dx) - angle), Math.cos(Math.atan2(dy, dx) - angle)));
      const cost = turn > Math.PI / 2 ? Infinity : (1 + turn * turn * 2) * Math.hypot(dx, dy);
      if (cost < least) { least = cost; best = other; }
    });
    return best;
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const node = chosen();
    if (event.key in ARROWS) {
      const next = node < 0 || !graph.visible[node] ? graph.visible.indexOf(1) : towards(node, ARROWS[event.key]);
      if (next >= 0) choose(next);
      else say(texts.graph_no_neighbour);
    } else if (event.key === "Enter" && node >= 0) open(node);
    else if (event.key === "Escape") leave();
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") camera(fitCamera());
    else return;
    event.preventDefault();
  }

  function leave() {
    picking = false;
    if (state.node) choose(-1).then(() => say(texts.graph_unchosen));
    else $("search").focus();
  }

  /* ---- controls ------------------------------------------------------------------------------ */

  function drawControls() {
    for (const button of root.querySelectorAll("[data-mg-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mgView === state.view));
    }
    $("colour").value = state.colour;
    $("weight").max = String(Math.min(12, graph.model.heaviest));
    $("weight").value = String(state.weight);
    $("weight-value").textContent = String(state.weight);
    $("weight-row").hidden = graph.model.heaviest < 2;
    $("orphans").checked = state.orphans;
    $("since").value = state.since;
    $("until").value = state.until;
    $("dates").hidden = !graph.model.days;
    $("tag-row").hidden = !graph.model.tags.length;
    fillTags();
    drawLegend($("legend"), state.colour);
    drawLegend($("stores"), state.colour === "store" || graph.model.stores.length < 2 ? "" : "store");
    drawLegend($("types"), state.colour === "type" || graph.model.types.length < 2 ? "" : "type");
    $("reset").hidden = !isFiltered();
  }

  const isFiltered = () => FACETS.some((facet) => state.hidden[facet].size) || state.tag || state.since || state.until || state.weight > 1 || !state.orphans || state.depth > 0 || state.group;

  function fillTags() {
    const select = $("tag");
    if (select.dataset.view !== graph.model.view) {
      select.dataset.view = graph.model.view;
      select.replaceChildren(new Option(texts.graph_any_tag, ""), ...graph.model.tags.map(([tag, uses]) => new Option(`${tag} (${uses})`, tag)));
    }
    select.value = state.tag;
  }

  function drawLegend(list, facet) {
    list.parentElement.hidden = !facet;
    if (!facet) return list.replaceChildren();
    const coloured = facet === state.colour;
    const palette = paletteOf(facet, painter.theme);
    list.replaceChildren(...facetGroups(facet).map((group) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!state.hidden[facet].has(group.name)));
      button.dataset.group = group.name;
      const mark = document.createElement("span");
      mark.className = coloured ? "mg-swatch" : "mg-swatch mg-plain";
      if (coloured) mark.style.setProperty("--mg-swatch", palette[group.bucket]);
      const label = document.createElement("span");
      label.className = "mg-name";
      label.dir = "auto";
      label.textContent = group.label;
      label.title = group.label;
      const uses = document.createElement("span");
      uses.className = "mg-uses";
      uses.textContent = number(group.count);
      button.append(mark, label, uses);
      button.addEventListener("click", (event) => toggle(facet, group.name, event.shiftKey));
      const row = document.createElement("li");
      row.append(button);
      return row;
    }));
  }

  /* A click hides or shows a group, with Shift it is shown alone. */
  async function toggle(facet, name, alone) {
    const names = facetGroups(facet).map((group) => group.name);
    const hidden = state.hidden[facet];
    if (alone) state.hidden[facet] = new Set(names.filter((other) => other !== name));
    else if (hidden.has(name)) hidden.delete(name);
    else hidden.add(name);
    if (names.every((one) => state.hidden[facet].has(one))) state.hidden[facet].clear();
    await change({});
    const again = [...root.querySelectorAll(".mg-legend button")].find((button) => button.dataset.group === name);
    if (again) again.focus();
    say($("count").textContent);
  }

  async function drawPanel() {
    const node = chosen();
    root.classList.toggle("mg-chosen", node >= 0);
    if (node < 0) {
      panel.hide();
      return;
    }
    const way = target() >= 0 ? graph.path(node, target()) : null;
    const known = await details(node);
    if (chosen() === node) panel.show(graph, node, { ...known, day: dayOfNode(node) === null ? "" : isoDay(dayOfNode(node)), way, depth: state.depth, picking, place });
  }

  const panel = new Panel($("panel"), {
    choose: (node) => choose(node, { flying: true }),
    close: () => choose(-1).then(() => stage.focus()),
    depth: (depth) => change({ depth }, { fit: true, fly: true }),
    pick: async () => {
      picking = !picking;
      await change({ to: "" });
      say(picking ? texts.graph_other_end : "");
    },
    hover,
  });

  function showControls(shown) {
    $("controls").hidden = !shown;
    $("toggle").setAttribute("aria-expanded", String(shown));
  }

  function listen() {
    stage.addEventListener("keydown", onKey);
    stage.addEventListener("pointermove", onMove);
    stage.addEventListener("pointerleave", () => hover(-1));
    for (const button of root.querySelectorAll("[data-mg-view]")) {
      button.addEventListener("click", () => switchView(button.dataset.mgView));
    }
    $("colour").addEventListener("change", (event) => change({ colour: event.target.value }));
    $("weight").addEventListener("input", (event) => change({ weight: Number(event.target.value) }));
    $("orphans").addEventListener("change", (event) => change({ orphans: event.target.checked }));
    $("tag").addEventListener("change", (event) => change({ tag: event.target.value }));
    $("since").addEventListener("change", (event) => change({ since: event.target.value }));
    $("until").addEventListener("change", (event) => change({ until: event.target.value }));
    $("reset").addEventListener("click", () => {
      const { view, colour, node } = state;
      change({ ...defaults(), view, colour, node }, { fit: true, fly: true });
      $("colour").focus();
    });
    $("in").addEventListener("click", () => zoom(1.5));
    $("out").addEventListener("click", () => zoom(1 / 1.5));
    $("fit").addEventListener("click", () => camera(fitCamera()));
    for (const button of root.querySelectorAll("[data-mg-download]")) {
      button.addEventListener("click", () => needTitles().then(() => download[button.dataset.mgDownload](painter, `${graph.model.view}-graph`)));
    }
    $("toggle").addEventListener("click", () => showControls($("controls").hidden));
    $("to-table").addEventListener("click", (event) => {
      event.preventDefault();
      const heading = document.getElementById("ms-graph-table");
      heading.scrollIntoView();
      heading.focus();
    });
    addEventListener("hashchange", async () => {
      if (location.hash.startsWith("#ms-")) return; /* a place on the page, no state */
      const next = readState();
      const moved = next.view !== state.view || next.group !== state.group;
      state = next;
      if (graph.model.view !== state.view) await openView(state.view);
      await show({ fit: moved });
    });
    const redress = () => { recolour(); drawControls(); network.redraw(); };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redress);
    new MutationObserver(redress).observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
    new Search($("search"), $("results"), {
      ready: needTitles,
      find: (query) => graph.search(query, 12),
      label: (node) => graph.label(node),
      note: (node) => graph.model.types[graph.type[node]],
      choose: (node) => choose(node, { flying: true }),
      say,
    });
  }

  async function switchView(view) {
    if (view === state.view) return;
    const { colour } = state;
    state = { ...defaults(), view, colour };
    await openView(view);
    writeState();
    await show({ fit: true });
    say($("count").textContent);
  }

  let waitingMove = null;

  function onMove(event) {
    if (event.pointerType === "touch" || dragging) return;
    if (!waitingMove) requestAnimationFrame(() => {
      const { x, y } = waitingMove;
      waitingMove = null;
      if (!dragging) hover(hit(x, y, 4));
    });
    const box = stage.getBoundingClientRect();
    waitingMove = { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /* ---- start --------------------------------------------------------------------------------- */

  function makeNetwork() {
    const options = structuredClone(graph.model.options);
    options.nodes.ctxRenderer = ({ ctx, id }) => ({
      drawNode() { painter.paintHub(ctx, id); },
      nodeDimensions: { width: 2 * graph.radius[id], height: 2 * graph.radius[id] },
    });
    network = new vis.Network($("canvas"), { nodes: [], edges: [] }, options);
    const canvas = $("canvas").querySelector("canvas");
    $("canvas").querySelector(".vis-network").tabIndex = -1;
    painter = new Painter(canvas, readTheme());
    painter.rest = rested;
    network.on("beforeDrawing", (ctx) => painter.before(ctx));
    network.on("afterDrawing", (ctx) => painter.after(ctx, covered()));
    network.on("click", ({ pointer, event }) => {
      const node = hit(pointer.DOM.x, pointer.DOM.y, event.pointerType === "touch" ? 16 : 5);
      if (event.srcEvent && event.srcEvent.shiftKey && node >= 0 && state.node) picking = true;
      if (node >= 0 || state.node) choose(node);
    });
    network.on("doubleClick", ({ pointer }) => {
      const node = hit(pointer.DOM.x, pointer.DOM.y, 5);
      if (node >= 0) needTitles().then(() => open(node));
    });
    network.on("dragStart", () => { dragging = true; hover(-1); });
    network.on("dragEnd", () => { dragging = false; });
    network.on("zoom", () => {
      const scale = network.getScale();
      if (clampScale(scale) !== scale) network.moveTo({ scale: clampScale(scale), animation: false });
    });
  }

  function takeGraph() {
    painter.setGraph(graph);
    home = "";
    network.setData({ nodes: graph.model.hubs, edges: [] });
  }

  /* Lets the browser answer between two pieces of work. */
  const breath = () => new Promise((done) => setTimeout(done, 0));

  async function start() {
    if (innerWidth <= 760) showControls(false);
    state = readState();
    await openView(state.view);
    await breath();
    makeNetwork();
    listen();
    await breath();
    await show({ fit: true });
    root.dataset.ready = "yes";
  }

  start();
})();
