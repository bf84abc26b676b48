"use strict";
// The pages are whole without this script. With it, lists are searched while somebody types, more of a list is added at
// its end, and what a run adds appears by itself.
const TYPING_MS = 250;
const GOING_ON_MS = 1500;
const RESTING_MS = 10000;

document.addEventListener("DOMContentLoaded", () => {
  /** @returns {any} */ const at = (id) => document.getElementById(id);
  /** @type {HTMLFormElement} */ const filters = at("filters");
  let tag = null,
    asked = 0,
    longer = false;

  const say = (text) => {
    at("news").textContent = text;
  };

  const load = async (address) => {
    const mine = asked;
    const headers = tag ? { "If-None-Match": tag } : {};
    const response = await fetch(address, { headers, credentials: "same-origin" });
    // Somebody has asked for something else meanwhile.
    if (mine !== asked || !response.ok) return null;
    tag = response.headers.get("ETag");
    return new DOMParser().parseFromString(await response.text(), "text/html");
  };

  // Take the parts of a page that change, and leave everything else as it is: focus, what is typed, what is open.
  const take = (page, ids) => {
    for (const id of ids) {
      const [mine, theirs] = [at(id), page.getElementById(id)];
      if (!mine || !theirs || mine.innerHTML === theirs.innerHTML) continue;
      const focused = mine.contains(document.activeElement) ? document.activeElement : null;
      const href = focused && focused.getAttribute("href");
      const opened = [...mine.querySelectorAll("details")].map((one) => one.open);
      mine.replaceChildren(...theirs.childNodes);
      [...mine.querySelectorAll("details")].forEach((one, place) => (one.open = opened[place] || one.open));
      const again = href && [...mine.querySelectorAll("a")].find((one) => one.getAttribute("href") === href);
      if (again) again.focus({ preventScroll: true });
    }
    document.body.toggleAttribute("data-going-on", page.body.hasAttribute("data-going-on"));
  };
  const live = () => [...document.querySelectorAll("[data-live]")].map((one) => one.id);

  const search = async () => {
    const found = new URLSearchParams();
    for (const [name, value] of new FormData(filters)) if (value) found.append(name, String(value));
    const path = filters.getAttribute("action") + (found.size ? `?${found}` : "");
    asked++;
    tag = null;
    longer = false;
    const page = await load(path).catch(() => null);
    if (!page) return;
    history.replaceState(null, "", path);
    take(page, ["results"]);
    const shown = at("shown");
    if (shown) say(shown.textContent);
  };

  if (filters && at("results") && !filters.classList.contains("pick")) {
    /** @type {any} */ let waiting;
    filters.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, TYPING_MS);
    });
    filters.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(waiting);
      void search();
    });
  }

  // The next part of a list comes below this one; without this script, the link leads to it.
  document.addEventListener("click", async (/** @type {any} */ event) => {
    const next = event.target.closest("nav.more a[rel=next]");
    const rows = at("rows");
    if (!next || !rows || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    asked++;
    tag = null;
    const page = await load(next.getAttribute("href")).catch(() => null);
    const added = page && page.getElementById("rows");
    if (!added) return location.assign(next.href);
    const first = added.querySelector("a"),
      number = added.rows.length;
    rows.append(...added.childNodes);
    const further = page.querySelector("nav.more a[rel=next]");
    if (further) next.setAttribute("href", further.getAttribute("href"));
    else next.remove();
    longer = true;
    first.focus({ preventScroll: true });
    say(`${number} more verdicts`);
  });

  // A row is a large target; the link in it is what keyboards and screen readers use.
  document.addEventListener("click", (/** @type {any} */ event) => {
    const row = event.target.closest(".list tbody tr");
    if (row && !event.target.closest("a") && getSelection().isCollapsed) row.querySelector("a").click();
  });
  document.addEventListener("keydown", (event) => {
    const back = /** @type {any} */ (document.querySelector(".steps .back"));
    if (event.key === "Escape" && back) back.click();
  });

  addCopyButtons(document);

  const poll = async () => {
    const pause = document.body.hasAttribute("data-going-on") ? GOING_ON_MS : RESTING_MS;
    await new Promise((done) => setTimeout(done, pause));
    if (!document.hidden && live().length) {
      const page = await load(location.pathname + location.search).catch(() => null);
      // A list that somebody has made longer stays as it is.
      if (page)
        take(
          page,
          live().filter((id) => !(longer && id === "results")),
        );
    }
    void poll();
  };
  void poll();
});
