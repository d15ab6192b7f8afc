/** Images, audio, texts and tables of a run, by name and step. All of it is shown as data: no text becomes markup. */
import { make, replace } from "../dom.js";
import { empty, failure, waiting } from "../empty.js";
import { bytes, count } from "../number.js";
import * as source from "../source.js";

const AGAIN_MS = 1500; // a run that goes on logs many at once
const MOST_ROWS = 1000; // of a table, on the page
const SMALL = 256; // pixels of an image that is shown larger than it is

export function showMedia(place, run) {
  const content = make("div", { class: "sections" }, waiting());
  place.append(content);
  const cards = new Map(); // by name
  let timer = null;
  let isClosed = false;
  const off = run.on("events", (news) => {
    if (news.some(({ kind }) => kind === "media")) timer ??= setTimeout(load, AGAIN_MS);
  });
  load();

  async function load() {
    timer = null;
    try {
      const { media } = await source.media(run.name);
      if (!isClosed) draw(media);
    } catch (error) {
      if (!isClosed) replace(content, failure(error));
    }
  }

  function draw(media) {
    if (!media.length)
      return replace(content, empty("No media", "Images, texts, tables and audio are logged with:", 'sf.log({"sample": image})'));
    const groups = Map.groupBy(media, ({ name }) => name);
    for (const [name, all] of groups) {
      if (cards.has(name)) cards.get(name).set(all);
      else cards.set(name, new MediaCard(run.name, name, all));
    }
    replace(content, make("div", { class: "media-cards" }, [...cards.values()].map(({ element }) => element)));
  }

  return {
    set() {},
    close() {
      isClosed = true;
      clearTimeout(timer);
      off();
      for (const card of cards.values()) card.close();
    },
  };
}

/** What was logged under one name: one step at a time. */
class MediaCard {
  #run;
  #steps = [];
  #byStep = new Map();
  #isAtEnd = true; // and goes with what comes
  #shown = null;
  #addresses = []; // of blobs, to be given back
  #generation = 0;

  constructor(run, name, all) {
    this.#run = run;
    this.slider = make("input", { type: "range", min: 0, "aria-label": `Step of ${name}` });
    this.at = make("output", {});
    this.body = make("div", { class: "media-body" });
    this.element = make(
      "section",
      { class: "card media", "aria-label": name },
      make("header", {}, make("h2", {}, name), make("label", {}, this.slider, this.at)),
      this.body,
    );
    this.slider.addEventListener("input", () => {
      this.#isAtEnd = Number(this.slider.value) === this.#steps.length - 1;
      this.#show();
    });
    this.set(all);
  }

  set(all) {
    this.#byStep = Map.groupBy(all, ({ step }) => step);
    this.#steps = [...this.#byStep.keys()].sort((one, two) => one - two);
    this.slider.max = this.#steps.length - 1;
    this.slider.hidden = this.#steps.length < 2;
    if (this.#isAtEnd) this.slider.value = this.#steps.length - 1;
    this.#show();
  }

  close() {
    for (const address of this.#addresses.splice(0)) URL.revokeObjectURL(address);
  }

  async #show() {
    const step = this.#steps[Number(this.slider.value)];
    const some = this.#byStep.get(step);
    const key = `${step} ${some.length}`;
    if (this.#shown === key) return;
    this.#shown = key;
    this.at.textContent = `step ${count(step)}`;
    const generation = ++this.#generation;
    const shown = await Promise.all(some.map((one) => this.#figure(one)));
    if (generation !== this.#generation) return;
    replace(this.body, shown);
  }

  async #figure(one) {
    const { caption, reduced, values } = one.about;
    const told = [caption, sizeOf(one), reduced, values && `values from ${values}`, one.rank ? `rank ${one.rank}` : null];
    const text = told.filter(Boolean).join(" · ");
    let shown;
    try {
      shown = await this.#element(one, await source.mediumContent(one, this.#run));
    } catch (error) {
      shown = make("p", { class: "problem" }, error.message);
    }
    return make("figure", { class: `medium ${one.kind in SHOWN ? one.kind : ""}` }, shown, make("figcaption", {}, text));
  }

  async #element(one, blob) {
    if (one.kind === "text" || one.kind === "table") return SHOWN[one.kind](await blob.text(), one);
    const address = URL.createObjectURL(blob);
    this.#addresses.push(address);
    return SHOWN[one.kind](address, one);
  }
}

const SHOWN = {
  image(address, { name, step, about }) {
    const image = make("img", { src: address, alt: about.caption || `${name}, step ${step}`, width: about.width, height: about.height });
    image.classList.toggle("small", Math.max(about.width, about.height) <= SMALL);
    return image;
  },
  audio: (address, { name }) => make("audio", { src: address, controls: true, "aria-label": name }),
  text: (text) => make("pre", { tabindex: "0" }, text),
  table: (text, { name }) => tableOf(JSON.parse(text), name),
};

function tableOf({ columns, rows }, name) {
  const rest = rows.length - MOST_ROWS;
  const cell = (value) => make("td", { class: typeof value === "number" ? "number" : null }, value === null ? "–" : String(value));
  return make(
    "div",
    { class: "table-frame", tabindex: "0", role: "group", "aria-label": `Table ${name}` },
    make(
      "table",
      { class: "small-table" },
      make("thead", {}, make("tr", {}, columns.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => make("tr", {}, row.map(cell)))),
    ),
    rest > 0 ? make("p", { class: "quiet-text" }, `${count(rest)} more ${rest === 1 ? "row" : "rows"}`) : null,
  );
}

function sizeOf({ kind, about, bytes: size }) {
  if (kind === "image") return `${about.width} × ${about.height}`;
  if (kind === "audio") return `${about.seconds} s at ${count(about.rate)} Hz`;
  if (kind === "table") return `${count(about.rows)} ${about.rows === 1 ? "row" : "rows"}`;
  return bytes(size);
}
