"use strict";
// Light or dark: as the system has it until somebody chooses. Runs before anything is drawn.
document.documentElement.classList.add("js");

{
  const root = document.documentElement,
    dark = matchMedia("(prefers-color-scheme: dark)"),
    key = "gradebox-theme";
  // A page from a file may have no storage; then the choice lasts as long as the page.
  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const store = (name) => {
    try {
      localStorage.setItem(key, name);
    } catch {
      /* see above */
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const wear = (name) => {
    if (name === "dark" || name === "light") root.dataset.theme = name;
  };

  wear(stored());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    };
    button.addEventListener("click", () => {
      wear(isDark() ? "light" : "dark");
      store(root.dataset.theme);
      label();
    });
    dark.addEventListener("change", label);
    button.hidden = false;
    label();
  });
}
