// What JupyterLite's pages of notebooks need beside its own: explorers that slide before they run, and links.
"use strict";

const site = new URL("../", document.currentScript.src);

// An explorer that has not run is a figure with a still picture, titled by its name. The book's page of this explorer
// takes the picture's place: it slides through what was recorded, and needs no kernel.
function slide(figure) {
  const still = figure.querySelector("img");
  const frame = document.createElement("iframe");
  frame.src = new URL(`book/explorers/${figure.title}.html`, site);
  frame.title = "An explorer";
  frame.loading = "lazy";
  const [width, height] = ["width", "height"].map((side) => still.getAttribute(side));
  frame.style = `display: block; width: 100%; border: 0; aspect-ratio: ${width} / ${height}`;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    page.body.classList.add("framed");
    const light = document.body.dataset.jpThemeLight !== "false";
    page.documentElement.classList.toggle("light", light); // as the notebook around it, not as the system
    frame.title = page.title;
    const fit = () => {
      const high = page.documentElement.offsetHeight;
      if (high) frame.style.height = `${high}px`; // JupyterLab hides what is far from the window: it has no height
    };
    new ResizeObserver(fit).observe(page.documentElement);
  });
  figure.style.margin = 0;
  figure.removeAttribute("title"); // it would be shown beside the mouse
  figure.replaceChildren(frame);
}

new MutationObserver(() => {
  for (const figure of document.querySelectorAll("figure.vbkit-explorer[title]")) slide(figure);
}).observe(document, { childList: true, subtree: true });

// JupyterLite marks a link to a file with the file's path. A notebook of this site opens in a page of its own; evidence
// is not among them, and leads to its page of the book.

function address({ path, id }) {
  const name = path.replace(/^notebooks\//, "").replace(/\.ipynb$/, "");
  if (!path.endsWith(".ipynb")) return new URL(`lab/files/${path}`, site);
  if (name.startsWith("evidence/")) return new URL(`book/${name}.html${id}`, site);
  return new URL(`lab/notebooks/index.html?path=${path}${id}`, site);
}

window.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-commandlinker-args]");
  if (!link) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // JupyterLite's own way ends where the file is missing
  window.open(address(JSON.parse(link.dataset.commandlinkerArgs)));
}, true);
