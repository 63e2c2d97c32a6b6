/* memsite.js: what the pages do beyond being read. Everything works without it but the theme switch,
   the shortcuts, copying, sorting, previews and search. Text of notes is only ever put in as text. */
(function () {
  "use strict";
  const html = document.documentElement;
  const root = html.dataset.root || "";
  const texts = window.memsiteTexts || {};
  const here = document.currentScript ? document.currentScript.src : "";

  /* Theme: before anything is painted. */
  const themes = ["auto", "light", "dark"];
  function theme(name) {
    if (name === "auto") delete html.dataset.theme; else html.dataset.theme = name;
    document.dispatchEvent(new CustomEvent("ms-theme"));
  }
  function remembered() {
    try { return localStorage.getItem("ms-theme") || "auto"; } catch (blocked) { return "auto"; }
  }
  if (themes.includes(remembered())) theme(remembered());

  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const one = (selector, within) => (within || document).querySelector(selector);
  function make(name, properties, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
      if (key === "text") element.textContent = value;
      else if (key === "class") element.className = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  /* Scripts of the site, loaded once each: fetch does not work from a disk, these do. */
  const loaded = new Map();
  function load(url) {
    if (!loaded.has(url)) {
      loaded.set(url, new Promise(function (done, failed) {
        const script = make("script", { src: new URL(url, here ? new URL("../", here) : location.href).href });
        script.onload = () => done();
        script.onerror = () => { loaded.delete(url); failed(new Error(url)); };
        document.head.append(script);
      }));
    }
    return loaded.get(url);
  }
  const searching = () => load("static/search.js").then(() => window.memsiteSearch.ready({ load, make, root }));

  let status;
  let hush;
  function say(words) {
    status.textContent = words;
    status.classList.add("ms-shown");
    clearTimeout(hush);
    hush = setTimeout(() => status.classList.remove("ms-shown"), 1600);
  }

  function copy(text, button) {
    const done = function () {
      say(texts.copied);
      button.classList.add("ms-done");
      setTimeout(() => button.classList.remove("ms-done"), 1600);
    };
    const byHand = function () {
      const field = make("textarea", { class: "ms-unseen", "aria-hidden": "true" });
      field.value = text;
      document.body.append(field);
      field.select();
      if (document.execCommand("copy")) done();
      field.remove();
      button.focus();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand); else byHand();
  }

  function copying() {
    for (const block of all(".ms-body pre")) {
      const button = make("button", { class: "ms-copy", type: "button", "aria-label": texts.copy_code });
      const code = one("code", block) || block;
      button.addEventListener("click", () => copy(code.textContent, button));
      const frame = block.closest(".highlight") || block.parentElement;
      if (frame.classList.contains("highlight")) frame.append(button); else block.append(button);
    }
    for (const code of all("[data-copy]")) {
      const button = make("button", { class: "ms-copy", type: "button", "aria-label": `${texts.copy}: ${code.dataset.copy}` });
      button.addEventListener("click", () => copy(code.textContent, button));
      code.after(button);
    }
  }

  function headings() {
    for (const heading of all(".ms-article .ms-body :is(h1, h2, h3, h4, h5, h6)[id]")) {
      if (heading.closest(".ms-embed")) continue;
      const name = `${texts.section_link}: ${heading.textContent}`;
      heading.append(make("a", { class: "ms-anchor", href: "#" + encodeURIComponent(heading.id), "aria-label": name, text: "#" }));
    }
  }

  /* Contents: the last heading above the upper third is where the reader is. */
  function contents() {
    const links = new Map();
    for (const link of all(".ms-contents a")) {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (target) links.set(target, link);
    }
    if (!links.size) return;
    const list = one(".ms-contents ol");
    const body = one(".ms-article .ms-body");
    if (body && links.size > 2) {
      /* Where there is no column beside the text the contents fold away above it. */
      const folded = make("details", { class: "ms-folded" }, make("summary", { class: "ms-label", text: texts.contents }), list.cloneNode(true));
      folded.addEventListener("click", (event) => { if (event.target.closest("a")) folded.open = false; });
      body.before(folded);
    }
    let current;
    let waiting = false;
    function mark() {
      waiting = false;
      let now;
      for (const target of links.keys()) if (target.getBoundingClientRect().top < innerHeight / 3) now = target;
      const link = links.get(now);
      if (link === current) return;
      if (current) current.removeAttribute("aria-current");
      current = link;
      if (!link) return;
      link.setAttribute("aria-current", "location");
      const column = link.closest(".ms-aside");
      if (column && column.scrollHeight > column.clientHeight && getComputedStyle(column).position === "sticky") {
        const gap = link.getBoundingClientRect().top - column.getBoundingClientRect().top;
        if (gap < 40 || gap > column.clientHeight - 60) column.scrollTop += gap - column.clientHeight / 3;
      }
    }
    addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(mark); } }, { passive: true });
    mark();
  }

  /* Tables: a button in each heading sorts, a field above filters. */
  function tables() {
    for (const table of all("table[data-ms='table']")) {
      const body = table.tBodies[0];
      const rows = Array.from(body.rows);
      if (rows.length < 2) continue;
      all("th", table).forEach(function (head, column) {
        const button = make("button", { type: "button", text: head.textContent, title: texts.sort_hint });
        head.replaceChildren(button);
        button.addEventListener("click", function () {
          const ascending = head.getAttribute("aria-sort") !== "ascending";
          for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
          const isNumber = head.classList.contains("ms-number");
          const key = (row) => row.cells[column].textContent.trim();
          const value = isNumber ? (row) => Number(key(row).replace(/[^\d.-]/g, "")) : key;
          const collator = new Intl.Collator(undefined, { numeric: true });
          const compare = isNumber ? (a, b) => a[0] - b[0] : (a, b) => collator.compare(a[0], b[0]);
          const sorted = rows.map((row) => [value(row), row]).sort(compare);
          if (!ascending) sorted.reverse();
          body.append(...sorted.map((pair) => pair[1]));
        });
      });
      if (rows.length > 7) filter(table.closest(".ms-scroll") || table, rows);
    }
    for (const list of all("[data-ms='filter']")) if (list.children.length > 15) filter(list, Array.from(list.children));
  }

  function filter(before, members) {
    const field = make("input", { type: "search", "aria-label": texts.filter, placeholder: texts.filter, autocomplete: "off" });
    const none = make("span", { class: "ms-quiet", role: "status" });
    before.before(make("div", { class: "ms-filter" }, field, none));
    const words = members.map((member) => member.textContent.toLowerCase());
    field.addEventListener("input", function () {
      const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      members.forEach(function (member, place) {
        member.hidden = !wanted.every((word) => words[place].includes(word));
        shown += member.hidden ? 0 : 1;
      });
      none.textContent = wanted.length ? (shown ? `${shown} / ${members.length}` : texts.filter_none) : "";
    });
  }

  /* Wide things that scroll sideways must be reachable by keyboard. */
  function scrollers() {
    for (const box of all(".table-scroll, .ms-body pre, .math-block")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    }
  }

  /* Previews: the beginning of the page a link leads to, read from that page. */
  const peeks = new Map();
  function peek(link) {
    const url = link.href.split("#")[0];
    if (!peeks.has(url)) peeks.set(url, (location.protocol === "file:" ? fromIndex(url) : fromPage(url)).catch(() => null));
    return peeks.get(url);
  }
  async function fromPage(url) {
    const answer = await fetch(url, { credentials: "same-origin" });
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const title = one(".ms-title h1", page);
    if (!title) return null;
    const text = (element) => element.textContent.replace(/\s+/g, " ").trim();
    const parts = all(".ms-body > *, .ms-mentions > li", page).map((element) => ({ id: element.id, text: text(element) }));
    return { title: text(title), parts };
  }
  async function fromIndex(url) {
    const found = await (await searching()).document(url);
    return found && { title: found.title, parts: [{ id: "", text: found.text }] };
  }

  function previews() {
    if (!matchMedia("(hover: hover)").matches && !matchMedia("(any-pointer: fine)").matches) return;
    let box;
    let timer;
    let owner;
    const isInternal = (link) => !link.rel && !link.classList.contains("ms-anchor") && link.pathname !== location.pathname && link.protocol === location.protocol && link.pathname.endsWith(".html");
    function close() {
      clearTimeout(timer);
      if (box) box.remove();
      if (owner) owner.removeAttribute("aria-describedby");
      box = owner = undefined;
    }
    async function open(link) {
      const found = await peek(link);
      if (!found || owner !== link) return;
      const hash = decodeURIComponent(link.hash.slice(1));
      const from = Math.max(0, hash ? found.parts.findIndex((part) => part.id === hash) : 0);
      const lines = [];
      let size = 0;
      for (const part of found.parts.slice(from)) {
        if (size > 420) break;
        if (part.text) lines.push(part.text.length > 420 ? part.text.slice(0, 420) + "…" : part.text);
        size += part.text.length;
      }
      box = make("div", { class: "ms-preview", id: "ms-preview", role: "tooltip", dir: "auto" }, make("h2", { text: found.title, dir: "auto" }), ...lines.map((text) => make("p", { text, dir: "auto" })));
      box.addEventListener("pointerenter", () => clearTimeout(timer));
      box.addEventListener("pointerleave", () => { timer = setTimeout(close, 150); });
      document.body.append(box);
      link.setAttribute("aria-describedby", "ms-preview");
      const place = link.getBoundingClientRect();
      const below = place.bottom + 8 + box.offsetHeight < innerHeight || place.top < box.offsetHeight + 8;
      box.style.setProperty("top", `${below ? place.bottom + 8 : place.top - 8 - box.offsetHeight}px`);
      box.style.setProperty("left", `${Math.max(12, Math.min(place.left, innerWidth - box.offsetWidth - 12))}px`);
    }
    function soon(event, wait) {
      const link = event.target.closest && event.target.closest("a[href]");
      if (!link || link === owner || !link.closest(".ms-main") || !isInternal(link)) return;
      close();
      owner = link;
      timer = setTimeout(() => open(link), wait);
    }
    document.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") soon(event, 350); });
    document.addEventListener("pointerout", function (event) {
      if (owner && event.target.closest("a") === owner) { clearTimeout(timer); timer = setTimeout(close, 200); }
    });
    document.addEventListener("focusin", function (event) { if (event.target.matches(":focus-visible")) soon(event, 550); });
    document.addEventListener("focusout", close);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    addEventListener("scroll", () => { if (owner && !owner.matches(":hover")) close(); }, { passive: true });
  }

  /* Search: a dialog over any page; the search page has the same in itself. */
  let palette;
  async function search() {
    const page = one("[data-ms='search-page']");
    if (page) { const field = one("input", page); if (field) { field.focus(); field.select(); } return; }
    if (!palette) {
      palette = make("dialog", { class: "ms-palette", "aria-label": texts.search_label });
      document.body.append(palette);
      palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
      (await searching()).mount(palette, { texts, short: true });
    }
    if (!palette.open) palette.showModal();
    const field = one("input", palette);
    if (field) { field.focus(); field.select(); }
  }

  function switchTheme() {
    const next = themes[(themes.indexOf(remembered()) + 1) % themes.length];
    try { localStorage.setItem("ms-theme", next); } catch (blocked) { /* for this page only */ }
    theme(next);
    say({ auto: texts.theme_auto, light: texts.theme_light, dark: texts.theme_dark }[next]);
  }

  let helping;
  function help() {
    if (!helping) {
      const rows = [["/", "Ctrl K", texts.help_search], ["g", texts.help_graph], ["h", texts.help_home], ["n", texts.help_notes], ["e", texts.help_health], ["[", "]", texts.help_neighbours], ["t", texts.help_theme], ["?", texts.help_help], ["Esc", texts.help_close]];
      const list = make("dl", {});
      for (const keys of rows) {
        const term = make("dt", {});
        for (const key of keys.slice(0, -1)) term.append(make("kbd", { text: key }), " ");
        list.append(term, make("dd", { text: keys.at(-1) }));
      }
      const close = make("form", { method: "dialog" }, make("button", { class: "ms-button", text: texts.close }));
      helping = make("dialog", { class: "ms-help", "aria-labelledby": "ms-help" }, make("h2", { id: "ms-help", text: texts.help_title }), list, close);
      helping.addEventListener("click", (event) => { if (event.target === helping) helping.close(); });
      document.body.append(helping);
    }
    helping.showModal();
  }

  function shortcuts() {
    const go = (url) => () => { location.href = root + url; };
    const press = {
      "/": search, g: go("graph.html"), h: go("index.html"), n: go("notes.html"), e: go("health.html"), "[": ".ms-older", "]": ".ms-newer",
      t: switchTheme, "?": help,
    };
    document.addEventListener("keydown", function (event) {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") { event.preventDefault(); search(); return; }
      if (event.key === "Escape") { const drawer = document.getElementById("ms-drawer"); if (drawer) drawer.checked = false; return; }
      const typing = event.target.closest("input, textarea, select, [contenteditable], dialog[open]");
      if (event.ctrlKey || event.metaKey || event.altKey || typing || html.dataset.kind === "graph" && event.key !== "/" && event.key !== "?") return;
      const action = Object.hasOwn(press, event.key) ? press[event.key] : null;
      if (!action) return;
      event.preventDefault();
      if (typeof action === "function") action(); else { const link = one(action); if (link) link.click(); }
    });
    const opener = one(".ms-search-open");
    if (opener) opener.addEventListener("click", (event) => { event.preventDefault(); search(); });
    const tools = one(".ms-tools");
    if (!tools) return;
    for (const [name, title, action] of [["theme", texts.theme, switchTheme], ["help-open", `${texts.help} (?)`, help]]) {
      const button = make("button", { class: `ms-icon ms-${name}`, type: "button", title, "aria-label": title });
      button.addEventListener("click", action);
      tools.append(button);
    }
  }

  /* On a narrow screen a link in the drawer to the same page closes it. */
  function drawer() {
    const box = document.getElementById("ms-drawer");
    const nav = document.getElementById("ms-nav");
    if (!box || !nav) return;
    box.addEventListener("change", () => { if (box.checked) { const first = one("a", nav); if (first) first.focus(); } });
    nav.addEventListener("click", (event) => { if (event.target.closest("a")) box.checked = false; });
    const current = one("[aria-current]", nav);
    if (current && current.offsetTop + current.offsetHeight > nav.clientHeight) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
  }

  document.addEventListener("DOMContentLoaded", function () {
    status = document.getElementById("ms-status");
    copying();
    headings();
    shortcuts();
    tables();
    contents();
    scrollers();
    drawer();
    previews();
    const page = one("[data-ms='search-page']");
    if (page) searching().then((engine) => engine.mount(page, { texts, short: false }));
  });
}());
