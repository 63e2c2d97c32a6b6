/* search.js: search in the sharded index that memsite/pages/search.py writes. Loaded when it is used. */
(function () {
  "use strict";
  const waiting = new Map();
  const shards = new Map();
  let tools;
  let index;

  /* Shards call this as they arrive. */
  function memsiteSearch(kind, key, value) {
    shards.set(`${kind}/${key}`, value);
  }
  memsiteSearch.ready = async function (given) {
    tools = given;
    if (!index) {
      await tools.load("search/index.js");
      index = shards.get("index/0");
      index.starts = [];
      let total = 0;
      for (const size of index.sizes) { index.starts.push(total); total += size; }
      index.total = total;
    }
    return { mount, document: documentAt, find };
  };
  window.memsiteSearch = memsiteSearch;

  async function shard(kind, key) {
    const name = `${kind}/${key}`;
    if (!shards.has(name)) {
      if (!waiting.has(name)) waiting.set(name, tools.load(`search/${name}.js`));
      await waiting.get(name);
    }
    return shards.get(name);
  }

  /* Words, cut as the index cuts them. */
  const CJK = /([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]+)/u;
  const fold = (text) => text.normalize("NFKD").replace(/\p{Mn}/gu, "").normalize("NFC").toLowerCase();
  function words(text) {
    const found = [];
    for (const word of fold(text).match(/[\p{L}\p{N}]+/gu) || []) {
      word.split(CJK).forEach(function (run, place) {
        if (!run) return;
        const chars = Array.from(run);
        if (place % 2 === 0) found.push(chars.slice(0, 40).join(""));
        else if (chars.length === 1) found.push(run);
        else for (let i = 0; i + 1 < chars.length; i++) found.push(chars[i] + chars[i + 1]);
      });
    }
    if (found.length) return found;
    return Array.from(new Set(text.replace(/\s/g, "")));
  }

  /* Python compares strings by code points, JavaScript by code units. */
  function before(a, b) {
    const x = Array.from(a), y = Array.from(b);
    for (let i = 0; i < x.length && i < y.length; i++) {
      const gap = x[i].codePointAt(0) - y[i].codePointAt(0);
      if (gap) return gap < 0;
    }
    return x.length < y.length;
  }
  function place(term) {
    let low = 0, high = index.terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(term, index.terms[middle])) high = middle; else low = middle + 1;
    }
    return Math.max(0, low - 1);
  }

  function decode(text) {
    const postings = new Map();
    let size = 0;
    if (text[0] === "!") {
      const end = text.indexOf("!", 1);
      size = Number(text.slice(1, end));
      text = text.slice(end + 1);
    }
    let number = -1;
    for (const part of text.matchAll(/([0-9a-z]+)([A-Z])/g)) {
      number += parseInt(part[1], 36) + 1;
      postings.set(number, part[2].charCodeAt(0) - 64);
    }
    return { postings, size: size || postings.size, cut: size > 0 };
  }

  /* The terms that a word stands for: itself, or all that begin with it. */
  async function expansions(word, isPrefix) {
    const found = [];
    const first = place(word);
    for (let number = first; number < Math.min(first + (isPrefix ? Math.min(3, word.length) : 1), index.terms.length); number++) {
      if (number > first && !index.terms[number].startsWith(word)) break;
      const pairs = await shard("t", number);
      for (let i = 0; i < pairs.length; i += 2) {
        if (pairs[i] === word || isPrefix && pairs[i].startsWith(word)) found.push([pairs[i], pairs[i + 1]]);
      }
    }
    return found;
  }

  /* Edit distance with neighbours swapped, given up above `most`. */
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let older = [], old = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      let least = i;
      for (let j = 1; j <= b.length; j++) {
        let cost = Math.min(old[j] + 1, row[j - 1] + 1, old[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, older[j - 2] + 1);
        row.push(cost);
        least = Math.min(least, cost);
      }
      if (least > most) return most + 1;
      older = old;
      old = row;
    }
    return old[b.length];
  }
  async function forgiven(word) {
    if (word.length < 4 || CJK.test(word)) return [];
    const most = word.length > 7 ? 2 : 1;
    const near = [];
    for (const length of index.lengths) {
      if (Math.abs(length - word.length) > most) continue;
      for (const other of await shard("w", length)) {
        const gap = distance(word, other, most);
        if (gap <= most) near.push([gap, other]);
      }
    }
    near.sort((a, b) => a[0] - b[0]);
    return near.slice(0, 4).map((pair) => pair[1]);
  }

  async function weigh(word, isPrefix) {
    let terms = await expansions(word, isPrefix);
    let share = 1;
    if (!terms.length) {
      share = 0.7;
      for (const other of await forgiven(word)) terms = terms.concat(await expansions(other, false));
    }
    const scores = new Map();
    let cut = false;
    for (const [term, text] of terms) {
      const { postings, size, cut: isCut } = decode(text);
      const rarity = Math.log(1 + index.total / size) * share * (term === word ? 1 : 0.8);
      cut = cut || isCut;
      for (const [number, level] of postings) scores.set(number, Math.max(scores.get(number) || 0, level * rarity));
    }
    return { scores, cut, terms: terms.map((pair) => pair[0]) };
  }

  /* Documents that match, best first. A word in nearly every note cannot exclude one. */
  async function find(query, filters) {
    const list = Array.from(new Set(words(query)));
    const isPrefix = /[\p{L}\p{N}]$/u.test(query);
    const allowed = await narrowed(filters || {});
    const total = new Map();
    const matched = [];
    let needed = 0;
    for (const [number, word] of list.slice(0, 8).entries()) {
      const { scores, cut, terms } = await weigh(word, isPrefix && number === list.length - 1);
      matched.push(word, ...terms);
      if (!cut && scores.size) needed += 1;
      for (const [document, score] of scores) {
        if (allowed && !allowed.has(document)) continue;
        const sum = total.get(document) || { score: 0, words: 0 };
        sum.score += score;
        if (!cut) sum.words += 1;
        total.set(document, sum);
      }
    }
    if (!list.length && allowed) for (const document of allowed) total.set(document, { score: 0, words: 0 });
    const most = Math.max(0, ...Array.from(total.values(), (sum) => sum.words));
    const hits = Array.from(total).filter(([, sum]) => sum.words === most && (most === needed || sum.words > 0 || !needed));
    hits.sort((a, b) => b[1].score - a[1].score || a[0] - b[0]);
    return { numbers: hits.map((hit) => hit[0]), terms: matched };
  }
  async function narrowed(filters) {
    let allowed = null;
    for (const [facet, value] of Object.entries(filters)) {
      if (!value) continue;
      const term = "\u0001" + facet + value.normalize("NFC").toLowerCase();
      const found = await expansions(term, false);
      const numbers = new Set(found.length ? decode(found[0][1]).postings.keys() : []);
      allowed = allowed ? new Set(Array.from(allowed).filter((number) => numbers.has(number))) : numbers;
    }
    return allowed;
  }

  const named = ([url, title, store, type, date, tags, text]) => ({ url, title, store, type, date, tags, text });
  async function documentOf(number) {
    let place = index.starts.length - 1;
    while (place > 0 && index.starts[place] > number) place--;
    return named((await shard("d", place))[number - index.starts[place]]);
  }
  async function documentAt(address) {
    const base = new URL(tools.root || "./", location.href).href;
    if (!address.startsWith(base)) return null;
    const url = address.slice(base.length).replace(/\?.*/, "");
    let hash = 0x811c9dc5;
    for (const char of url) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
    const rows = await shard("d", hash % index.sizes.length);
    const row = rows.find((one) => one[0] === url);
    return row ? named(row) : null;
  }

  /* The piece of a text around the first hit, cut into plain and marked runs. */
  function excerpt(text, terms, size) {
    const wanted = Array.from(new Set(terms)).filter(Boolean).sort((a, b) => b.length - a.length).slice(0, 12);
    const marks = hits(text, wanted);
    let start = Math.max(0, (marks.length ? marks[0][0] : 0) - 60);
    if (start) start = Math.max(start, text.indexOf(" ", start) + 1 <= marks[0][0] ? text.indexOf(" ", start) + 1 : 0);
    let end = Math.min(text.length, start + size);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), end - 20);
    const runs = [[start ? "…" : "", false]];
    let at = start;
    for (const [from, to] of marks) {
      if (to > end) break;
      if (from < at) continue;
      runs.push([text.slice(at, from), false], [text.slice(from, to), true]);
      at = to;
    }
    runs.push([text.slice(at, end) + (end < text.length ? "…" : ""), false]);
    return runs;
  }
  function hits(text, wanted) {
    let plain = "";
    const origin = [];
    let position = 0;
    for (const char of text) {
      const simple = fold(char);
      for (let i = 0; i < simple.length; i++) origin.push(position);
      plain += simple;
      position += char.length;
    }
    origin.push(position);
    const found = [];
    const isWord = (char) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
    for (const term of wanted) {
      for (let at = plain.indexOf(term); at >= 0 && found.length < 60; at = plain.indexOf(term, at + term.length)) {
        if (!CJK.test(term) && isWord(term[0]) && isWord(plain[at - 1])) continue;
        found.push([origin[at], origin[at + term.length]]);
      }
    }
    return found.sort((a, b) => a[0] - b[0]);
  }

  /* The field, the filters and the list. */
  function mount(container, { texts, short }) {
    const { make, root } = tools;
    const PAGE = short ? 7 : 10;
    const field = make("input", { type: "search", class: "ms-field", "aria-label": texts.search_label, placeholder: texts.search_label, autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
    const said = make("p", { class: "ms-quiet ms-said", role: "status", "aria-live": "polite", text: texts.search_start });
    const list = make("ol", { class: "ms-results" });
    const more = make("button", { type: "button", class: "ms-button", text: texts.search_more });
    more.hidden = true;
    const choices = { s: choice(texts.column_store, index.stores), t: choice(texts.column_type, index.types), g: choice(texts.tag, index.tags) };
    const bar = make("div", { class: "ms-choices" }, ...Object.values(choices).filter((select) => select.options.length > 2));
    container.append(make("div", { class: "ms-search-bar" }, field), ...(short ? [] : [bar]), said, list, more);
    let turn = 0;
    let found = { numbers: [], terms: [] };

    function choice(label, names) {
      const select = make("select", { "aria-label": label });
      select.append(make("option", { value: "", text: `${label}: ${texts.search_all}` }), ...names.map((name) => make("option", { value: name, text: name })));
      return select;
    }
    async function show(from) {
      const mine = turn;
      const documents = await Promise.all(found.numbers.slice(from, from + PAGE).map(documentOf));
      if (mine !== turn) return;
      if (!from) list.replaceChildren();
      list.append(...documents.map(entry));
      more.hidden = from + PAGE >= found.numbers.length;
    }
    function entry(document) {
      const link = make("a", { href: root + document.url, dir: "auto" });
      marked(link, excerpt(document.title, found.terms, 200));
      const about = make("p", { class: "ms-result-about" }, ...[document.store, document.type, document.date].filter(Boolean).map((value) => make("span", { text: value, dir: "auto" })));
      const body = make("p", { class: "ms-result-text", dir: "auto" });
      marked(body, excerpt(document.text, found.terms, short ? 130 : 220));
      return make("li", {}, link, about, body);
    }
    function marked(parent, runs) {
      for (const [run, isHit] of runs) if (run) parent.append(isHit ? make("mark", { text: run }) : run);
    }
    async function search() {
      const mine = ++turn;
      const query = field.value.trim();
      const filters = { s: choices.s.value, t: choices.t.value, g: choices.g.value };
      if (!short) remember(query);
      if (!query && !Object.values(filters).some(Boolean)) {
        found = { numbers: [], terms: [] };
        said.textContent = texts.search_start;
        list.replaceChildren();
        more.hidden = true;
        return;
      }
      const result = await find(query, filters);
      if (mine !== turn) return;
      found = result;
      said.textContent = found.numbers.length ? texts.search_some.replace("{n}", found.numbers.length) : texts.search_none.replace("{query}", query);
      await show(0);
    }
    function remember(query) {
      try { history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname); } catch (blocked) { /* from a disk */ }
    }
    let timer;
    field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 180); });
    for (const select of Object.values(choices)) select.addEventListener("change", search);
    more.addEventListener("click", () => show(list.children.length));
    container.addEventListener("keydown", function (event) {
      const links = [field, ...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && at >= 0 && links[at + step]) { event.preventDefault(); links[at + step].focus(); }
      else if (event.key === "Enter" && document.activeElement === field && links[1]) { event.preventDefault(); links[1].click(); }
    });
    if (!short) {
      const query = new URLSearchParams(location.search).get("q");
      if (query) { field.value = query; search(); }
      field.focus({ preventScroll: true });
    }
  }
}());
