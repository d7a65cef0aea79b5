// The theme: the system's by default.
"use strict";
(() => {
  const themes = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  const stored = action => { try { return action(localStorage); } catch { return null; } };
  function paint(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  }
  let theme = stored(store => store.getItem("plumbline-theme"));
  paint(theme = themes.includes(theme) ? theme : "system");
  button.addEventListener("click", () => {
    paint(theme = themes[(themes.indexOf(theme) + 1) % themes.length]);
    stored(store => store.setItem("plumbline-theme", theme));
  });
  button.hidden = false;
})();
