// Loaded by `memsite serve` only: reloads the page when it has changed, and shows why it could not be built.
"use strict";
(() => {
  const script = document.currentScript;
  const eventsUrl = script.dataset.events;
  const place = "memsite-place:" + location.pathname;
  const focusable = "a, button, input, select, textarea, summary, [tabindex]";
  let version = script.dataset.version;
  let events;

  function restore() {
    const kept = sessionStorage.getItem(place);
    if (!kept) return;
    sessionStorage.removeItem(place);
    const { x, y, focus } = JSON.parse(kept);
    scrollTo({ left: x, top: y, behavior: "instant" });
    const element = document.querySelectorAll(focusable)[focus];
    if (element) element.focus({ preventScroll: true });
  }

  function reload() {
    const all = [...document.querySelectorAll(focusable)];
    const focus = all.indexOf(document.activeElement);
    sessionStorage.setItem(place, JSON.stringify({ x: scrollX, y: scrollY, focus }));
    location.reload();
  }

  function show(text) {
    let box = document.getElementById("memsite-fault");
    if (!text) {
      if (box) box.remove();
      return;
    }
    if (!box) {
      box = document.createElement("div");
      box.id = "memsite-fault";
      box.setAttribute("role", "alert");
      Object.assign(box.style, {
        position: "fixed", left: "1rem", right: "1rem", bottom: "1rem", zIndex: "9999", padding: "1rem",
        font: "14px/1.5 ui-monospace, monospace", whiteSpace: "pre-wrap", overflow: "auto", maxHeight: "50vh",
        color: "#fff", background: "#8b1a1a", borderRadius: "8px",
      });
      document.body.append(box);
    }
    box.textContent = text;
  }

  function listen() {
    if (events) return;
    events = new EventSource(eventsUrl + "?page=" + encodeURIComponent(decodeURIComponent(location.pathname)));
    events.addEventListener("site", (message) => {
      const state = JSON.parse(message.data);
      if (state.version === version) show(state.fault);
      else {
        version = state.version;
        reload();
      }
    });
  }

  function leave() {
    if (events) events.close();
    events = undefined;
  }

  // A browser keeps about six connections to a host: a page that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", () => document.hidden || listen());
  if (document.readyState === "complete") restore();
  else addEventListener("load", restore);
  if (!document.hidden) listen();
})();
