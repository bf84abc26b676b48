// The page is whole without this script. With it, verdicts are opened one at a time, and the list can be filtered,
// searched and sorted. The address says which verdict is open, or how the list is filtered, so that both can be sent on.
const STEP = 200;
const FIELDS = ["q", "status", "target", "category", "tag"];
const ORDER = { error: 0, failed: 1, "not judged": 2, passed: 3 };

document.addEventListener("DOMContentLoaded", () => {
  /** @returns {any} */ const at = (id) => document.getElementById(id);
  /** @returns {NodeListOf<any>} */ const all = (selector) => document.querySelectorAll(selector);
  const overview = at("overview"),
    view = at("view"),
    filters = at("filters");
  /** @type {HTMLTableElement} */ const table = document.querySelector(".list");
  // A run without a verdict has no list.
  if (!table) return;
  const body = table.tBodies[0],
    more = at("more"),
    title = document.title;
  const headers = [...table.tHead.rows[0].cells];
  const columns = headers.map((header) => header.textContent);
  const texts = (cell) => [...cell.children].map((child) => child.textContent);

  // What is compared and searched is read from the table once; rows that are not shown are kept out of the document.
  const rows = [...all(".list tbody tr")].map((row, place) => {
    const cell = (name) => row.cells[columns.indexOf(name)];
    const written = (name) => (cell(name) ? cell(name).textContent : "");
    const status = written("verdict");
    return {
      row,
      place,
      written,
      id: cell("case").firstChild.hash.slice(1),
      status: status.replace(" ", "_"),
      target: written("target"),
      category: written("category"),
      tags: cell("tags") ? texts(cell("tags")) : [],
      searched: ["case", "submission", "target", "category", "tags", "why"].map(written).join("\n").toLowerCase(),
      values: new Map(),
    };
  });
  for (const later of document.querySelectorAll(".later")) later.remove();
  let chosen = rows,
    limit = STEP,
    sorted = { column: "#", descending: false };
  let listed = "",
    scrolled = 0,
    opened = null;

  const duration = (text) => {
    let seconds = 0;
    for (const [, amount, unit] of text.matchAll(/([\d.]+) (h|min|s)/g)) {
      seconds += Number(amount) * { h: 3600, min: 60, s: 1 }[unit];
    }
    return seconds;
  };
  const valueOf = (one, column) => {
    if (!one.values.has(column)) {
      const text = one.written(column);
      const read = {
        "#": () => one.place,
        verdict: () => ORDER[text],
        score: () => (text === "-" ? -1 : Number(text)),
        time: () => duration(text),
        repeat: () => Number(text),
      }[column];
      one.values.set(column, read ? read() : text.toLowerCase());
    }
    return one.values.get(column);
  };

  const show = () => {
    body.replaceChildren(...chosen.slice(0, limit).map((one) => one.row));
    more.hidden = chosen.length <= limit;
    more.textContent = `Show ${Math.min(STEP, chosen.length - limit).toLocaleString("en")} more`;
    const count = (number) => number.toLocaleString("en");
    at("shown").textContent =
      chosen.length === rows.length
        ? `${count(rows.length)} verdicts`
        : `${count(chosen.length)} of ${count(rows.length)} verdicts`;
    table.classList.toggle("empty", !chosen.length);
  };

  const update = () => {
    const filter = Object.fromEntries(FIELDS.map((name) => [name, filters.elements[name]?.value ?? ""]));
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    chosen = rows.filter(
      (one) =>
        (!filter.status || one.status === filter.status) &&
        (!filter.target || one.target === filter.target) &&
        (!filter.category || one.category === filter.category) &&
        (!filter.tag || one.tags.includes(filter.tag)) &&
        words.every((word) => one.searched.includes(word)),
    );
    const { column, descending } = sorted,
      sign = descending ? -1 : 1;
    chosen.sort((a, b) => {
      const [one, other] = [valueOf(a, column), valueOf(b, column)];
      return one < other ? -sign : one > other ? sign : a.place - b.place;
    });
    for (const [number, header] of headers.entries()) {
      const is = columns[number] === column;
      header.setAttribute("aria-sort", is ? (descending ? "descending" : "ascending") : "none");
    }
    for (const card of all("button[data-status]")) {
      card.setAttribute("aria-pressed", String(card.dataset.status === filter.status));
    }
    limit = STEP;
    show();
    return filter;
  };

  // The state of the list as an address; nothing of it where all is as it was at first.
  const remember = (filter) => {
    const found = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
    if (sorted.column !== "#" || sorted.descending) {
      found.set("sort", sorted.column);
      if (sorted.descending) found.set("order", "descending");
    }
    listed = found.toString();
    history.replaceState(null, "", listed ? `#${listed}` : location.pathname + location.search);
  };
  const recall = (text) => {
    const found = new URLSearchParams(text);
    for (const name of FIELDS) if (filters.elements[name]) filters.elements[name].value = found.get(name) ?? "";
    // A value that is not a choice leaves a select empty.
    for (const select of filters.querySelectorAll("select")) if (select.selectedIndex < 0) select.value = "";
    const column = found.get("sort");
    sorted = { column: columns.includes(column) ? column : "#", descending: found.get("order") === "descending" };
    listed = text;
    update();
  };

  const link = (id, text, class_) => {
    const made = document.createElement("a");
    made.href = `#${id}`;
    made.textContent = text;
    made.className = class_;
    return made;
  };

  const open = (kept) => {
    if (!overview.hidden) scrolled = scrollY;
    const place = chosen.findIndex((one) => one.id === kept.id);
    const bar = document.createElement("nav");
    bar.setAttribute("aria-label", "verdicts");
    bar.append(link(listed, "← All verdicts", "back"));
    if (place > 0) bar.append(link(chosen[place - 1].id, "Previous", "step"));
    if (place >= 0) {
      const position = document.createElement("span");
      position.textContent = `${(place + 1).toLocaleString("en")} of ${chosen.length.toLocaleString("en")}`;
      bar.append(position);
    }
    if (place >= 0 && place < chosen.length - 1) bar.append(link(chosen[place + 1].id, "Next", "step"));
    // With scripts, what is in `noscript` is one text: markup that the report escaped, as all of the page.
    const parsed = new DOMParser().parseFromString(kept.firstChild.textContent, "text/html");
    view.replaceChildren(bar, ...parsed.body.childNodes);
    addCopyButtons(view);
    overview.hidden = true;
    view.hidden = false;
    opened = kept.id;
    const heading = view.querySelector("h2");
    document.title = `${heading.textContent} - ${title}`;
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  };

  const close = () => {
    const was = rows.find((one) => one.id === opened);
    opened = null;
    view.hidden = true;
    view.replaceChildren();
    overview.hidden = false;
    document.title = title;
    scrollTo(0, scrolled);
    if (was) was.row.querySelector("a").focus({ preventScroll: true });
  };

  const follow = () => {
    const hash = location.hash.slice(1);
    const kept = hash.startsWith("case=") ? at(hash) : null;
    if (kept) return open(kept);
    // Anchors of the page itself, such as that of the skip link, say nothing about the list.
    if (hash && !hash.includes("=") && at(hash)) return;
    if (opened !== null) close();
    if (hash !== listed) recall(hash);
  };

  for (const [number, header] of headers.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = columns[number];
    button.addEventListener("click", () => {
      const column = columns[number];
      sorted = { column, descending: sorted.column === column && !sorted.descending };
      remember(update());
    });
    header.replaceChildren(button);
  }
  for (const card of document.querySelectorAll(".card[data-status] dt")) {
    const choices = [...filters.elements.status.options].map((option) => option.value);
    if (!choices.includes(card.parentElement.dataset.status)) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.status = card.parentElement.dataset.status;
    button.textContent = card.textContent;
    button.addEventListener("click", () => {
      const select = filters.elements.status;
      select.value = select.value === button.dataset.status ? "" : button.dataset.status;
      remember(update());
      at("list").scrollIntoView();
    });
    card.replaceChildren(button);
  }
  filters.addEventListener("input", () => remember(update()));
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () =>
    setTimeout(() => {
      sorted = { column: "#", descending: false };
      remember(update());
    }),
  );
  more.addEventListener("click", () => {
    const next = limit;
    limit += STEP;
    show();
    chosen[next].row.querySelector("a").focus();
  });
  // A row is a large target; the link in it is what keyboards and screen readers use.
  body.addEventListener("click", (/** @type {any} */ event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a") && getSelection().isCollapsed) row.querySelector("a").click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened !== null) location.hash = listed;
  });
  addEventListener("hashchange", follow);

  update();
  follow();
});
