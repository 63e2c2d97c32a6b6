/* diagrams-draw.js: inside the frame of diagrams.html. Takes the source of a diagram from the page around it
   and hands back an SVG document as text. Whatever a diagram brings along stays in here: the frame has no
   origin, may load nothing and is not seen; the page shows the answer as a picture, in which no script runs. */
(function () {
  "use strict";
  /* Two colours `rgb(r, g, b)` mixed: a share of the first. */
  function mixed(one, other, share) {
    const [a, b] = [one, other].map((colour) => colour.match(/[\d.]+/g).map(Number));
    return `rgb(${[0, 1, 2].map((part) => Math.round(a[part] * share + b[part] * (1 - share))).join(", ")})`;
  }

  /* Where Mermaid counts colours through, as in pies, mind maps and branches, it gets those of the site. */
  function series(look) {
    const found = { pieOpacity: "1", pieStrokeColor: look.paper, pieOuterStrokeColor: look.line, pieSectionTextColor: look.ink, pieLegendTextColor: look.ink, pieTitleTextColor: look.ink };
    for (let place = 0; place < 12; place += 1) {
      const tone = look.tones[place % look.tones.length];
      const pale = mixed(tone, look.paper, place < look.tones.length ? .32 : .5);
      Object.assign(found, { [`pie${place + 1}`]: pale, [`cScale${place}`]: pale, [`cScaleLabel${place}`]: look.ink, [`cScalePeer${place}`]: tone });
      if (place < 8) Object.assign(found, { [`git${place}`]: tone, [`gitBranchLabel${place}`]: look.paper });
    }
    return found;
  }

  function colours(look) {
    mermaid.initialize({
      secure: ["secure", "securityLevel", "startOnLoad", "suppressErrorRendering", "maxTextSize", "maxEdges", "htmlLabels", "theme", "themeCSS", "themeVariables", "darkMode", "fontFamily"],
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      maxTextSize: 50000,
      maxEdges: 500,
      theme: "base",
      htmlLabels: false,
      fontFamily: look.font,
      themeVariables: {
        darkMode: look.dark, background: look.paper, fontFamily: look.font, fontSize: "15px",
        primaryColor: look.wash, primaryTextColor: look.ink, primaryBorderColor: look.accent,
        secondaryColor: look.panel, secondaryTextColor: look.ink, secondaryBorderColor: look.line,
        tertiaryColor: look.panel, tertiaryTextColor: look.ink, tertiaryBorderColor: look.line,
        lineColor: look.soft, textColor: look.ink, titleColor: look.ink, edgeLabelBackground: look.paper,
        noteBkgColor: look.mark, noteTextColor: look.ink, noteBorderColor: look.line,
        ...series(look),
      },
    });
  }

  /* As a document of its own: markup of HTML inside labels is made XML, and the size is said in numbers. */
  function picture(markup) {
    const holder = document.createElement("div");
    holder.innerHTML = markup;
    const drawing = holder.querySelector("svg");
    const [, , width, height] = (drawing.getAttribute("viewBox") || "0 0 640 400").split(/[\s,]+/).map(Number);
    drawing.setAttribute("width", width);
    drawing.setAttribute("height", height);
    drawing.style.removeProperty("max-width");
    const named = (name) => { const found = drawing.querySelector(`:scope > ${name}`); return found ? found.textContent : ""; };
    return { svg: new XMLSerializer().serializeToString(drawing), width, height, title: named("title"), said: named("desc") };
  }

  /* A label is text: of HTML only the line break is left, so that Mermaid has none to make safe. */
  function textual(source) {
    const closed = source.replace(/(?<!<)<(?!br\s*\/?>)([a-z/!?][^<>\n]*)>/gi, "#lt;$1#gt;");
    return closed.replace(/(?<!<)<(?!br\s*\/?>)(?=[a-z/!?])/gi, "#lt;");
  }

  let last = Promise.resolve();
  addEventListener("message", function (event) {
    if (event.source !== parent) return;
    const { place, text, look } = event.data;
    last = last.then(async function () {
      let answer;
      try {
        colours(look);
        answer = picture((await mermaid.render(`diagram-${place}`, textual(text))).svg);
      } catch (fault) {
        answer = { fault: String(fault && fault.message || fault).slice(0, 500) };
      }
      document.body.replaceChildren();
      parent.postMessage({ place, ...answer }, "*");
    });
  });
  parent.postMessage({ ready: true }, "*");
}());
