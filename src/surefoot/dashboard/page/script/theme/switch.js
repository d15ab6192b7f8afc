/** Light or dark: as the system has it, until somebody chooses. */
import { make } from "../dom.js";

const ORDER = ["system", "light", "dark"];
const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const listeners = new Set();

export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function themeSwitch() {
  const button = make("button", { class: "quiet icon", type: "button", on: { click: next } });
  const show = () => {
    const theme = chosen();
    button.textContent = SIGNS[theme];
    button.title = `Theme: ${theme}`;
    button.setAttribute("aria-label", `Theme: ${theme}. Press to change.`);
  };
  function next() {
    choose(ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length]);
    show();
  }
  show();
  return button;
}

function chosen() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("surefoot-theme", theme);
  } catch {
    // not kept: no storage here
  }
  tell();
}

function tell() {
  for (const listener of listeners) listener();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
