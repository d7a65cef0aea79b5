// Search the list of addresses: show items that contain every word.
(() => {
  const form = document.getElementById("search");
  const items = [...document.querySelectorAll(".found li")].map(item => [item, item.textContent.toLowerCase()]);
  function apply() {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [item, text] of items) {
      item.hidden = !words.every(word => text.includes(word));
      shown += !item.hidden;
    }
    for (const part of document.querySelectorAll("main details")) {
      part.hidden = !part.querySelector("li:not([hidden])");
      part.open = words.length > 0;
    }
    form.querySelector("output").textContent = `Shown: ${shown} of ${items.length}`;
    return words.join(" ");
  }
  form.addEventListener("input", () => history.replaceState(null, "", `#?${new URLSearchParams({text: apply()})}`));
  form.addEventListener("submit", event => event.preventDefault());
  if (location.hash.startsWith("#?")) form.elements.text.value = new URLSearchParams(location.hash.slice(2)).get("text") || "";
  form.hidden = false;
  apply();
})();
