// Runs before the first paint, so that a chosen theme does not flash: no module, no imports.
try {
  const chosen = localStorage.getItem("surefoot-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // no storage, as in a file that was sent: the system decides
}
