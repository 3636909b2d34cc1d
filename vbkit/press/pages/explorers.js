// Explorers without a kernel: controls over recorded pictures, whose form vbkit/press/recording.py says. A page holds <figure data-explorer="NAME"
// data-recording="FILE"> with the still picture; the recording is a script, loaded when the reader comes near, or the
// text of an element of the page (data-recording="#NAME").
"use strict";

const vbkit = (() => {
  const waiting = {};
  const narrow = matchMedia("(max-width: 40rem)");
  const words = {
    old: "This browser cannot unpack the recording, so the picture stands still.",
    missing: "The recording is missing, so the picture stands still.",
    damaged: "The recording is damaged, so the picture stands still.",
  };

  function make(tag, attributes, ...inside) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  }

  const unpacks = (() => {
    try {
      return Boolean(new DecompressionStream("deflate-raw"));
    } catch {
      return false;
    }
  })();

  function say(figure, why) {
    figure.append(make("p", { class: "note" }, words[why]));
    figure.dataset.explorer = "still";
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  }

  const sums = (steps) => {
    let sum = 0;
    return Int32Array.from(steps, (step) => (sum += step));
  };

  // The drawing: one group of SVG per artist, replaced where its piece is another one.
  function easel(name, recording) {
    const columns = recording.frames.map(sums);
    const prefix = `${name.replace(/\W/g, "-")}-`; // ids are the explorer's own on a page of several
    const own = (text) => text.replace(/(\bid="|href="#|url\(#)/g, `$1${prefix}`);
    const [width, height] = recording.size;
    const picture = make("div", { class: "picture", role: "img", "aria-label": recording.alt });
    const groups = "<g></g>".repeat(columns.length);
    let slots = [], shown = [], last = 0;
    const draw = (frame) => columns.forEach((column, slot) => {
      last = frame;
      if (shown[slot] === column[frame]) return;
      shown[slot] = column[frame];
      for (const group of slots[slot]) group.innerHTML = shown[slot] < 0 ? "" : own(recording.pieces[shown[slot]]);
    });
    // On a narrow page its panels stand one below the other, each a view of the same drawing, so that letters stay legible.
    const arrange = () => {
      const views = narrow.matches && !document.querySelector(".reveal") ? recording.columns : [[0, width]];
      picture.innerHTML = views.map(([left, wide], n) => `<svg viewBox="${left} 0 ${wide} ${height}">
        <defs>${n ? "" : own(recording.defs)}</defs><g>${groups}</g></svg>`).join("");
      const drawn = [...picture.querySelectorAll("svg > g")];
      slots = columns.map((_, slot) => drawn.map((group) => group.children[slot]));
      shown = columns.map(() => -1);
      draw(last);
    };
    narrow.addEventListener("change", arrange);
    arrange();
    return { picture, draw };
  }

  // One control: what to put on the page, and how to show a position.
  function lever(id, control, get, set) {
    const last = control.texts.length - 1;
    const label = make("label", { for: id }, control.label);
    if (control.kind !== "slider") {
      const options = control.texts.map((text, place) => make("option", { value: place }, text));
      const menu = make("select", { id }, ...options);
      menu.addEventListener("input", () => set(+menu.value));
      return { box: make("div", { class: "control" }, label, menu), put: () => { menu.value = get(); }, stop() {} };
    }
    const range = make("input", { id, type: "range", min: 0, max: last, step: 1 });
    const value = make("output", { for: id });
    const put = () => {
      range.value = get();
      value.textContent = control.texts[get()];
      range.setAttribute("aria-valuetext", value.textContent);
    };
    range.addEventListener("input", () => set(+range.value));
    const row = [range, value];
    let timer = 0, stop = () => {};
    if (control.play) {
      const button = make("button", { type: "button", "aria-label": `Play ${control.label}` }, "▶");
      stop = () => { clearInterval(timer); timer = 0; button.textContent = "▶"; };
      const step = () => (get() < last ? set(get() + 1) : stop());
      button.addEventListener("click", () => {
        if (timer) return stop();
        if (get() === last) set(0);
        button.textContent = "❚❚";
        timer = setInterval(step, control.play);
      });
      range.addEventListener("pointerdown", () => stop());
      row.unshift(button);
    }
    return { box: make("div", { class: "control" }, label, make("div", { class: "row" }, ...row)), put, stop: () => stop() };
  }

  function show(figure, name, recording) {
    const { controls, readings } = recording;
    const said = sums(recording.said), place = controls.map((control) => control.first);
    const { picture, draw } = easel(name, recording);
    const line = make("p", { class: "reading", role: "status" });
    const refresh = () => {
      const frame = place.reduce((at, here, n) => at * controls[n].texts.length + here, 0);
      draw(frame);
      line.textContent = readings[said[frame]];
    };
    const levers = controls.map((control, n) => {
      const set = (to) => { place[n] = to; levers[n].put(); refresh(); };
      return lever(`${name.replace(/\W/g, "-")}-${n}`, control, () => place[n], set);
    });
    const home = () => {
      controls.forEach((control, n) => { place[n] = control.first; levers[n].stop(); levers[n].put(); });
      refresh();
    };
    const reset = make("button", { type: "button" }, "Reset");
    reset.addEventListener("click", home);
    const thinned = controls.some((control) => control.texts.length < control.all);
    const some = thinned ? " Some positions are left out here; the notebook, once it has run, has them all." : "";
    const live = make("div", { class: "live" },
      make("p", { class: "title" }, recording.title),
      make("div", { class: "levers" }, ...levers.map(({ box }) => box), reset),
      picture, line, make("p", { class: "note" }, `Recorded pictures.${some} `, ...alone(figure, name)));
    home();
    figure.append(live);
    figure.dataset.explorer = "live";
    document.dispatchEvent(new Event("live"));
  }

  // Whether the page itself holds the recording, as a text.
  const inside = (figure) => figure.dataset.recording.startsWith("#");

  // A link to the page on which the explorer stands alone, unless this is it.
  function alone(figure, name) {
    if (inside(figure) || document.body.classList.contains("alone")) return [];
    const href = figure.dataset.recording.replace(/assets\/explorers\/.*/, `explorers/${name}.html`);
    return [make("a", { href }, "Show it alone")];
  }

  // A recording calls this when its script runs.
  async function arrived(name, text) {
    const figure = waiting[name];
    delete waiting[name];
    try {
      show(figure, name, await unpack(text));
    } catch {
      say(figure, "damaged");
    }
  }

  function load(figure) {
    waiting[figure.dataset.explorer] = figure;
    if (inside(figure)) {
      document.head.append(make("script", {}, document.querySelector(`[id="${figure.dataset.explorer}"]`).textContent));
      return;
    }
    const script = make("script", { src: figure.dataset.recording });
    script.addEventListener("error", () => say(figure, "missing"));
    script.addEventListener("load", () => { if (waiting[figure.dataset.explorer] === figure) say(figure, "damaged"); });
    document.head.append(script);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const figures = document.querySelectorAll("figure[data-explorer]");
    if (!unpacks || !("IntersectionObserver" in window)) return figures.forEach((figure) => say(figure, "old"));
    const near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        // of a figure that comes, goes and comes again several entries may arrive at once
        if (isIntersecting && observed.delete(target)) { near.unobserve(target); load(target); }
      }
    }, { rootMargin: "800px" });
    const observed = new Set(figures);
    figures.forEach((figure) => near.observe(figure));
  });
  return { arrived };
})();
