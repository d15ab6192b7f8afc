/** All families and rules, searched by their words. */
import { make, replace } from "../dom.js";
import { change, hrefOf } from "../link.js";

export class Contents {
  #families;
  #name = null;
  #find = null;

  constructor(families) {
    this.#families = families;
    this.input = make("input", { type: "search", placeholder: "Search rules…", "aria-label": "Search rules" });
    this.input.addEventListener("input", () => change({ find: this.input.value || null }));
    this.list = make("div", { class: "learn-list" });
    this.none = make("p", { class: "quiet-text", role: "status" });
    this.element = make("nav", { class: "learn-contents", "aria-label": "Rules" }, this.input, this.none, this.list);
  }

  set(name, find) {
    if (name === this.#name && find === this.#find) return;
    const isMoved = name !== this.#name;
    [this.#name, this.#find] = [name, find];
    if (document.activeElement !== this.input) this.input.value = find;
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#families
      .map((family) => ({ ...family, rules: family.rules.filter((rule) => isFound(words, family, rule)) }))
      .filter(({ rules }) => rules.length);
    this.none.textContent = found.length ? "" : `No rule has "${find}" in its name or its line.`;
    replace(
      this.list,
      found.map((family) => this.#family(family)),
    );
    if (isMoved) this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  #family({ family, about, rules }) {
    return make(
      "section",
      {},
      make("h2", {}, this.#link(family, about)),
      make(
        "ul",
        {},
        rules.map(({ rule, summary }) => make("li", {}, this.#link(rule, summary))),
      ),
    );
  }

  #link(name, title) {
    const href = hrefOf(["learn", name], this.#find ? { find: this.#find } : {});
    return make("a", { href, title, "aria-current": name === this.#name ? "page" : null }, name);
  }
}

function isFound(words, { family, about }, { rule, summary }) {
  const text = `${family} ${about} ${rule} ${rule.replaceAll("-", " ")} ${summary}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
