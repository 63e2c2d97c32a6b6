/* The panel about the chosen node, and the search field of the graph. All text is set as text. */
(() => {
  "use strict";

  const { said, counted } = memsiteGraph;
  const texts = window.memsiteTexts;
  const SHOWN = 12; /* neighbours listed before "Show all" */

  /* An element with properties and children; strings become text nodes. */
  function el(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  class Panel {
    constructor(element, actions) {
      this.element = element;
      this.actions = actions;
      element.addEventListener("keydown", (event) => { if (event.key === "Escape") actions.close(); });
    }

    hide() {
      this.element.hidden = true;
      this.element.replaceChildren();
    }

    show(graph, node, known) {
      const held = this.element.contains(document.activeElement) ? document.activeElement.dataset.mgKeep : "";
      const { model } = graph;
      const url = graph.url(node);
      const stores = model.storeSets[graph.storeSet[node]].map((store) => model.stores[store]).join(", ");
      const title = el("h2", { id: "ms-graph-title", dir: "auto" }, graph.label(node));
      const close = el("button", { type: "button", className: "mg-close", ariaLabel: texts.close }, "×");
      close.addEventListener("click", () => this.actions.close());
      this.element.replaceChildren(
        el("div", { className: "mg-panel-head" }, title, close),
        el("p", { className: "mg-facts" }, ...[model.types[graph.type[node]], stores, known.day].filter(Boolean).map((fact) => el("span", { dir: "auto" }, fact))),
        known.excerpt ? el("p", { className: "mg-excerpt", dir: "auto" }, known.excerpt) : "",
        this.numbers(graph, node, known),
        this.buttons(url && (graph.kind[node] === 2 ? `#${url.split("#")[1]}` : known.place + url), known, graph.kind[node] === 2),
        known.way ? this.path(graph, known.way) : "",
        ...this.neighbours(graph, node),
        known.tags.length ? el("p", { className: "mg-tags" }, ...known.tags.slice(0, 16).map((tag) => el("span", { dir: "auto" }, `#${tag}`))) : "",
      );
      this.element.hidden = false;
      const again = held && [...this.element.querySelectorAll("button")].find((button) => button.dataset.mgKeep === held);
      if (again) again.focus();
    }

    numbers(graph, node, known) {
      const group = graph.model.communities[graph.community[node]];
      const rows = [[texts.graph_links, graph.degree(node)], [graph.kind[node] === 2 ? texts.graph_members : texts.column_mentions, known.mentions]];
      if (group) rows.push([texts.graph_group, group.name]);
      return el("dl", { className: "mg-numbers" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, String(value)))));
    }

    buttons(url, known, group) {
      const row = el("div", { className: "mg-actions" });
      if (url) row.append(el("a", { href: url, className: "mg-open" }, group ? texts.graph_show_group : texts.graph_open));
      const path = el("button", { type: "button", ariaPressed: String(known.picking) }, known.way ? texts.graph_path_other : texts.graph_path_to);
      path.dataset.mgKeep = "path";
      path.addEventListener("click", () => this.actions.pick());
      row.append(path);
      const depths = el("div", { className: "mg-depths", role: "group", ariaLabel: texts.graph_depths });
      for (const depth of [0, 1, 2, 3]) {
        const button = el("button", { type: "button", ariaPressed: String(known.depth === depth), ariaLabel: depth ? said(texts.graph_depth, { n: depth }) : texts.graph_fit }, depth ? String(depth) : texts.search_all);
        button.dataset.mgKeep = `depth-${depth}`;
        button.addEventListener("click", () => this.actions.depth(depth));
        depths.append(button);
      }
      return el("div", {}, row, el("div", { className: "mg-around" }, el("span", {}, texts.graph_expand), depths),
        known.picking ? el("p", { className: "mg-hint" }, texts.graph_other_end) : "");
    }

    path(graph, way) {
      if (!way.length) return el("p", { className: "mg-hint" }, texts.graph_no_path);
      const steps = way.length - 1;
      return el("section", { className: "mg-path" }, el("h3", {}, `${texts.graph_path}, ${counted(steps, texts.count_steps)}`),
        el("ol", {}, ...way.map((node) => this.row(graph, node, 0))));
    }

    row(graph, node, weight) {
      const button = el("button", { type: "button" }, el("span", { dir: "auto" }, graph.label(node)), weight > 1 ? el("span", { className: "mg-uses" }, `×${weight}`) : "");
      button.addEventListener("click", () => this.actions.choose(node));
      button.addEventListener("pointerenter", () => this.actions.hover(node));
      button.addEventListener("pointerleave", () => this.actions.hover(-1));
      return el("li", {}, button);
    }

    neighbours(graph, node) {
      const lists = { from: [], to: [], with: [] };
      graph.each(node, (other, edge) => {
        const code = graph.directionFrom(node, edge);
        if (code & 2) lists.from.push([other, graph.weight[edge]]);
        if (code & 1) lists.to.push([other, graph.weight[edge]]);
        if (!code) lists.with.push([other, graph.weight[edge]]);
      });
      const names = { from: texts.backlinks, to: texts.graph_to, with: texts.graph_with };
      return Object.entries(lists).filter(([, list]) => list.length).map(([kind, list]) => this.list(graph, names[kind], list));
    }

    list(graph, name, list) {
      list.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      const rows = el("ul", {}, ...list.slice(0, SHOWN).map(([node, weight]) => this.row(graph, node, weight)));
      const section = el("section", {}, el("h3", {}, name, el("span", { className: "mg-uses" }, String(list.length))), rows);
      if (list.length > SHOWN) {
        const more = el("button", { type: "button", className: "mg-more" }, said(texts.graph_show_all, { n: list.length }));
        more.addEventListener("click", () => {
          rows.append(...list.slice(SHOWN).map(([node, weight]) => this.row(graph, node, weight)));
          more.remove();
          rows.children[SHOWN].firstChild.focus();
        });
        section.append(more);
      }
      return section;
    }
  }

  /* A combobox: type, arrows through the list, Enter chooses, Esc closes. */
  class Search {
    constructor(input, list, actions) {
      Object.assign(this, { input, list, actions, found: [], at: -1 });
      input.addEventListener("focus", () => actions.ready());
      input.addEventListener("input", () => this.look());
      input.addEventListener("keydown", (event) => this.onKey(event));
      input.addEventListener("blur", () => this.close());
      list.addEventListener("pointerdown", (event) => event.preventDefault());
      list.addEventListener("click", (event) => {
        const row = event.target.closest("[role=option]");
        if (row?.dataset.at) this.take(Number(row.dataset.at));
      });
    }

    async look() {
      await this.actions.ready();
      const query = this.input.value;
      this.found = this.actions.find(query);
      this.list.replaceChildren(...this.found.map((node, at) => {
        const row = el("li", { role: "option", id: `ms-graph-result-${at}`, ariaSelected: "false" },
          el("span", { dir: "auto" }, this.actions.label(node)), el("span", { className: "mg-uses" }, this.actions.note(node)));
        row.dataset.at = String(at);
        return row;
      }));
      if (!this.found.length) this.list.append(el("li", { role: "option", ariaDisabled: "true" }, said(texts.search_none, { query: query.trim() })));
      this.list.hidden = !query.trim();
      this.input.setAttribute("aria-expanded", String(!this.list.hidden));
      this.mark(this.found.length ? 0 : -1);
      if (query.trim()) this.actions.say(this.found.length ? said(texts.search_some, { n: this.found.length }) : said(texts.search_none, { query: query.trim() }));
    }

    mark(at) {
      this.at = at;
      [...this.list.children].forEach((row, i) => { row.ariaSelected = String(i === at); });
      if (at >= 0) {
        this.input.setAttribute("aria-activedescendant", `ms-graph-result-${at}`);
        this.list.children[at].scrollIntoView({ block: "nearest" });
      } else this.input.removeAttribute("aria-activedescendant");
    }

    onKey(event) {
      const count = this.found.length;
      if (event.key === "ArrowDown" && count) this.mark((this.at + 1) % count);
      else if (event.key === "ArrowUp" && count) this.mark((this.at + count - 1) % count);
      else if (event.key === "Enter" && this.at >= 0) this.take(this.at);
      else if (event.key === "Escape" && !this.list.hidden) this.close();
      else return;
      event.preventDefault();
    }

    take(at) {
      const node = this.found[at];
      this.close();
      this.input.value = "";
      this.actions.choose(node);
    }

    close() {
      this.list.hidden = true;
      this.found = [];
      this.input.setAttribute("aria-expanded", "false");
      this.mark(-1);
    }
  }

  Object.assign(memsiteGraph, { Panel, Search });
})();
