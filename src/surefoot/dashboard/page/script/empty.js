/** Nothing to show: why, and what to type. */
import { make, say } from "./dom.js";

export function empty(title, text, command = null) {
  return make(
    "div",
    { class: "empty" },
    make("h2", {}, title),
    text ? make("p", {}, text) : null,
    command ? copyable(command) : null,
  );
}

export function failure(error) {
  return make(
    "div",
    { class: "empty", role: "alert" },
    make("h2", {}, "That did not work"),
    make("p", {}, error.message),
    make("p", {}, make("a", { href: "#/" }, "All runs")),
  );
}

export function waiting(text = "Loading…") {
  return make("p", { class: "waiting" }, text);
}

/** A command with a button that copies it. */
export function copyable(command) {
  const code = make("code", {}, command);
  const button = make("button", { type: "button", class: "small" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      getSelection().selectAllChildren(code); // no clipboard for a page from another machine: it is one key from here
      return;
    }
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return make("div", { class: "copyable" }, code, button);
}
