/* What if: draws of the belief, evaluated at every move of a control. `belief/portable.py` says
   what the arrays hold; texts are only ever set as text. */
(() => {
  "use strict";

  /* ------------------------------------------------------------------ the draws */

  const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, u2: Uint16Array };
  const TURN = (2 * Math.PI) / 65536;
  const MOST_SETS = 32;  // of changes, each a configuration to be evaluated: a move takes 50 ms at most
  const DIGITS = 4, POSITIONS = 500;  // of a value at which a slider stops, and of one without steps
  const REMEMBERED = 4;  // rows
  const SUMMED = ["angle", "factor", "alone"];  // over the columns of a row
  const SAME = 1e-9, FEW_TRIED = 3, EVEN_TRIED = 6, WINDOWS = [0.1, 0.2], OWN_VALUES = 10;

  async function arraysOf(packed, places) {
    const buffer = await unpacked(packed).arrayBuffer();
    return Object.fromEntries(Object.entries(places).map(([name, [kind, start, shape]]) => {
      const length = shape.reduce((product, size) => product * size, 1);
      return [name, { shape, values: new KINDS[kind](buffer, start, length) }];
    }));
  }

  const add = (sum, terms) => { for (let i = 0; i < sum.length; i++) sum[i] += terms[i]; };
  function exchange(sum, before, after) {
    for (let i = 0; i < sum.length; i++) sum[i] += after[i] - before[i];
  }

  /* The product of a row with one row of a matrix. */
  function product(row, matrix, k) {
    const from = k * row.length;
    let sum = 0;
    for (let i = 0; i < row.length; i++) sum += row[i] * matrix[from + i];
    return sum;
  }

  /* Functions of several settings of a kernel. What a row needs are sums over its columns: angles of
     the features, logarithms of the correlation with each trial, and parts of each draw. */
  class Functions {
    constructor(arrays, prefix, learned, parameters) {
      for (const name of ["ends", "rate", "weight", "amplitude", "product", "shift", "constant", "frequency",
        "phase", "slope", "slope_unit", "wave", "wave_phase", "wave_slope", "wave_slope_unit", "step", "update"]) this[name] = arrays[prefix + name].values;
      [this.settings, this.columns, this.features] = arrays[`${prefix}frequency`].shape;
      this.slope = Float64Array.from(this.slope);  // one kind of number makes the fastest products
      this.update = Float64Array.from(this.update);
      this.waves = arrays[`${prefix}wave`].shape[2];
      [this.draws, this.trials] = arrays[`${prefix}update`].shape;
      this.places = arrays[`${prefix}phase`].shape[1];
      const rows = arrays.rows.values, d = this.columns;
      this.learned = parameters.map((_, j) => Float64Array.from(learned, (row) => rows[row * d + j]));
      this.category = parameters.map((one) => one.kind === "category");
      this.first = [];
      let place = 0;
      for (const one of parameters) {
        this.first.push(place);
        place += (one.choices?.length ?? 0) + 1;
      }
      this.last = this.first.map((start, j) => start + (parameters[j].choices?.length ?? 0));
    }

    /* What a value of a column adds; NaN is inactive. */
    part(j, x) {
      const { settings: S, features: F, trials: n, draws: K, columns: d, waves: W } = this;
      const angle = new Float64Array(S * F), factor = new Float64Array(S * n), alone = new Float64Array(K);
      const base = new Float64Array(n);
      const off = Number.isNaN(x), number = !off && !this.category[j], at = this.learned[j];
      const place = off ? this.last[j] : this.first[j] + x;
      for (let s = 0; s < S; s++) {
        const sj = s * d + j, weight = this.weight[sj], rate = this.rate[sj], amplitude = this.amplitude[sj];
        const [begin, end] = [this.ends[s], this.ends[s + 1]];
        if (number) {
          for (let f = 0; f < F; f++) angle[s * F + f] = x * this.frequency[sj * F + f];
        } else {
          const from = (s * this.places + place) * F;
          for (let f = 0; f < F; f++) angle[s * F + f] = TURN * this.phase[from + f];
        }
        for (let i = 0; i < n; i++) {
          const without = Number.isNaN(at[i]);
          base[i] = 0;
          if (number && !without) {
            const r = Math.abs(x - at[i]) * rate;
            base[i] = (1 + r + (r * r) / 3) * Math.exp(-r);
          } else if (!off && x === at[i]) base[i] = 1;
          factor[s * n + i] = off && without ? 0 : Math.log(Math.max(1 - weight + weight * base[i], Number.MIN_VALUE));
        }
        if (!amplitude) continue;
        for (let k = begin; k < end; k++) alone[k] += amplitude * product(base, this.update, k);
        if (!number) for (let k = begin; k < end; k++) alone[k] += this.step[place * K + k];
        else for (let w = 0; w < W; w++) {
          const wave = Math.cos(x * this.wave[sj * W + w] + TURN * this.wave_phase[sj * W + w]);
          for (let k = begin; k < end; k++)
            alone[k] += wave * this.wave_slope_unit[j * K + k] * this.wave_slope[(j * W + w) * K + k];
        }
      }
      return { angle, factor, alone };
    }

    /* The sums over the columns of a row. */
    together(parts) {
      const { settings: S, features: F, trials: n, draws: K } = this;
      const sum = { angle: new Float64Array(S * F), factor: new Float64Array(S * n), alone: new Float64Array(K) };
      for (const one of parts) for (const name of SUMMED) add(sum[name], one[name]);
      return sum;
    }

    /* Replaces the part of one column in sums by another one. */
    replace(sum, before, after) {
      for (const name of SUMMED) exchange(sum[name], before[name], after[name]);
    }

    /* The standardized value of each draw at the row whose columns are together here. */
    values({ angle, factor, alone }) {
      const { settings: S, features: F, trials: n, ends, shift } = this;
      const waves = new Float64Array(F), own = new Float64Array(n), found = new Float64Array(this.draws);
      for (let s = 0; s < S; s++) {
        for (let f = 0; f < F; f++) waves[f] = Math.cos(angle[s * F + f] + TURN * shift[s * F + f]);
        for (let i = 0; i < n; i++) own[i] = Math.exp(factor[s * n + i]);
        for (let k = ends[s]; k < ends[s + 1]; k++)
          found[k] = this.slope_unit[k] * product(waves, this.slope, k)
            + this.product[s] * product(own, this.update, k) + alone[k] + this.constant[k];
      }
      return found;
    }
  }

  /* ------------------------------------------------------------------ the objective */

  const interpolated = (x, knots, values) => {
    if (x <= knots[0]) return values[0];
    let low = 0, high = knots.length - 1;
    if (x >= knots[high]) return values[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (knots[middle] <= x) low = middle; else high = middle;
    }
    return values[low] + ((values[high] - values[low]) * (x - knots[low])) / (knots[high] - knots[low]);
  };

  /* How standardized values become the objective: the mean of an evaluation, from a table. */
  class WayBack {
    constructor(belief, arrays) {
      Object.assign(this, belief);
      const ends = arrays.scale_ends.values;
      this.scales = belief.reach.map((reach, i) => ({
        reach,
        knots: arrays.knots.values.subarray(ends[i], ends[i + 1]),
        costs: arrays.costs.values.subarray(ends[i], ends[i + 1]),
      }));
      const [first, last, count] = belief.grid;
      this.first = first;
      this.spacing = (last - first) / (count - 1);
      this.tables = belief.scale.map((scale, s) => this.table(this.scales[scale], Math.sqrt(belief.noise[s])));
    }

    table({ knots, costs, reach }, sd) {
      const [nodes, weights] = this.evaluation, [least, most] = this.limits;
      return Float64Array.from({ length: this.grid[2] }, (_, i) => nodes.reduce((mean, node, q) => {
        const z = this.first + i * this.spacing + sd * node;
        let cost = interpolated(z, knots, costs);
        if (reach > 0 && z < knots[0]) cost += reach * Math.expm1(z - knots[0]);
        return mean + weights[q] * Math.min(Math.max(cost, least), most);
      }, 0));
    }

    /* A value of the objective, which never leaves its bounds. */
    inside(value) {
      const [least, most] = this.bounds;
      return Math.min(Math.max(value, least ?? -Infinity), most ?? Infinity);
    }

    objective(values, ends) {
      const found = new Float64Array(values.length + this.constant.length);
      for (let s = 0; s + 1 < ends.length; s++) for (let k = ends[s]; k < ends[s + 1]; k++) {
        const at = Math.min(Math.max((values[k] - this.first) / this.spacing, 0), this.grid[2] - 1.001);
        const left = Math.floor(at), part = at - left, table = this.tables[s];
        found[k] = table[left] * (1 - part) + table[left + 1] * part;
      }
      found.set(this.constant, values.length);
      for (let k = 0; k < found.length; k++) {
        found[k] = this.inside(this.sign * (found[k] * this.unit + this.origin));
      }
      return found;
    }
  }

  /* ------------------------------------------------------------------ the space */

  const clipped = (x, low, high) => Math.min(Math.max(x, low), high);

  class Space {
    constructor({ parameters, parents_first }) {
      this.parameters = parameters;
      this.order = parents_first;
    }

    /* The value at a position, as Python decodes it; of a category its place among the choices. */
    value(j, x) {
      const { kind, low, high, log, step, size } = this.parameters[j];
      if (kind === "category" || low === high) return kind === "category" ? x : low;
      let value = log ? Math.exp(Math.log(low) + x * (Math.log(high) - Math.log(low))) : low + x * (high - low);
      if (kind === "int") return low + step * clipped(Math.round((value - low) / step), 0, size - 1);
      if (log) value = Number(value.toPrecision(15));
      if (step !== null) value = low + Math.round((value - low) / step) * step;
      return clipped(value, low, high);
    }

    /* How many digits tell values of a slider apart. */
    digits(j) {
      const { low, high, log } = this.parameters[j];
      const apart = log ? Math.log(high / low) : (high - low) / Math.max(Math.abs(low), Math.abs(high));
      return clipped(3 - Math.floor(Math.log10(Math.min(apart, 1))), DIGITS, 15);
    }

    /* The position of a value; the nearest value counts. */
    position(j, value) {
      const { kind, low, high, log, step, size } = this.parameters[j];
      if (kind === "category") return value;
      if (low === high) return 0;
      const near = kind === "int" ? low + step * Math.round((clipped(value, low, high) - low) / step)
        : clipped(value, low, high);
      const x = log ? (Math.log(near) - Math.log(low)) / (Math.log(high) - Math.log(low)) : (near - low) / (high - low);
      return kind === "float" && step !== null ? Math.round(x * (size - 1)) / (size - 1) : x;
    }

    allowed(row, j) {
      return this.parameters[j].rules.every(([parent, values]) => {
        const x = row[parent];
        if (!Array.isArray(values)) return values.low <= x && x < values.high;
        return !Number.isNaN(x) && values.includes(this.value(parent, x));
      });
    }

    /* A configuration: what its parents do not allow is inactive, as NaN. */
    projected(latent) {
      const row = latent.slice();
      for (const j of this.order) if (!this.allowed(row, j)) row[j] = NaN;
      return row;
    }
  }

  const same = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));

  /* Adds how far the values of a column are from one, squared: 1 where one alone is active. */
  function addApart(sum, { kind }, tried, x) {
    const off = Number.isNaN(x), category = kind === "category";
    for (let i = 0; i < tried.length; i++) {
      const without = Number.isNaN(tried[i]);
      if (off || without) sum[i] += Number(off !== without);
      else sum[i] += category ? Number(tried[i] !== x) : (tried[i] - x) ** 2;
    }
  }

  /* How many values of a column are near one: the same, or in a window around it. */
  function triedNear({ kind, size }, tried, x) {
    const counted = kind === "category" || (size !== null && size <= OWN_VALUES);
    const active = tried.reduce((count, at) => count + Number(!Number.isNaN(at)), 0);
    const part = counted ? 0 : clipped(EVEN_TRIED / Math.max(active, 1), ...WINDOWS) / 2;
    const middle = counted ? x : clipped(x, part, 1 - part);
    return tried.reduce((count, at) => count + Number(Math.abs(at - middle) <= part + SAME), 0);
  }

  /* ------------------------------------------------------------------ what draws say */

  const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;

  function quantile(sorted, level) {
    const at = level * (sorted.length - 1), left = Math.floor(at);
    return sorted[left] + (at - left) * ((sorted[left + 1] ?? sorted[left]) - sorted[left]);
  }

  /* The mean with what holds it in 95 %, stretched about the median as everywhere in the report. */
  function estimated(draws, stretch) {
    const sorted = Float64Array.from(draws).sort(), center = mean(draws);
    const [low, middle, high] = [0.025, 0.5, 0.975].map((level) => quantile(sorted, level));
    return {
      mean: center,
      low: Math.min(middle - stretch * (middle - low), center),
      high: Math.max(middle + stretch * (high - middle), center),
    };
  }

  /* Sets of the changes that are looked at, as bits, and what each weighs in each change's value:
     all sets where these are few; else those of some orders, each from another change on, there and
     back. Gains of an order sum to the whole, and so do their averages. */
  function coalitions(count) {
    const weights = new Map(), add = (set, j, weight) => {
      if (!weights.has(set)) weights.set(set, new Float64Array(count));
      weights.get(set)[j] += weight;
    };
    if (2 ** count <= MOST_SETS) {
      const share = [1 / Math.max(count, 1)];  // 1 / (count · (count - 1 over size))
      for (let size = 1; size < count; size++) share.push((share[size - 1] * size) / (count - size));
      for (let set = 0; set < 2 ** count; set++) for (let j = 0; j < count; j++) if (!(set & (1 << j))) {
        const weight = share[[...Array(count).keys()].filter((i) => set & (1 << i)).length];
        add(set, j, -weight);
        add(set | (1 << j), j, weight);
      }
      return { weights, orders: 0 };
    }
    const pairs = Math.max(1, Math.floor(MOST_SETS / (2 * count)));
    for (let p = 0; p < pairs; p++) {
      const from = Math.floor((p * count) / pairs);
      const order = Array.from({ length: count }, (_, i) => (from + i) % count);
      for (const walk of [order, order.slice().reverse()]) {
        let set = 0n;
        for (const j of walk) {
          const joined = set | (1n << BigInt(j));
          add(set, j, -1 / (2 * pairs));
          add(joined, j, 1 / (2 * pairs));
          set = joined;
        }
      }
    }
    return { weights, orders: 2 * pairs };
  }

  /* What was computed for a key; of these the last ones are kept. */
  function remembered(held, key, most, compute) {
    const found = held.get(key) ?? compute();
    held.delete(key);
    held.set(key, found);
    if (held.size > most) held.delete(held.keys().next().value);
    return found;
  }

  /* The belief of a run: what it says of rows of encoded positions. */
  class Belief {
    static async of(data) {
      const arrays = await arraysOf(data.packed, data.arrays);
      return new Belief(data, arrays);
    }

    constructor(data, arrays) {
      const { rows, tried, trials, numbers } = arrays;
      this.data = data;
      this.space = new Space(data);
      const d = data.parameters.length;
      this.numbers = numbers.values;
      this.columns = data.parameters.map((_, j) => Float64Array.from(tried.values, (i) => rows.values[i * d + j]));
      this.functions = new Functions(arrays, "", trials.values, data.parameters);
      this.back = new WayBack(data.belief, arrays);
      this.labels = arrays.result_ends
        && new Functions(arrays, "result_", arrays.result_trials.values, data.parameters);
      this.parts = new Map();
      this.known = new Map();
    }

    /* What a value of a column adds, remembered: a move changes few. */
    part(functions, j, x) {
      if (!this.parts.has(functions)) this.parts.set(functions, new Map());
      const most = REMEMBERED * this.space.parameters.length;
      return remembered(this.parts.get(functions), `${j} ${x}`, most, () => functions.part(j, x));
    }

    standardized(functions, row) {
      return functions.values(functions.together(row.map((x, j) => this.part(functions, j, x))));
    }

    /* The objective in each draw; of the rows that were asked for last it is known. */
    draws(row) {
      return remembered(this.known, row.join(), REMEMBERED, () =>
        this.back.objective(this.standardized(this.functions, row), this.functions.ends));
    }

    /* The probability of a result that counts; null where every trial gave one. */
    result(row) {
      if (!this.data.result) return null;
      const { share, spread } = this.data.result;
      const label = this.labels ? mean(this.standardized(this.labels, row)) : 0;
      return clipped(share + spread * label, 0, 1);
    }

    /* The row of a trial, by its place among those tried. */
    tried(place) {
      return this.columns.map((column) => column[place]);
    }

    /* The nearest trial by Gower's distance: the root of the mean of squared differences. */
    nearest(row) {
      const apart = new Float64Array(this.numbers.length);
      row.forEach((x, j) => addApart(apart, this.space.parameters[j], this.columns[j], x));
      const least = apart.reduce((a, b) => Math.min(a, b), Infinity);
      return { number: this.numbers[apart.indexOf(least)], distance: Math.sqrt(least / row.length) };
    }

    /* The columns whose value is tried by few, or none. */
    untried(row) {
      return row.flatMap((x, j) => Number.isNaN(x)
        || triedNear(this.space.parameters[j], this.columns[j], x) >= FEW_TRIED ? [] : [j]);
    }

    /* What leads from a row to another: columns that change for no other reason than that they do. */
    changes(from, to) {
      return from.flatMap((x, j) => !same(x, to[j])
        && this.space.allowed(from, j) && this.space.allowed(to, j) ? [j] : []);
    }

    /* The Shapley value of each change in each draw: what it adds on average over their orders. */
    contributions(from, to) {
      const changed = this.changes(from, to), { weights, orders } = coalitions(changed.length);
      if (!changed.length) return { changed, gains: [], orders };
      const latent = from.map((x, j) => (Number.isNaN(to[j]) ? (Number.isNaN(x) ? this.data.start[j] : x) : to[j]));
      const rows = [...weights.keys()].map((set) => {
        const mixed = latent.slice();
        changed.forEach((j, i) => { mixed[j] = BigInt(set) & (1n << BigInt(i)) ? to[j] : from[j]; });
        return this.space.projected(mixed);
      });
      const part = (row, j) => this.part(this.functions, j, row[j]);
      const sum = this.functions.together(from.map((_, j) => part(rows[0], j)));
      const gains = changed.map(() => new Float64Array(this.data.draws));
      [...weights.values()].forEach((weight, i) => {
        // rows one after the other differ in few columns
        const before = rows[Math.max(i - 1, 0)], row = rows[i];
        row.forEach((x, j) => {
          if (!same(x, before[j])) this.functions.replace(sum, part(before, j), part(row, j));
        });
        const draws = this.back.objective(this.functions.values(sum), this.functions.ends);
        gains.forEach((gain, c) => { for (let k = 0; k < gain.length; k++) gain[k] += weight[c] * draws[k]; });
      });
      return { changed, gains, orders };
    }

    /* All that is said of a row: beside the trial to keep, and beside where it starts. */
    answer(row, start, keep) {
      const { stretch } = this.data, draws = this.draws(row), kept = this.draws(keep), before = this.draws(start);
      const { sign } = this.data.belief;
      const { changed, gains, orders } = this.contributions(start, row);
      return {
        predicted: this.predicted(draws),
        kept: this.predicted(kept),
        better: mean(draws.map((objective, k) => Number(sign * (kept[k] - objective) > 0))),
        result: this.result(row),
        nearest: this.nearest(row),
        untried: this.untried(row),
        change: estimated(draws.map((x, k) => x - before[k]), stretch),
        contributions: changed.map((j, i) => ({ j, ...estimated(gains[i], stretch) })),
        orders,
      };
    }

    /* The objective with what holds it in 95 %, what draws leave out too, inside its bounds. */
    predicted(draws) {
      const found = estimated(draws.map((x, k) => x + this.data.left_out[k]), this.data.stretch);
      return { ...found, low: this.back.inside(found.low), high: this.back.inside(found.high) };
    }
  }

  /* ------------------------------------------------------------------ texts */

  const signed = (text) => (text.startsWith("-") ? text.replace("-", "\u2212") : `+${text}`);
  /* A probability, which is never told to be smaller than what can be seen in so many draws. */
  const percent = (share, draws = 100) => {
    const least = Math.ceil(100 / draws);
    if (share < 1 / draws) return `< ${least} %`;
    return share > 1 - 1 / draws ? `> ${100 - least} %` : `${Math.round(100 * share)} %`;
  };

  /* A number with so many digits that an error of this size is seen. */
  function shown(value, error) {
    const size = Math.max(Math.abs(value), error);
    if (!(error > 0) || !Number.isFinite(size)) return String(Number(value.toPrecision(4)));
    const first = Math.floor(Math.log10(error)), decimals = (error / 10 ** first < 2 ? 1 : 0) - first;
    if (size < 1e-4 || size >= 1e6) {
      const digits = clipped(Math.floor(Math.log10(size)) + decimals, 0, 15);
      return value.toExponential(digits);
    }
    const rounded = decimals < 0 ? Math.round(value / 10 ** -decimals) * 10 ** -decimals : value;
    return rounded.toFixed(clipped(decimals, 0, 15)).replace(/^-(0(\.0*)?)$/, "$1");
  }

  /* All digits of a number, also as Python reads it. */
  const written = (value) => (value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value));
  const half = ({ low, high }) => (high - low) / 2;
  const between = (found) => [found.low, found.high].map((end) => shown(end, half(found))).join(" to ");

  /* ------------------------------------------------------------------ the panel */

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
      if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    made.append(...children);
    return made;
  };
  class Panel {
    constructor(place, data, belief, index) {
      this.data = data;
      this.belief = belief;
      this.space = belief.space;
      this.name = (what) => `what-if-${index}-${what}`;
      this.trials = new Map(data.trials.map(([number, row, value]) => [number, { row: belief.tried(row), value }]));
      this.keep = this.trials.get(data.keep).row;
      this.controls = data.parameters.map((_, j) => this.control(j));
      this.answers = element("div", { class: "what-if-answers" });
      this.spoken = element("p", { class: "what-if-spoken", "aria-live": "polite" });
      this.gains = element("div");
      this.code = element("pre", { tabindex: "0", "aria-label": "Code" });
      place.replaceChildren(this.head(), this.answers, this.spoken,
        element("div", { class: "what-if-panel" },
          element("div", {}, ...this.controls.map((control) => control.box)),
          element("div", { class: "what-if-more" }, this.gains, this.copying())));
      this.begin(data.keep);
    }

    /* Where it starts: a trial, of which those with the best objective come first. */
    head() {
      this.choice = element("select", { id: this.name("start") });
      for (const [number, , value] of this.data.trials) {
        const keeps = number === this.data.keep ? ", the one to keep" : "";
        this.choice.append(element("option", { value: number }, `trial ${number}: ${value || "no result"}${keeps}`));
      }
      this.choice.addEventListener("change", () => this.begin(Number(this.choice.value)));
      const back = element("button", { type: "button" }, "Back to this trial");
      back.addEventListener("click", () => this.begin(this.number));
      return element("p", { class: "what-if-head" },
        element("label", { for: this.name("start") }, "Start from "), this.choice, " ", back);
    }

    control(j) {
      const one = this.data.parameters[j], id = this.name(j);
      const said = element("span", { class: "what-if-was" });
      const control = { said, box: element("div", { class: "what-if-control" },
        element("label", { for: id }, one.name), said) };
      if (one.optional) {
        control.used = element("input", { type: "checkbox" });
        control.used.addEventListener("change", () => {
          this.used[j] = control.used.checked;
          this.move();
        });
        control.box.append(element("label", { class: "what-if-used" }, control.used, " is set"));
      }
      if (one.kind === "category") {
        control.field = element("select", { id }, ...one.choices.map((text, code) =>
          element("option", { value: code }, text)));
        control.field.addEventListener("change", () => this.set(j, Number(control.field.value)));
        control.box.append(control.field);
        return control;
      }
      const fixed = one.low === one.high;
      control.steps = one.size !== null && !one.log ? Math.max(one.size - 1, 1) : POSITIONS;
      control.slider = element("input", {
        type: "range", min: 0, max: control.steps, step: 1, "aria-label": one.name, disabled: fixed,
      });
      control.slider.addEventListener("input", () => this.slide(j, Number(control.slider.value) / control.steps));
      // a step of a logarithmic scale may be many positions, or none
      if (one.kind === "int" && one.log) control.slider.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        this.set(j, this.space.position(j, this.space.value(j, this.latent[j]) + by));
      });
      control.field = element("input", { id, type: "text", inputmode: "decimal", disabled: fixed, autocomplete: "off" });
      control.field.addEventListener("change", () => {
        const typed = Number(control.field.value.replace(",", "."));
        if (control.field.value.trim() && Number.isFinite(typed)) this.set(j, this.space.position(j, typed));
        else this.move();
      });
      control.box.append(control.slider, control.field);
      return control;
    }

    /* Takes a slider's position: a number without steps is rounded as one reads it. */
    slide(j, x) {
      const { kind, step, low, high } = this.data.parameters[j];
      const value = this.space.value(j, x);
      const read = kind === "int" || step !== null ? value : Number(value.toPrecision(this.space.digits(j)));
      this.set(j, this.space.position(j, clipped(read, low, high)));
    }

    copying() {
      const line = this.data.framework === "optuna" ? "Copy as enqueue_trial" : "Copy as dict";
      const button = element("button", { type: "button" }, line);
      button.addEventListener("click", async () => {
        const text = this.code.textContent;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {  // a page without the right to it: what is selected can be copied by hand
          getSelection().selectAllChildren(this.code);
          button.textContent = "Selected: copy it with Ctrl+C";
        }
        setTimeout(() => { button.textContent = line; }, 2000);
      });
      return element("div", { class: "what-if-code" }, button, this.code);
    }

    begin(number) {
      this.number = number;
      this.start = this.trials.get(number).row;
      this.latent = this.start.map((x, j) => (Number.isNaN(x) ? this.data.start[j] : x));
      this.used = this.start.map((x, j) => !this.data.parameters[j].optional || !Number.isNaN(x));
      this.choice.value = number;
      this.show();
    }

    set(j, x) {
      this.latent[j] = x;
      this.move();
    }

    /* Answers once for all moves until the screen is drawn. */
    move() {
      if (this.waiting) return;
      this.waiting = requestAnimationFrame(() => {
        this.waiting = null;
        this.show();
      });
    }

    get row() {
      return this.space.projected(this.latent.map((x, j) => (this.used[j] ? x : NaN)));
    }

    text(j, x) {
      if (Number.isNaN(x)) return "inactive";
      const one = this.data.parameters[j];
      return one.kind === "category" ? one.choices[x] : this.number_of(j, x);
    }

    number_of(j, x) {
      const { kind, step } = this.data.parameters[j], value = this.space.value(j, x);
      const digits = step === null ? this.space.digits(j) : 12;
      return kind === "int" ? String(value) : written(Number(value.toPrecision(digits)));
    }

    show() {
      const { row } = this;
      this.controls.forEach((control, j) => this.showControl(control, j, row));
      const found = this.belief.answer(row, this.start, this.keep);
      this.showAnswers(found, row);
      this.showGains(found, row);
      this.code.textContent = this.python(row);
    }

    showControl({ box, said, field, slider, steps, used }, j, row) {
      const one = this.data.parameters[j], x = this.latent[j];
      box.hidden = !this.space.allowed(row, j);
      if (used) {
        used.checked = this.used[j];
        field.disabled = !used.checked;
        if (slider) slider.disabled = !used.checked;
      }
      if (slider) {
        field.value = this.number_of(j, x);
        slider.value = Math.round(x * steps);
        slider.setAttribute("aria-valuetext", this.text(j, x));
      } else field.value = x;
      said.textContent = same(row[j], this.start[j]) ? "" : `was ${this.text(j, this.start[j])}`;
    }

    showAnswers(found, row) {
      const { objective, keep } = this.data, { predicted } = found;
      const kept = row.every((x, j) => same(x, this.keep[j]));
      const fact = (name, value, ...more) => element("div", {},
        element("dt", {}, name), element("dd", {}, element("strong", {}, value), ...more));
      const value = (one) => [shown(one.mean, half(one)), ` (${between(one)})`];
      const facts = [fact(`Predicted ${objective}`, ...value(predicted), this.strip(predicted))];
      facts.push(fact(`Trial ${keep}, the one to keep`, ...value(found.kept), this.strip(found.kept)));
      facts.push(fact(`Better than trial ${keep}`, kept ? "the same" : percent(found.better, this.data.draws)));
      if (found.result !== null) facts.push(fact("Gives a result", percent(found.result)));
      facts.push(fact("Tried near it?", this.near(found)));
      this.answers.replaceChildren(element("dl", {}, ...facts));
      this.spoken.textContent = `Predicted ${objective}: ${value(predicted).join("")}.`;
    }

    /* A value with its interval, on the range of most trials; what lies beyond ends there. */
    strip({ mean: center, low, high }) {
      const [first, last] = this.data.range, at = (x) => clipped((100 * (x - first)) / (last - first || 1), 0, 100);
      const line = element("span", { class: "what-if-interval" }), dot = element("span", { class: "what-if-dot" });
      line.style.left = `${at(low)}%`;
      line.style.right = `${100 - at(high)}%`;
      dot.style.left = `${at(center)}%`;
      return element("span", { class: "what-if-strip", "aria-hidden": "true" }, line, dot);
    }

    /* Whether anything was tried near: the whole configuration, and each of its values. */
    near({ nearest, untried }) {
      if (nearest.distance > this.data.radius) return "nothing was";
      return untried.length ? "hardly" : "yes";
    }

    nearby({ nearest, untried }) {
      const [distance, radius] = [nearest.distance, this.data.radius].map((x) => x.toPrecision(2));
      const notes = nearest.distance < SAME ? [`This is trial ${nearest.number}.`]
        : [`The nearest trial is ${nearest.number}, at a distance of ${distance}; near is up to ${radius}.`];
      const names = untried.map((j) => this.data.parameters[j].name).join(", ");
      if (names) notes.push(`Fewer than ${FEW_TRIED} trials have such values of ${names}.`);
      return notes;
    }

    showGains(found, row) {
      const { contributions, orders } = found, { parameters, belief } = this.data;
      const rows = [...contributions].sort((a, b) => Math.abs(b.mean) - Math.abs(a.mean));
      const most = Math.max(...rows.map((one) => Math.abs(one.mean)), Number.MIN_VALUE);
      const lines = rows.map((one) => {
        const worse = belief.sign * one.mean > 0;
        const bar = element("span", { class: `bar ${worse ? "for term-1" : "against term-0"}` });
        bar.style.setProperty("--size", `${(50 * Math.abs(one.mean)) / most}%`);
        const change = `${this.text(one.j, this.start[one.j])} \u2192 ${this.text(one.j, row[one.j])}`;
        return element("tr", {},
          element("th", { scope: "row" }, parameters[one.j].name, element("small", {}, change)),
          element("td", { class: "bars" }, bar), element("td", { class: "number" }, this.plusMinus(one)));
      });
      const sides = ["better", "worse"].map((side) => element("span", {}, side));
      const head = element("tr", {}, element("th", { scope: "col" }, "changed"),
        element("th", { scope: "col", class: "sides" }, sides[0], " ", sides[1]),
        element("th", { scope: "col", class: "number" }, this.data.objective));
      const shown = rows.length ? [
        element("p", { class: "finding" }, `${this.plusMinus(found.change)} from trial ${this.number} to here`),
        element("div", {
          class: "scroll tall explanation", tabindex: "0", role: "region", "aria-label": "What each change does",
        }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines))),
      ] : [element("p", { class: "finding" }, "Move any value.")];
      const notes = [...this.follows(row), ...this.nearby(found)];
      if (orders) notes.push(`Each change counts by its average over ${orders} orders of the changes.`);
      this.gains.replaceChildren(...shown, element("p", { class: "about" }, notes.join(" ")));
    }

    /* What becomes active or inactive along with the changes. */
    follows(row) {
      const turned = (from, to) => row.flatMap((_, j) => !this.data.parameters[j].optional
        && Number.isNaN(from[j]) && !Number.isNaN(to[j]) ? [j] : []);
      const active = turned(this.start, row).map((j) => `${this.data.parameters[j].name} = ${this.text(j, row[j])}`);
      const inactive = turned(row, this.start).map((j) => this.data.parameters[j].name);
      return [
        ...(active.length ? [`Becomes active along with it: ${active.join(", ")}.`] : []),
        ...(inactive.length ? [`Becomes inactive along with it: ${inactive.join(", ")}.`] : []),
      ];
    }

    plusMinus(found) {
      const error = half(found), [first, last] = this.data.range;
      if (Math.max(Math.abs(found.mean), error) <= SAME * (last - first)) return "0";
      return error > 0 ? `${signed(shown(found.mean, error))} \u00b1 ${shown(error, error)}` : signed(shown(found.mean, 0));
    }

    python(row) {
      const pairs = row.flatMap((x, j) => {
        if (Number.isNaN(x)) return [];
        const { code, codes, kind } = this.data.parameters[j], value = this.space.value(j, x);
        let text = codes ? codes[value] : written(value);
        if (kind === "float" && /^-?\d+$/.test(text)) text += ".0";
        return [`${code}: ${text}`];
      });
      const config = `{${pairs.join(", ")}}`;
      return this.data.framework === "optuna" ? `study.enqueue_trial(${config})` : `config = ${config}`;
    }
  }

  /* The trial that is chosen in the history becomes the start. */
  function startedFrom(panel, place, steps) {
    const button = element("button", { type: "button" }, "What if, from this trial");
    button.addEventListener("click", () => {
      const chosen = steps.closest(".trials").querySelector("[aria-selected=true]");
      const number = Number(chosen.id.split("-").at(-1));
      if (!panel.trials.has(number)) return;
      panel.begin(number);
      place.scrollIntoView();
      panel.choice.focus({ preventScroll: true });
    });
    steps.append(button);
  }

  document.querySelectorAll(".what-if").forEach(async (place, index) => {
    const data = JSON.parse(place.querySelector('script[type="application/json"]').textContent);
    if (!("DecompressionStream" in window)) {
      place.firstElementChild.textContent = "This browser is too old to unpack the model.";
      return;
    }
    const panel = new Panel(place, data, await Belief.of(data), index);
    const steps = place.closest(".tab").querySelector(".trials .steps");
    if (steps) startedFrom(panel, place, steps);
    place.whatIf = panel;
  });
})();
