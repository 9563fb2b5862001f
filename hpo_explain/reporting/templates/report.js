/* The report's behavior: a table of all trials, why each was tried, and paper that shows everything.
   Everything it shows stands in the page's data blocks; texts are only ever set as text. */
/* What is packed in the page, as a response. */
const unpacked = (letters) => {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
};

const attributed = (made, attributes) => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const element = (tag, attributes = {}, ...children) => {
  const made = attributed(document.createElement(tag), attributes);
  made.append(...children);
  return made;
};
const mark = (tag, attributes, text) => {
  const made = attributed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);
  if (text) made.textContent = text;
  return made;
};
const pressed = (text, act, attributes = {}) => {
  const button = element("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", () => act(button));
  return button;
};
const lineOf = (name, ...cells) => element("tr", {}, element("th", { scope: "row" }, name), ...cells);
const cell = (value, kind = "") => element("td", { class: kind }, value);
/* A table that scrolls where it has no room. */
const scrolled = (label, rows, kind = "", head = "") => element("div",
  { class: `scroll ${kind}`, tabindex: "0", role: "region", "aria-label": label },
  element("table", {}, head, element("tbody", {}, ...rows)));
const making = [];  // what is still being made of the page

/* Takes a text along; where the page has no right to, it is selected, to be copied by hand. */
const copied = async (button, text, shown) => {
  const name = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = name; }, 2000);
  } catch {
    shown.hidden = false;
    getSelection().selectAllChildren(shown);
  }
};

(() => {
  "use strict";

  /* ------------------------------------------------------------------ trials */

  const chooses = new Map();  // of each tab: what chooses a trial
  const ROW = 30, AROUND = 10, DIGITS = 4, WIDEST = 24;  // pixels of a row; rows out of sight; letters
  const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

  function bars(names, found) {
    const largest = Math.max(...found.rows.flatMap((row) => row.phi.map(Math.abs)), 1e-300);
    const terms = found.terms.map((term) => names[term] ?? term);
    const rows = found.rows.map((one) => {
      const bars = cell("", "bars");
      one.phi.forEach((value, index) => {
        const bar = element("span", { class: `bar term-${index % 3} ${value < 0 ? "against" : "for"}` });
        bar.style.setProperty("--size", `${(50 * Math.abs(value)) / largest}%`);
        bar.title = `${terms[index]}: ${one.shown[index]}`;
        bars.append(bar);
      });
      return lineOf(one.name, cell(one.value), bars, cell(one.total, "number"));
    });
    const heading = (kind, ...parts) => element("th", { scope: "col", class: kind }, ...parts);
    const sides = [element("span", {}, "against"), " ", element("span", {}, "for")];
    const head = element("thead", {}, element("tr", {}, heading("", "hyperparameter"),
      heading("", "value"), heading("sides", ...sides), heading("number", "total")));
    const legend = element("p", { class: "about" }, "Contributions: ", ...terms.map((term, index) =>
      element("span", { class: "term" }, element("span", { class: `key term-${index % 3}` }), `${term} `)));
    return [legend, scrolled("Contributions", rows, "", head)];
  }

  /* All trials, of which the rows in sight are there. */
  class Trials {
    constructor(place, data) {
      const { columns, why } = data;
      Object.assign(this, { place, data, columns, sorted: 0, down: false, chosen: null });
      this.numbers = columns[0].values;
      this.why = why.values.map((at) => why.labels[at]);
      this.row = new Map(this.numbers.map((number, i) => [number, i]));
      this.marks = new Map([...place.querySelectorAll(".trial")].map((one) => [Number(one.dataset.trial), one]));
      for (const [number, one] of this.marks) {
        one.append(mark("title", {}, `trial ${number}: ${this.told(number)}`));
        one.addEventListener("click", () => this.choose(number));
      }
      this.said = element("div", { class: "explanation", "aria-live": "polite" },
        element("p", { class: "about" }, "Select a trial to see why it was tried and to show it in the profiler."));
      const states = [...new Set(columns[1].values)].map((at) => columns[1].labels[at]);
      this.state = element("select", { "aria-label": "State" }, element("option", { value: "" }, "all states"),
        ...states.map((text) => element("option", {}, text)));
      this.search = element("input", { type: "search", placeholder: `search, or ${columns.at(-1).name}<1`, "aria-label": "Search trials", autocomplete: "off" });
      for (const field of [this.state, this.search]) field.addEventListener("input", () => this.filter());
      this.count = element("span", { role: "status" });
      this.head = columns.map((one, c) => element("th", { scope: "col" }, pressed(one.name, () => this.sort(c), { title: one.name })));
      this.body = element("tbody");
      const widths = columns.map((one, c) => {
        const longest = Math.max(1.2 * one.name.length, ...this.numbers.slice(0, 200).map((_, i) => this.text(c, i).length));
        return element("col", { style: `width: ${Math.min(longest, WIDEST) + 2.5}ch` });
      });
      this.box = element("div", { class: "scroll table", tabindex: "0", role: "region", "aria-label": "Trials; use the arrow keys to move" },
        element("table", {}, element("colgroup", {}, ...widths), element("thead", {}, element("tr", {}, ...this.head)), this.body));
      this.box.addEventListener("scroll", () => this.draw());
      this.box.addEventListener("keydown", (event) => this.key(event));
      place.append(element("div", { class: "list" }, element("p", { class: "tools" }, this.search, this.state, this.count), this.box), this.said);
      this.sort(0);
      new ResizeObserver(() => this.draw()).observe(this.box);
      if (place.dataset.chosen) this.show(Number(place.dataset.chosen));
    }

    text(c, i) {
      const { labels, whole, values } = this.columns[c], value = values[i];
      return value === null ? "" : labels ? labels[value] : String(whole ? value : Number(value.toPrecision(DIGITS)));
    }

    told(number) {
      const i = this.row.get(number), value = this.text(2, i), state = this.text(1, i);
      return [value ? `${this.columns[2].name} ${value}` : "", state === "finished" ? "" : state, this.why[i]].filter(Boolean).join("; ");
    }

    /* What a word asks of a row: `name<3`, or that any of its cells has it. */
    asked(word) {
      const [, name, sign, bound] = /^(.+?)([<>])=?(.+)$/.exec(word) ?? [], c = this.columns.findIndex((one) => one.name.toLowerCase() === name);
      if (c >= 0 && !this.columns[c].labels && Number.isFinite(Number(bound))) return (i) => {
        const value = this.columns[c].values[i];
        return value !== null && (sign === "<" ? value <= bound : value >= bound);
      };
      return (i) => this.columns.some((_, c) => this.text(c, i).toLowerCase().includes(word));
    }

    filter() {
      const asks = this.search.value.toLowerCase().split(" ").filter(Boolean).map((word) => this.asked(word));
      const kept = (i) => (!this.state.value || this.text(1, i) === this.state.value) && asks.every((meets) => meets(i));
      const { labels, values } = this.columns[this.sorted], sign = this.down ? -1 : 1;
      const key = values.map((value) => (value === null ? null : labels ? labels[value] : value));
      const order = (a, b) => (key[a] === null) - (key[b] === null) || sign * ((key[a] > key[b]) - (key[a] < key[b])) || a - b;
      this.shown = this.numbers.flatMap((_, i) => (kept(i) ? [i] : [])).sort(order);
      this.count.textContent = `${this.shown.length} of ${this.numbers.length}`;
      this.box.scrollTop = 0;
      this.draw();
    }

    sort(c) {
      this.down = c === this.sorted && !this.down && this.shown !== undefined;
      this.head[this.sorted].removeAttribute("aria-sort");
      this.head[c].setAttribute("aria-sort", this.down ? "descending" : "ascending");
      this.sorted = c;
      this.filter();
    }

    draw() {
      const { scrollTop, clientHeight } = this.box, { length } = this.shown;
      const first = Math.max(0, Math.floor(scrollTop / ROW) - AROUND);
      const last = Math.min(length, Math.ceil((scrollTop + clientHeight) / ROW) + AROUND);
      const room = (rows) => (rows > 0 ? [element("tr", { style: `height: ${rows * ROW}px` })] : []);
      this.body.replaceChildren(...room(first), ...this.shown.slice(first, last).map((i) => this.line(i)), ...room(length - last));
    }

    line(i) {
      const number = this.numbers[i], made = element("tr", { "aria-selected": number === this.chosen },
        ...this.columns.map((one, c) => {
          const text = this.text(c, i), made = cell(text, one.labels ? "" : "number");
          if (text.length > WIDEST) made.title = text;
          return made;
        }));
      made.addEventListener("click", () => this.choose(number));
      return made;
    }

    key(event) {
      const by = STEPS[event.key], { length } = this.shown;
      if (!by || !length) return;
      event.preventDefault();
      const at = this.shown.indexOf(this.row.get(this.chosen)), next = Math.min(Math.max(at + by, 0), length - 1);
      const room = this.box.clientHeight - 2 * ROW;
      this.box.scrollTop = Math.min(Math.max(this.box.scrollTop, next * ROW - room), next * ROW);
      this.choose(this.numbers[this.shown[next]]);
    }

    /* Has a trial told here, and set in the profiler. */
    choose(number) {
      if (!this.row.has(number)) return;
      this.show(number);
      this.place.closest(".tab").dispatchEvent(new CustomEvent("trial", { detail: number }));
    }

    show(number) {
      this.marks.get(this.chosen)?.classList.remove("chosen");
      this.marks.get(number)?.classList.add("chosen");
      this.marks.get(number)?.parentNode.append(this.marks.get(number));
      this.chosen = this.place.dataset.chosen = number;
      this.draw();
      const found = this.data.explained[number], parts = [element("h3", {}, `Trial ${number}`), element("p", {}, this.told(number))];
      if (found) {
        parts.push(element("p", { class: "finding" }, found.sentence), element("p", {}, found.predicted), ...bars(this.data.names, found));
        for (const note of found.notes) parts.push(element("p", { class: "about" }, note));
      }
      this.said.replaceChildren(...parts);
    }
  }

  const made = async (place) => {
    if (!("DecompressionStream" in window)) return;  // the history stands there
    const data = await unpacked(place.querySelector(".trials-data").textContent).json();
    const trials = new Trials(place, data);
    chooses.set(place.closest(".tab"), (number) => trials.choose(number));
  };
  making.push(...[...document.querySelectorAll(".trials")].map(made));
  document.querySelectorAll("pre.code").forEach((code) => {
    (code.closest(".actions details") ?? code).before(pressed("Copy", (button) => copied(button, code.textContent, code)));
  });

  /* ------------------------------------------------------------------ figures of plotly */

  async function plotly(packed) {
    const source = new Blob([await unpacked(packed.textContent).blob()], { type: "text/javascript" });
    const script = element("script", { src: URL.createObjectURL(source) });
    await new Promise((done, failed) => {
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    });
    const clear = "rgba(0,0,0,0)";
    const draw = async (place) => {
      const { data, layout } = await unpacked(place.nextElementSibling.textContent).json();
      place.replaceChildren();  // a drawing of its own stood there
      delete layout.width;
      const font = { ...layout.font, color: getComputedStyle(document.body).color };
      const shown = { ...layout, font, autosize: true, paper_bgcolor: clear, plot_bgcolor: clear };
      window.Plotly.newPlot(place, data, shown, { responsive: true, displayModeBar: false });
    };
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target);
      }
    }, { rootMargin: "400px" });
    document.querySelectorAll(".plot:has(+ script.figure)").forEach((place) => seen.observe(place));
  }
  const packed = document.getElementById("plotly");
  if (packed && "DecompressionStream" in window) plotly(packed);

  /* ------------------------------------------------------------------ the page */

  const unfold = (target) => {
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  };
  const open = (anchor) => {
    const target = document.getElementById(decodeURIComponent(anchor.slice(1)).split("?")[0]);
    unfold(target);
    target?.scrollIntoView();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    if (link.dataset.trial) chooses.get(link.closest(".tab"))?.(Number(link.dataset.trial));
    // in the frame of a notebook, a link would lead to the notebook
    if (location.protocol === "about:") event.preventDefault();
    open(link.getAttribute("href"));
  });

  /* ------------------------------------------------------------------ what is open stays so */

  const MEMORY = `hpo_explain ${location.pathname}`;
  const recalled = () => {
    try {
      return new Map(JSON.parse(localStorage.getItem(MEMORY)));
    } catch {
      return new Map();  // there is no memory in the frame of a notebook, or others wrote into it
    }
  };
  const remember = (folds) => {
    try {
      localStorage.setItem(MEMORY, JSON.stringify([...folds]));
    } catch { /* it works without */ }
  };
  const folds = recalled();
  const named = (fold) => fold.id || `${fold.closest("[id]")?.id} ${fold.className}`;
  for (const fold of document.querySelectorAll("details")) {
    if (folds.has(named(fold))) fold.open = folds.get(named(fold)) === true;
  }
  let printed = [];
  document.addEventListener("toggle", ({ target }) => {
    if (target.tagName !== "DETAILS" || printed.includes(target)) return;
    folds.set(named(target), target.open);
    remember(folds);
  }, true);
  window.addEventListener("beforeprint", () => {
    printed = [...document.querySelectorAll("details:not([open])")];
    printed.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => {
    printed.forEach((part) => { part.open = false; });
    setTimeout(() => { printed = []; }, 1000);  // when these, too, were told
  });

  window.addEventListener("hashchange", () => open(location.hash));
  if (location.hash) open(location.hash);
})();
