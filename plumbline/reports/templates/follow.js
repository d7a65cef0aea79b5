// Open collapsed parts for deep links, and copy code.
(() => {
  // Open the collapsed parts around the target of a link.
  function follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    let target = name && document.getElementById(name);
    if (!target) return;
    while (target.matches("span:empty") && target.nextElementSibling) target = target.nextElementSibling;
    for (let element = target; element; element = element.parentElement)
      if (element instanceof HTMLDetailsElement) element.open = true;
    target.scrollIntoView();
  }

  // Add a copy button to opened code; select the code if copying is not allowed.
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
