/* The report's behavior: trials at a click, and paper that shows everything.
   Everything it shows stands in the page's JSON blocks; texts are only ever set as text. */
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

(() => {
  "use strict";

  /* ------------------------------------------------------------------ trials */

  const chooses = new Map();  // of each tab: what chooses a trial
  let WIDTH = 560;  // pixels, as many as there are: its texts have the size that they say
  const HEIGHT = 300, RIGHT = 12, TOP = 14, BOTTOM = 30;

  function scales(data) {
    const [low, high] = data.limits ?? [0, 0];
    const last = data.trials.reduce((most, trial) => Math.max(most, trial.t), 1);
    const clip = (y) => Math.min(Math.max(y, low), high);
    return {
      beyond: (y) => y !== clip(y),
      x: (t) => data.left + ((WIDTH - data.left - RIGHT) * t) / last,
      y: (y) => TOP + (HEIGHT - TOP - BOTTOM) * (high > low ? (high - clip(y)) / (high - low) : 0.5),
    };
  }

  function history(data, choose) {
    const at = scales(data);
    const svg = mark("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "listbox", tabindex: "0",
      "aria-label": `Trials by ${data.objective}; arrow keys go from one to the next`,
    });
    svg.append(mark("line", {
      class: "axis", x1: data.left, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM + 8, y2: HEIGHT - BOTTOM + 8,
    }));
    const best = data.trials.filter((trial) => trial.best !== null);
    if (best.length) {
      let steps = `M${at.x(best[0].t)},${at.y(best[0].best)}`;
      for (const trial of best.slice(1)) steps += `H${at.x(trial.t)}V${at.y(trial.best)}`;
      svg.append(mark("path", { class: "best", d: steps }));
    }
    const marks = new Map();
    for (const trial of data.trials) {
      const common = {
        role: "option", id: `${data.id}-${trial.t}`, "aria-selected": "false",
        class: `trial ${trial.kind}${data.explained[trial.t] ? " explained" : ""}`,
      };
      const x = at.x(trial.t), text = `trial ${trial.t}: ${trial.text}`;
      let made;
      if (trial.y === null) {
        made = mark("path", { ...common, d: `M${x - 3},${HEIGHT - BOTTOM + 5}l6,6m0,-6l-6,6` });
      } else if (at.beyond(trial.y)) {
        const y = at.y(trial.y), by = y < HEIGHT / 2 ? 7 : -7;
        made = mark("path", { ...common, d: `M${x - 4},${y + by / 2}h8l-4,${-by}z` });
      } else {
        made = mark("circle", { ...common, cx: x, cy: at.y(trial.y), r: 4 });
      }
      made.setAttribute("aria-label", text);
      made.append(mark("title", {}, text));
      made.addEventListener("click", () => choose(trial.t));
      marks.set(trial.t, made);
      svg.append(made);
    }
    const label = (text, x, anchor, y = HEIGHT - 4) => mark("text", { x, y, "text-anchor": anchor }, text);
    svg.append(
      label("trial 0", data.left, "start"),
      label(`trial ${data.trials.at(-1)?.t ?? 0}`, WIDTH - RIGHT, "end"),
    );
    if (data.limits) {
      const [low, high] = data.limits;
      svg.append(label(data.shown[0], data.left - 8, "end", at.y(low) + 4));
      if (high > low) svg.append(label(data.shown[1], data.left - 8, "end", at.y(high) + 4));
    }
    return [svg, marks];
  }

  function bars(data, found) {
    const largest = Math.max(...found.rows.flatMap((row) => row.phi.map(Math.abs)), 1e-300);
    const terms = found.terms.map((term) => data.names[term] ?? term);
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
    return [legend, scrolled("Contributions", rows, "tall", head)];
  }

  function panel(data, number) {
    const trial = data.trials.find((each) => each.t === number);
    const found = data.explained[number];
    const parts = [element("h3", {}, `Trial ${number}`), element("p", { class: "about" }, trial.text)];
    if (found) {
      parts.push(element("p", { class: "finding" }, found.sentence));
      if (found.predicted) parts.push(element("p", {}, found.predicted));
      parts.push(...bars(data, found));
      for (const note of found.notes) parts.push(element("p", { class: "about" }, note));
    } else {
      parts.push(element("p", {}, trial.why));
      const rows = (trial.config ?? []).flatMap((value, index) =>
        value === null ? [] : [lineOf(data.hyperparameters[index], cell(value))]);
      if (rows.length) parts.push(scrolled("Values", rows, "tall"));
    }
    return parts;
  }

  function trials(place, index) {
    const data = JSON.parse(place.querySelector('script[type="application/json"]').textContent);
    data.id = `trial-${index}`;
    data.left = 16 + 7.5 * Math.max(5, ...data.shown.map((text) => text.length));
    if (!data.trials.length) return;
    const said = element("div", { "aria-live": "polite", "aria-atomic": "true" });
    const more = element("div");
    const shown = element("div", { class: "explanation" }, said, more);
    const numbers = data.trials.map((trial) => trial.t);
    let current = null;
    const choose = (number) => {
      if (current !== null) marks.get(current).setAttribute("aria-selected", "false");
      current = number;
      marks.get(number).setAttribute("aria-selected", "true");
      svg.setAttribute("aria-activedescendant", `${data.id}-${number}`);
      const parts = panel(data, number);
      said.replaceChildren(...parts.splice(0, 3));  // read aloud: the trial, and why in a sentence
      more.replaceChildren(...parts);
    };
    const step = (by) => {
      const next = numbers[numbers.indexOf(current) + by];
      if (next !== undefined) choose(next);
    };
    const room = place.clientWidth || document.body.clientWidth;
    WIDTH = Math.max(300, Math.min(room > 800 ? room / 2 - 16 : room, 640));
    const [svg, marks] = history(data, choose);
    const keys = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    svg.addEventListener("keydown", (event) => {
      if (event.key in keys) step(keys[event.key]);
      else if (event.key === "Home") choose(numbers[0]);
      else if (event.key === "End") choose(numbers.at(-1));
      else return;
      event.preventDefault();
    });
    const buttons = element("p", { class: "steps" },
      pressed("←", () => step(-1), { "aria-label": "Previous trial" }),
      pressed("→", () => step(1), { "aria-label": "Next trial" }),
      ...data.jumps.map(([text, number]) => pressed(text, () => choose(number))));
    const caption = element("p", { class: "about" }, data.marks);
    place.replaceChildren(element("div", { class: "history" }, svg, caption, buttons), shown);
    choose(data.start);
    chooses.set(place.closest(".tab"), (number) => { if (marks.has(number)) choose(number); });
  }

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

  document.querySelectorAll(".trials").forEach(trials);

  const unfold = (target) => {
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  };
  const open = (anchor) => {
    const target = document.getElementById(decodeURIComponent(anchor.slice(1)));
    unfold(target);
    target?.querySelector("details.detail")?.setAttribute("open", "");
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

  /* ------------------------------------------------------------------ finding a hyperparameter */

  const IN_NAMES = /[\p{L}\p{N}_]/u;
  function mentions(text, name) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const before = text[at - 1] ?? " ", after = text[at + name.length] ?? " ";
      if (!IN_NAMES.test(before) && before !== "." && !IN_NAMES.test(after)) return true;
    }
    const [start, end] = text.trim().split("…");  // a long name is shortened in figures
    return end !== undefined && name.startsWith(start) && name.endsWith(end);
  }

  function search(list) {
    const tab = list.closest(".tab");
    const names = [...list.options].map((option) => option.value);
    const field = element("input", {
      type: "search", list: list.id, placeholder: "Find a hyperparameter", autocomplete: "off",
      "aria-label": "Find a hyperparameter; Enter goes from one place to the next",
    });
    const said = element("span", { role: "status", class: "found" });
    let places = [], at = -1, sought = "";
    const find = () => {
      const text = field.value.trim().toLowerCase();
      const wanted = names.includes(field.value) ? [field.value]
        : names.filter((name) => name.toLowerCase().includes(text));
      const found = new Set();
      const walk = document.createTreeWalker(tab.querySelector("main"), NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const { data, parentElement: parent } = walk.currentNode;
        if (["SCRIPT", "TITLE", "STYLE"].includes(parent.tagName.toUpperCase())) continue;
        if (wanted.some((name) => mentions(data, name))) found.add(parent);
      }
      return [...found];
    };
    const go = (by) => {
      places[at]?.classList.remove("hit");
      if (!field.value.trim()) {
        said.textContent = sought = "";
        return;
      }
      if (field.value !== sought) {
        sought = field.value;
        places = find();
        at = by > 0 ? -1 : 0;
      }
      at = places.length ? (at + by + places.length) % places.length : -1;
      said.textContent = places.length ? `${at + 1} of ${places.length}` : "nowhere";
      unfold(places[at]);
      places[at]?.classList.add("hit");
      places[at]?.scrollIntoView({ block: "center" });
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    });
    field.addEventListener("input", () => {
      if (!field.value || names.includes(field.value)) go(1);
    });
    list.before(element("span", { class: "search" }, field, " ", said));
  }
  document.querySelectorAll("nav datalist").forEach(search);

  window.addEventListener("hashchange", () => open(location.hash));
  if (location.hash) open(location.hash);
})();
