(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  document.documentElement.classList.add("js");
  const cases = [...document.querySelectorAll(".case")];
  const groups = [...document.querySelectorAll(".group")];
  const boxes = [...document.querySelectorAll("[data-filter]")];
  const details = (li) => li.firstElementChild;

  // The inside of a case in a large report is one text until the case is opened: the same markup that a browser without
  // a script shows, in which everything from the target is escaped.
  const build = (el) => {
    const waiting = el.querySelector(":scope > article > noscript");
    if (!waiting) return;
    const made = document.createElement("template");
    made.innerHTML = waiting.textContent;
    waiting.replaceWith(made.content);
  };
  document.addEventListener("toggle", (e) => { if (e.target.open) build(e.target); }, true);

  const texts = new Map();
  const textOf = (li) => {
    if (!texts.has(li)) texts.set(li, details(li).firstElementChild.textContent.toLowerCase());
    return texts.get(li);
  };
  const filter = () => {
    const out = { verdict: new Set(), level: new Set() };
    for (const box of boxes) if (!box.checked) out[box.dataset.filter].add(box.value);
    const text = $("text").value.trim().toLowerCase();
    const used = new Map(groups.map((g) => [g, 0]));
    let n = 0;
    for (const li of cases) {
      const show = !out.verdict.has(li.dataset.verdict) && !out.level.has(li.dataset.level) && (!text || textOf(li).includes(text));
      li.hidden = !show;
      if (!show) continue;
      n++;
      const group = li.parentElement.parentElement;
      used.set(group, used.get(group) + 1);
    }
    for (const [group, count] of used) group.hidden = count === 0;
    $("none").hidden = n > 0 || cases.length === 0;
    $("shown").textContent = `${n} of ${cases.length} cases`;
  };
  let waiting;
  $("text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  for (const box of boxes) box.addEventListener("change", filter);
  document.querySelector(".filter").addEventListener("submit", (e) => e.preventDefault());

  // Opening very many cases at once would be the slow page that this one avoids to be.
  const mostOpen = 300;
  const shown = () => cases.filter((li) => !li.hidden);
  const open = (li) => { build(details(li)); details(li).open = true; };
  $("open-all").addEventListener("click", () => {
    const all = shown();
    all.slice(0, mostOpen).forEach(open);
    if (all.length > mostOpen) $("shown").textContent = `the first ${mostOpen} of ${all.length} are open`;
  });
  $("close-all").addEventListener("click", () => { for (const li of cases) details(li).open = false; });

  // A link to a case, or to an exchange or a crash point in it, opens what it stands in.
  const find = (id) => {
    const known = $(id);
    if (known) return known;
    const inside = id.replace(/-x\d+$|~.*$/, "");
    const article = $(inside);
    if (article) build(article.parentElement);
    return $(id);
  };
  const go = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* the hash as it is */ }
    const at = id && find(id);
    if (!at) return;
    const li = at.closest(".case");
    if (!li) return;
    if (li.hidden) { for (const box of boxes) box.checked = true; $("text").value = ""; filter(); }
    build(details(li));
    for (let el = at; el; el = el.parentElement) if (el.tagName === "DETAILS") el.open = true;
    if (at.tagName === "TR") {
      at.focus({ preventScroll: true });
      at.scrollIntoView({ block: "center" });
      return;
    }
    const summary = at.closest("details").querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", go);
  document.addEventListener("click", (e) => {
    const link = e.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) setTimeout(go);
  });

  const copied = async (text, pre) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* not allowed here: by the selection */ }
    getSelection().selectAllChildren(pre);
    return document.execCommand("copy");
  };
  document.addEventListener("click", async (e) => {
    const button = e.target.closest(".copy");
    if (!button) return;
    const pre = button.previousElementSibling;
    button.textContent = (await copied(pre.textContent, pre)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });

  // In print everything that is shown is open; of very many cases, those that did not pass.
  let opened = [];
  addEventListener("beforeprint", () => {
    let print = shown();
    if (print.length > mostOpen) print = print.filter((li) => !["pass", "not-applicable", "not-run"].includes(li.dataset.verdict)).slice(0, mostOpen);
    print.forEach((li) => build(details(li)));
    opened = print.flatMap((li) => [...li.querySelectorAll("details:not([open])")]);
    for (const el of opened) el.open = true;
  });
  addEventListener("afterprint", () => { for (const el of opened) el.open = false; opened = []; });

  if (boxes.some((box) => !box.checked) || $("text").value) filter();
  go();
})();
