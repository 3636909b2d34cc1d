// Settings of MathJax, which the page loads after this, and the little that style sheets cannot do.
"use strict";

const scrollable = "pre, figure, .picture, .wide, div.output, mjx-container[display], mjx-container.long";

// What is cut off at the right fades out there.
function fade(box) {
  box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
}

// An inline formula wider than its line gets a box of its own; whatever scrolls can be reached by keyboard.
function fit() {
  for (const formula of document.querySelectorAll("mjx-container:not([display])")) {
    formula.classList.remove("long");
    const room = formula.closest("p, li, td, th, summary, h1, h2, h3, h4, details, section, a").clientWidth;
    formula.classList.toggle("long", room > 0 && formula.getBoundingClientRect().width > room);
  }
  for (const box of document.querySelectorAll(scrollable)) {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    fade(box);
  }
}

function ready() {
  fit();
  document.documentElement.dataset.ready = "yes";
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

window.MathJax = {
  tex: { inlineMath: [["$", "$"], ["\\(", "\\)"]], processEscapes: true },
  svg: { fontCache: "global" },
  options: { enableMenu: false }, // its entries would put a stop of the Tab key on every formula
  startup: { pageReady: () => MathJax.startup.defaultPageReady().then(ready) },
};

document.addEventListener("DOMContentLoaded", () => {
  const contents = document.querySelector("details.toc");
  const wide = matchMedia("(min-width: 75rem)");
  const arrange = () => { if (contents) contents.open = wide.matches; };
  wide.addEventListener("change", arrange);
  arrange();
});
document.addEventListener("toggle", fit, true); // what was hidden had no width
document.addEventListener("live", fit); // an explorer's picture has arrived
addEventListener("resize", fit);
document.addEventListener("scroll", ({ target }) => { if (target.matches?.(scrollable)) fade(target); }, true);

// On paper nobody can open a box.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("main details:not([open])")];
  for (const box of opened) box.open = true;
});
addEventListener("afterprint", () => { for (const box of opened) box.open = false; });
