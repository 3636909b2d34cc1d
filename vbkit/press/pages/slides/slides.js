// Sets the formulas first, then starts reveal.js, then makes what is too high for its slide smaller.
"use strict";

const SMALLEST = 0.6; // of the letters of a slide

// A slide that is not shown has no height, so it is laid out for a moment.
function fit(slide) {
  const hidden = [slide, slide.parentElement].filter((each) => each.tagName === "SECTION");
  const styles = hidden.map((each) => each.getAttribute("style"));
  for (const each of hidden) each.style.cssText = "display: flex !important; visibility: hidden";
  let size = 1;
  while (slide.scrollHeight > 721 && size > SMALLEST) {
    size -= 0.05;
    slide.style.fontSize = `${size}em`;
    for (const box of slide.querySelectorAll("pre")) box.style.fontSize = `${20 * size}px`;
  }
  hidden.forEach((each, place) => {
    each.setAttribute("style", styles[place] ?? "");
    if (each === slide && size < 1) each.style.fontSize = `${size}em`;
  });
}

function start() {
  for (const read of document.querySelectorAll("aside.notes mjx-assistive-mml")) read.remove(); // else the notes say formulas twice
  const slides = document.querySelectorAll(".slides > section > section");
  slides.forEach(fit);
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0.05,
    center: false,
    display: "flex",
    hash: true,
    navigationMode: "linear", // a clicker goes through every slide
    slideNumber: "c/t",
    controlsTutorial: false,
    pdfMaxPagesPerSlide: 1,
    pdfSeparateFragments: false,
    transition: "none",
    plugins: [RevealNotes],
  }).then(() => { document.documentElement.dataset.ready = "yes"; });
}

// A slider that was moved with the mouse gives the keyboard back, so that the keys turn slides again; and the keys
// of a presenter's clicker always do.
document.addEventListener("pointerup", () => document.activeElement?.blur());
document.addEventListener("keydown", ({ key }) => {
  if (key === "PageDown" || key === "PageUp") document.activeElement?.blur();
}, true);

window.MathJax = {
  tex: { inlineMath: [["$", "$"], ["\\(", "\\)"]], processEscapes: true },
  svg: { fontCache: "local" }, // the speaker's window shows the notes without this page
  options: { enableMenu: false },
  startup: { pageReady: () => MathJax.startup.defaultPageReady().then(start) },
};
