/** The view's state is the address after "#": /run/NAME/gradients?rank=1&log=1. A link shows what its sender saw. */

/** { path: ["run", "NAME", "gradients"], query: URLSearchParams } */
export function here() {
  const [path, query] = splitOnce(location.hash.replace(/^#/, ""), "?");
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

export function hrefOf(path, query = {}) {
  const text = toQuery(query).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function go(path, query = {}) {
  location.hash = hrefOf(path, query);
}

/** Change some of the state; null takes a part out. With `isStep` the browser's Back undoes it. */
export function change(changes, { isStep = false } = {}) {
  const { path, query } = here();
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of [value].flat())
      if (one !== null && one !== undefined && one !== "" && one !== false)
        query.append(name, one === true ? "1" : one);
  }
  const text = query.toString();
  const href = `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
  if (href === location.hash) return;
  history[isStep ? "pushState" : "replaceState"](null, "", href);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function toQuery(query) {
  if (query instanceof URLSearchParams) return query;
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== null && one !== undefined) made.append(name, one);
  return made;
}

function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
