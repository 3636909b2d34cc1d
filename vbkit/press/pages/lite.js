// Links between notebooks, as JupyterLite's pages have them: it marks a link to a file with the file's path. A notebook
// of this site opens in a page of its own; evidence is not among them, and leads to its page of the book.
"use strict";

const site = new URL("../", document.currentScript.src);

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
