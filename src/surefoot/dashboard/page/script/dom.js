/** Elements. Text goes in as text, never as markup: names and messages come from runs. */

/** make("a", { class: "run", href, on: { click } }, "text", child, [children]) */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

export function replace(element, ...children) {
  element.replaceChildren(...flat(children));
}

/** A list of terms and what they are; those without a value are left out. */
export function terms(pairs, attributes = {}) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make(
    "dl",
    attributes,
    known.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

/** What is made anew keeps the focus where it was: at the element with the same `data-keep`. */
export function keepingFocus(element, act) {
  const held = document.activeElement?.dataset?.keep;
  act();
  if (held) element.querySelector(`[data-keep="${CSS.escape(held)}"]`)?.focus();
}

/** For those who do not see the page. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
