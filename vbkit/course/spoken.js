// What a screen reader hears of an explorer, and the keys of its sliders; spoken.py says why.

const KEYS_OF_A_SLIDER = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
const IGNORED = "data-lm-suppress-shortcuts"; // JupyterLab takes no key from an element that has this attribute

function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value); // else the observer would call for ever
}

function speak(explorer, title, alt) {
  set(explorer, "role", "group");
  set(explorer, "aria-label", title);
  const picture = explorer.querySelector("img.widget-image");
  if (picture) set(picture, "alt", alt);
  for (const slider of explorer.querySelectorAll(".widget-slider")) {
    const box = slider.closest(".widget-vbox"); // see Control._slider: the name above, the play button beside
    const label = box.querySelector(".widget-html-content")?.textContent;
    const handle = slider.querySelector(".noUi-handle");
    const readout = slider.querySelector(".widget-readout");
    const [play, stop] = box.querySelectorAll(".widget-play button");
    if (!label || !handle) continue; // not there yet
    set(handle, "aria-label", label);
    set(handle, "aria-valuetext", readout.textContent);
    set(readout, "contenteditable", "false"); // nothing listens to what is typed there
    if (!play) continue;
    const running = play.querySelector(".fa-pause");
    set(play, "aria-label", `${running ? "Pause" : "Play"}: ${label}`);
    set(stop, "aria-label", `Stop: ${label}`);
  }
}

// A slider's own keys are left to it; others, such as Ctrl+S and Shift+Enter, remain JupyterLab's. So are a menu's,
// where a letter chooses an entry.
function leaveKeys(explorer, event) {
  const control = event.target;
  const menu = control.matches("select");
  if (!explorer.contains(control) || !(menu || control.matches("[role=slider]"))) return;
  const plain = !(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey);
  const own = KEYS_OF_A_SLIDER.includes(event.key) || (menu && event.key.length === 1);
  control.toggleAttribute(IGNORED, plain && own);
}

// A view is made before it stands in its explorer, and its neighbours may be made later. The browser tells an element of
// our own when it has found its place, and an observer tells what comes or changes around it.
class SpokenExplorer extends HTMLElement {
  connectedCallback() {
    const explorer = this.closest(".widget-vbox");
    const { title, alt } = this.words;
    const speakNow = () => speak(explorer, title, alt);
    this.observer = new MutationObserver(speakNow);
    // of a handle, of a play button's sign, of a readout
    const attributeFilter = ["aria-valuetext", "class", "contenteditable"];
    this.observer.observe(explorer, { subtree: true, childList: true, characterData: true, attributeFilter });
    this.listener = (event) => leaveKeys(explorer, event);
    window.addEventListener("keydown", this.listener, true); // before JupyterLab, which listens at the document
    speakNow();
  }

  disconnectedCallback() {
    this.observer.disconnect();
    window.removeEventListener("keydown", this.listener, true);
  }
}

const NAME = "vbkit-spoken-explorer";
if (!customElements.get(NAME)) customElements.define(NAME, SpokenExplorer);

function render({ model, el }) {
  const element = document.createElement(NAME);
  element.words = { title: model.get("title"), alt: model.get("alt") };
  el.append(element);
}

export default { render };
