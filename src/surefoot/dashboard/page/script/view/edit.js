/** What people call the runs that are picked: a bar and a form to change it, and a way back. */
import { make, replace, say } from "../dom.js";
import { edit } from "../source.js";

export class Editing {
  #rowsOf; // of what is picked
  #edited;
  #isAllowed = false;
  #num = 0;

  constructor({ rowsOf, edited }) {
    this.#rowsOf = rowsOf;
    this.#edited = edited;
    this.bar = make("div", { class: "edit-bar", hidden: true });
    this.told = make("p", { class: "edit-told", role: "status", hidden: true });
    this.form = make("dialog", { class: "edit-form", "aria-label": "Edit runs" });
    this.element = make("div", {}, this.bar, this.told, this.form);
  }

  set isAllowed(value) {
    this.#isAllowed = value;
    this.show(this.#num);
  }

  show(num) {
    this.#num = num;
    this.bar.hidden = !this.#isAllowed || !num;
    if (this.bar.hidden) return;
    const rows = this.#rowsOf();
    const isArchived = rows.length > 0 && rows.every((row) => row.archived);
    const button = (text, click) => make("button", { type: "button", class: "small", on: { click } }, text);
    replace(
      this.bar,
      make("span", { class: "quiet-text" }, this.#named(rows)),
      rows.some((row) => row.status === "unreadable") ? null : button("Edit labels…", () => this.#open()),
      button(isArchived ? "Unarchive" : "Archive", () =>
        this.#change({ archived: !isArchived }, isArchived ? "Unarchived" : "Archived"),
      ),
      button("Delete", () => this.#delete()),
    );
  }

  #open() {
    const rows = this.#rowsOf();
    const fields = formFields(rows);
    const changed = () =>
      Object.fromEntries(
        Object.entries(fields)
          .filter(([, { input, before }]) => input.value.trim() !== before)
          .map(([name, { input }]) => [name, name === "tags" ? words(input.value) : input.value.trim()]),
      );
    const save = (event) => {
      event.preventDefault();
      const set = changed();
      this.form.close();
      if (Object.keys(set).length) this.#change(set, "Edited");
    };
    const close = () => this.form.close();
    replace(
      this.form,
      make(
        "form",
        { on: { submit: save } },
        make("h2", {}, this.#named(rows)),
        Object.values(fields).map(({ text, input }) => make("label", { class: "stacked" }, text, input)),
        make(
          "div",
          { class: "controls" },
          make("button", { type: "submit", class: "main" }, "Save"),
          make("button", { type: "button", on: { click: close } }, "Cancel"),
        ),
      ),
    );
    this.form.showModal();
  }

  async #change(set, did) {
    const runs = this.#rowsOf().map((row) => row.run);
    const edits = await this.#send({ runs, set });
    if (!edits) return;
    const back = Object.keys(edits).length ? { undo: edits } : null;
    await this.#tell(`${did} ${nameOf(runs)}.`, runs, false, back);
  }

  async #delete() {
    const runs = this.#rowsOf().map((row) => row.run);
    if (await this.#send({ delete: runs }))
      await this.#tell(`Deleted ${nameOf(runs)}: moved to the folder "deleted".`, runs, true, { restore: runs });
  }

  async #send(change) {
    try {
      return (await edit(change)).edits;
    } catch (error) {
      this.#say(error.message);
      return null;
    }
  }

  async #tell(text, runs, isGone, back) {
    const undo = async () => {
      if (await this.#send(back)) await this.#tell("Taken back.", runs, false, null);
    };
    this.#say(text, back && make("button", { type: "button", class: "small", on: { click: undo } }, "Undo"));
    await this.#edited(runs, isGone);
    this.show(this.#rowsOf().length);
  }

  #say(text, ...more) {
    this.told.hidden = false;
    replace(this.told, text, " ", more);
    say(text);
  }

  #named(rows) {
    return rows.length === 1 ? rows[0].run : `${rows.length} runs`;
  }
}

/** Of several runs, what they have in common; what differs is left alone unless something is written. */
function formFields(rows) {
  const common = (of) => (new Set(rows.map(of)).size === 1 ? (of(rows[0]) ?? "") : "");
  const field = (text, key, input, most) => {
    const before = common((row) => row[key] ?? "").replaceAll(",", key === "tags" ? ", " : ",");
    const differs = rows.some((row) => (row[key] ?? "") !== (rows[0][key] ?? ""));
    input.value = before;
    input.maxLength = most;
    if (differs) input.placeholder = "differs: what is written here is set for all";
    return { text, input, before };
  };
  const line = () => make("input", { type: "text" });
  const notes = make("textarea", { rows: 4 });
  return {
    name: field("Name", "name", line(), 200),
    group: field("Group", "run_group", line(), 200),
    tags: field("Tags, separated by commas", "tags", line(), 4000),
    notes: field("Notes", "notes", notes, 10000),
  };
}

function words(text) {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

function nameOf(runs) {
  return runs.length === 1 ? runs[0] : `${runs.length} runs`;
}
