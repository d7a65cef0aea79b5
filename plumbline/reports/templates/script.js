// Filters, search and deep links. The page can be read without this script.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filter");
  const count = form.querySelector("output");
  const clauseRows = [...document.querySelectorAll("tr[data-clause]")];
  const caseRows = data.cases.map((_, number) => document.getElementById(`c${number}`));
  const findings = [...document.querySelectorAll("details.finding")];
  const original = clauseRows.map(row => [...row.querySelectorAll(".cell")].map(cell => [cell.className, cell.innerHTML]));
  const texts = new Map();
  const textOf = element => {
    if (!texts.has(element)) {
      const copy = element.cloneNode(true);  // labels that all such elements share are not searched
      for (const part of copy.querySelectorAll("pre, dt, h4, .link, .fixed, button")) part.remove();
      texts.set(element, copy.textContent.toLowerCase());
    }
    return texts.get(element);
  };
  const tones = {diverges: "bad", conforms: "good"};

  // Fill a cell from its counts.
  function cell(element, counts, judges) {
    const total = Object.values(counts).reduce((sum, number) => sum + number, 0);
    const state = counts.diverges ? "diverges" : !total ? "none" : judges === "outputs" ? "conforms" : "informational";
    element.className = `cell ${tones[state] || "soft"}`;
    element.textContent = "";
    const strong = text => element.appendChild(document.createElement("b")).textContent = text;
    if (state === "diverges") strong(`✗ ${counts.diverges}`), element.append(` of ${total} diverge`);
    else if (state === "conforms") strong(`✓ ${counts.conforms}`), element.append(" conform");
    else if (state === "informational") element.append("○ " + Object.entries(counts).map(([word, n]) => `${n}\u00a0${word}`).join(", "));
    else element.append("–");
  }

  // The cases with a selected result, and the counts of each clause.
  function select(want) {
    const shown = new Set(), counts = new Map();
    const group = want.clause ? data.groups.map(group => group.some(number => data.clauses[number][0] === want.clause)) : null;
    for (const [number, column, verdict, says] of data.results) {
      const [specification, dtype, opset, clauses, flags] = data.cases[number];
      if (want.backend && data.labels[column] !== want.backend) continue;
      if (want.flag && !data.flagsets[flags].includes(want.flag)) continue;
      if (want.specification && data.specifications[specification] !== want.specification) continue;
      if (want.dtype && data.dtypes[dtype] !== want.dtype) continue;
      if (want.opset && String(data.opsets[opset]) !== want.opset) continue;
      if (want.verdict && data.verdicts[verdict] !== want.verdict) continue;
      if (group && !group[clauses]) continue;
      shown.add(number);
      const saying = data.says[says];
      for (let at = 0; at < saying.length; at += 2) {
        const key = saying[at] * data.columns + column, word = data.bearings[saying[at + 1]];
        if (!counts.has(key)) counts.set(key, {});
        counts.get(key)[word] = (counts.get(key)[word] || 0) + 1;
      }
    }
    return [shown, counts];
  }

  function apply() {
    const want = Object.fromEntries(new FormData(form));
    want.text = want.text.trim().toLowerCase();
    const narrowed = want.dtype || want.opset || want.verdict || want.backend || want.flag;
    const [shown, counts] = select(want);
    const has = element => !want.text || textOf(element).includes(want.text);
    const matching = new Set([...shown].filter(number => has(caseRows[number])));
    let clauses = 0;
    clauseRows.forEach((row, at) => {
      const number = Number(row.dataset.clause), cells = [...row.querySelectorAll(".cell")];
      const specification = row.closest("details.text").dataset.specification;
      const hasResults = cells.some((_, column) => counts.has(number * data.columns + column));
      const show = (!want.specification || specification === want.specification)
        && (!want.clause || data.clauses[number][0] === want.clause) && (!narrowed || hasResults) && has(row);
      row.hidden = !show;
      clauses += show;
      cells.forEach((element, column) => {
        if (narrowed) cell(element, counts.get(number * data.columns + column) || {}, data.clauses[number][2]);
        else [element.className, element.innerHTML] = original[at][column];
      });
    });
    caseRows.forEach((row, number) => { row.hidden = !matching.has(number); });
    let matches = 0;
    for (const element of findings) {
      const show = element.dataset.cases.trim().split(" ").some(number => shown.has(Number(number)))
        && has(element) && (!want.state || element.dataset.new === want.state)
        && (!want.backend || element.dataset.who.split("|").includes(want.backend));
      element.parentElement.hidden = !show;
      matches += show;
    }
    for (const element of document.querySelectorAll("details.instance"))
      element.hidden = !element.dataset.cases.trim().split(" ").some(number => shown.has(Number(number)));
    const any = Object.values(want).some(Boolean);
    const known = document.getElementById("known");
    if (any && known?.querySelector(".cause:not([hidden])")) known.open = true;
    for (const part of document.querySelectorAll("[data-specification], [data-cases-of]")) {
      part.hidden = any && !part.querySelector("tbody tr:not([hidden])");
      if (any && !part.hidden && (part.dataset.specification || want.clause)) part.open = true;
    }
    report(clauses, matches, matching.size);
    remember(want, any);
  }

  function report(...shown) {
    const of = [[clauseRows, "clauses"], [findings, "root causes"], [caseRows, "cases"]];
    count.textContent = "Shown: " + of.map(([all, name], at) => `${shown[at]} of ${all.length} ${name}`).join(", ");
  }

  // Keep the choices in the address, so that a filtered page can be shared.
  function remember(want, any) {
    const chosen = new URLSearchParams(Object.entries(want).filter(([, value]) => value));
    if (any) history.replaceState(null, "", `#?${chosen}`);
    else if (location.hash.startsWith("#?")) history.replaceState(null, "", "#");
  }

  // Apply the choices of a link; a link to a hidden element resets the filter.
  function follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name.startsWith("?")) {
      for (const [key, value] of new URLSearchParams(location.hash.slice(2)))
        if (form.elements[key]) form.elements[key].value = value;
      return apply();
    }
    if (document.getElementById(name)?.closest("[hidden]")) { form.reset(); apply(); }
  }

  form.addEventListener("input", apply);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", event => event.preventDefault());
  addEventListener("hashchange", follow);
  for (const element of [form, document.querySelector("nav [hidden]")]) element.hidden = false;
  report(clauseRows.length, findings.length, caseRows.length);
  follow();
})();
