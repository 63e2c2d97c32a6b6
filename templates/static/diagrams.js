/* diagrams.js: Mermaid sources become pictures. They are drawn in a hidden frame without rights, and what comes
   back is shown as an image: an SVG in an image runs nothing and loads nothing. The source stays at hand,
   and stands alone where there is no JavaScript or the diagram has a fault. */
(function () {
  "use strict";
  const html = document.documentElement;
  const texts = window.memsiteTexts || {};
  const drawings = [];
  let frame;
  let ready = false;

  /* The colours of the page as it is now; a probe resolves what custom properties only name. */
  function look() {
    const probe = document.body.appendChild(document.createElement("span"));
    const colour = function (name) { probe.style.color = `var(--ms-${name})`; return getComputedStyle(probe).color; };
    const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const found = { dark, font: getComputedStyle(document.body).fontFamily };
    for (const name of ["paper", "panel", "ink", "soft", "line", "accent", "wash", "mark"]) found[name] = colour(name);
    found.tones = ["accent", "blue", "amber", "violet", "green", "red"].map(colour);
    probe.remove();
    return found;
  }

  function button(className, name, press) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = className;
    made.setAttribute("aria-label", name);
    made.title = name;
    made.addEventListener("click", press);
    return made;
  }

  function prepare(source, place) {
    const figure = document.createElement("figure");
    figure.className = "ms-diagram";
    const image = document.createElement("img");
    const box = document.createElement("div");
    box.className = "ms-diagram-box";
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    const kept = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = texts.diagram_source;
    const text = source.dataset.text = source.firstChild ? source.firstChild.textContent : "";
    figure.hidden = true;
    source.before(figure);
    box.append(image);
    figure.append(box, button("ms-icon ms-enlarge", texts.diagram_enlarge, () => enlarge(image)), kept);
    kept.append(summary);
    drawings.push({ place, source, text, figure, image, box, kept, url: "" });
  }

  function enlarge(image) {
    const dialog = document.createElement("dialog");
    dialog.className = "ms-enlarged";
    dialog.setAttribute("aria-label", image.alt);
    const copy = image.cloneNode();
    copy.removeAttribute("style");
    const box = document.createElement("div");
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", image.alt);
    box.append(copy);
    dialog.append(box, button("ms-button", texts.close, () => dialog.close()));
    dialog.lastChild.textContent = texts.close;
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  function show(drawing, answer) {
    if (answer.fault) return fail(drawing, answer.fault);
    if (drawing.url) URL.revokeObjectURL(drawing.url);
    drawing.url = URL.createObjectURL(new Blob([answer.svg], { type: "image/svg+xml" }));
    drawing.image.src = drawing.url;
    drawing.image.width = Math.ceil(answer.width);
    drawing.image.height = Math.ceil(answer.height);
    /* A wide one shrinks to two thirds and scrolls from there on, so that its words stay legible. */
    drawing.image.style.minWidth = `${Math.floor(Math.min(answer.width, Math.max(answer.width * .66, 300)))}px`;
    drawing.image.alt = [answer.title || texts.diagram, answer.said].filter(Boolean).join(": ");
    drawing.box.setAttribute("aria-label", answer.title || texts.diagram);
    drawing.figure.hidden = false;
    drawing.kept.append(drawing.source);
  }

  function fail(drawing, fault) {
    if (drawing.said) return;
    drawing.said = document.createElement("p");
    drawing.said.className = "ms-quiet";
    drawing.said.textContent = `${texts.diagram_fault} ${fault}`;
    drawing.source.after(drawing.said);
  }

  function draw() {
    if (!ready) return;
    const now = look();
    for (const { place, text } of drawings) frame.contentWindow.postMessage({ place, text, look: now }, "*");
  }

  function begin() {
    if (frame) return;
    frame = document.createElement("iframe");
    frame.className = "ms-drawing-frame";
    frame.title = texts.diagram;
    frame.tabIndex = -1;
    frame.setAttribute("aria-hidden", "true");
    /* From a disk a frame without origin may not load its own script; there each file is an origin by itself. */
    if (location.protocol !== "file:") frame.setAttribute("sandbox", "allow-scripts");
    addEventListener("message", function (event) {
      if (event.source !== frame.contentWindow) return;
      if (event.data.ready) { ready = true; draw(); } else if (drawings[event.data.place]) show(drawings[event.data.place], event.data);
    });
    frame.src = new URL("static/diagrams.html", new URL(html.dataset.root || ".", location.href)).href;
    document.body.append(frame);
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".ms-body pre.mermaid").forEach(prepare);
    if (!drawings.length) return;
    /* The drawing program is large: not before a diagram comes near. */
    const near = new IntersectionObserver(function (seen) {
      if (seen.some((entry) => entry.isIntersecting)) { near.disconnect(); begin(); }
    }, { rootMargin: "800px" });
    for (const drawing of drawings) near.observe(drawing.source);
    document.addEventListener("ms-theme", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  });
}());
