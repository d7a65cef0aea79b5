// Deep links into folded parts, and code that can be copied.
(() => {
  // A link to something that lies in folded parts opens them.
  function follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    let target = name && document.getElementById(name);
    if (!target) return;
    while (target.matches("span:empty") && target.nextElementSibling) target = target.nextElementSibling;
    for (let element = target; element; element = element.parentElement)
      if (element instanceof HTMLDetailsElement) element.open = true;
    target.scrollIntoView();
  }

  // Code that is opened gets a button that copies it; where that is not allowed, it is selected.
  function offer(details) {
    const pre = details.matches(".script[open]") && details.querySelector("pre");
    if (!pre || details.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(pre.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(pre); button.textContent = "Selected"; }
    });
    pre.before(button);
  }

  document.addEventListener("toggle", event => offer(event.target), true);
  addEventListener("hashchange", follow);
  follow();
})();
