/* The profiler: draws of the belief, evaluated along each hyperparameter at every move of a setting.
   `belief/portable.py` says what the arrays hold; texts are only ever set as text. */
(() => {
  "use strict";

  /* ------------------------------------------------------------------ the draws */

  const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, u2: Uint16Array };
  const TURN = (2 * Math.PI) / 65536;
  const DIGITS = 4;  // of a value that is dragged
  const REMEMBERED = 200;  // parts of rows
  const SETTLED = 300;  // ms without a move
  const BUDGET = 20;  // ms of a frame for curves; the others follow in the next one
  const SAME = 1e-9;

  async function arraysOf(packed, places) {
    const buffer = await unpacked(packed).arrayBuffer();
    return Object.fromEntries(Object.entries(places).map(([name, [kind, start, shape]]) => {
      const length = shape.reduce((product, size) => product * size, 1);
      return [name, { shape, values: new KINDS[kind](buffer, start, length) }];
    }));
  }

  /* The products of three rows (their numbers beside each other) with three rows of weights. */
  function products(rows, weights, at, size, found) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0;
    for (let p = 0, u = at, v = u + size, w = v + size; u < at + size; p += 3, u++, v++, w++) {
      const x = rows[p], y = rows[p + 1], z = rows[p + 2], first = weights[u], second = weights[v], third = weights[w];
      a += x * first; b += y * first; c += z * first;
      d += x * second; e += y * second; f += z * second;
      g += x * third; h += y * third; i += z * third;
    }
    found[0] = a; found[1] = b; found[2] = c;
    found[3] = d; found[4] = e; found[5] = f;
    found[6] = g; found[7] = h; found[8] = i;
  }

  /* Functions of several settings of a kernel. A row is the product over its columns of waves (as
     complex numbers) and of correlations with each trial, and a sum of parts of each draw. */
  class Functions {
    constructor(arrays, prefix, learned, parameters) {
      for (const [name, { values }] of Object.entries(arrays)) if (name.startsWith(prefix)) this[name.slice(prefix.length)] = values;
      [this.settings, this.columns, this.features] = arrays[`${prefix}frequency`].shape;
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
      const every = Int32Array.from({ length: this.features }, (_, f) => f);
      this.whole = this.weighed(Array.from({ length: this.settings }, () => every));
      const angle = Float64Array.from(this.shift, (turns) => TURN * turns);
      this.none = {
        cos: Float32Array.from(angle, Math.cos), sin: Float32Array.from(angle, Math.sin), alone: this.constant,
        own: new Float32Array(this.settings * this.trials).fill(1),
      };
    }

    /* What a value of a column takes part with; NaN is inactive. */
    part(j, x) {
      const { settings: S, features: F, trials: n, draws: K, columns: d, waves: W } = this;
      const cos = new Float32Array(S * F), sin = new Float32Array(S * F);
      const own = new Float32Array(S * n), alone = new Float64Array(K), base = new Float64Array(n);
      const off = Number.isNaN(x), number = !off && !this.category[j], at = this.learned[j];
      const place = off ? this.last[j] : this.first[j] + x;
      for (let s = 0; s < S; s++) {
        const sj = s * d + j, weight = this.weight[sj], rate = this.rate[sj], amplitude = this.amplitude[sj];
        for (let f = 0; f < F; f++) {
          const angle = number ? x * this.frequency[sj * F + f] : TURN * this.phase[(s * this.places + place) * F + f];
          cos[s * F + f] = Math.cos(angle);
          sin[s * F + f] = Math.sin(angle);
        }
        for (let i = 0; i < n; i++) {
          const without = Number.isNaN(at[i]);
          base[i] = 0;
          if (number && !without) {
            const r = Math.abs(x - at[i]) * rate;
            base[i] = (1 + r + (r * r) / 3) * Math.exp(-r);
          } else if (!off && x === at[i]) base[i] = 1;
          own[s * n + i] = off && without ? 1 : 1 - weight + weight * base[i];
        }
        if (!amplitude) continue;
        for (let k = this.ends[s]; k < this.ends[s + 1]; k++) {
          let sum = 0;
          for (let i = 0, u = k * n; i < n; i++, u++) sum += base[i] * this.update[u];
          alone[k] += amplitude * sum;
          if (!number) alone[k] += this.step[place * K + k];
        }
        if (number) for (let w = 0; w < W; w++) {
          const wave = Math.cos(x * this.wave[sj * W + w] + TURN * this.wave_phase[sj * W + w]);
          for (let k = this.ends[s]; k < this.ends[s + 1]; k++)
            alone[k] += wave * this.wave_slope_unit[j * K + k] * this.wave_slope[(j * W + w) * K + k];
        }
      }
      return { cos, sin, own, alone };
    }

    /* What two take part with, together. */
    joined(a, b) {
      const size = a.cos.length, cos = new Float32Array(size), sin = new Float32Array(size);
      const own = new Float32Array(a.own.length), alone = new Float64Array(this.draws);
      for (let i = 0; i < size; i++) {
        cos[i] = a.cos[i] * b.cos[i] - a.sin[i] * b.sin[i];
        sin[i] = a.sin[i] * b.cos[i] + a.cos[i] * b.sin[i];
      }
      for (let i = 0; i < own.length; i++) own[i] = a.own[i] * b.own[i];
      for (let k = 0; k < alone.length; k++) alone[k] = a.alone[k] + b.alone[k];
      return { cos, sin, own, alone };
    }

    together(parts) {
      return parts.reduce((sum, part) => this.joined(sum, part));
    }

    /* What some features of each setting, and all trials, weigh in its draws: rows of threes. */
    weighed(some) {
      const { features: F, trials: n, ends } = this;
      return some.map((features, s) => {
        const draws = ends[s + 1] - ends[s], size = features.length + n;
        const weights = new Float64Array(3 * Math.ceil(draws / 3) * size);
        for (let k = ends[s], w = 0; k < ends[s + 1]; k++) {
          for (const f of features) weights[w++] = this.slope_unit[k] * this.slope[k * F + f];
          for (let i = 0; i < n; i++) weights[w++] = this.product[s] * this.update[k * n + i];
        }
        return { features, weights };
      });
    }

    /* The same of those that vary among parts: the others are the same for all. */
    varying(parts) {
      return this.weighed(this.whole.map(({ features }, s) => features.filter((f) =>
        parts.some((part) => part.sin[s * this.features + f] !== 0))));
    }

    /* The standardized value of each draw where each of some parts joins the rest. */
    values(rest, parts, weighed = this.whole) {
      const { settings: S, features: F, trials: n, ends } = this, of = new Float64Array(9);
      const found = parts.map((part) => part.alone.map((x, k) => x + rest.alone[k]));
      for (let s = 0; s < S; s++) {
        const { features, weights } = weighed[s], m = features.length, size = m + n;
        const still = rest.cos.slice(s * F, (s + 1) * F);
        for (const f of features) still[f] = 0;
        if (m < F) for (let k = ends[s]; k < ends[s + 1]; k++) {
          let sum = 0;
          for (let f = 0, at = k * F; f < F; f++, at++) sum += still[f] * this.slope[at];
          for (const values of found) values[k] += this.slope_unit[k] * sum;
        }
        const rows = new Float64Array(3 * size);
        for (let g = 0; g < parts.length; g += 3) {
          for (let q = 0; q < 3 && g + q < parts.length; q++) {
            const { cos, sin, own } = parts[g + q];
            for (let i = 0, p = q; i < m; i++, p += 3) {
              const at = s * F + features[i];
              rows[p] = rest.cos[at] * cos[at] - rest.sin[at] * sin[at];
            }
            for (let i = s * n, p = 3 * m + q; i < (s + 1) * n; i++, p += 3) rows[p] = rest.own[i] * own[i];
          }
          for (let k = ends[s], at = 0; k < ends[s + 1]; k += 3, at += 3 * size) {
            products(rows, weights, at, size, of);
            for (let q = 0; q < 9; q++)
              if (g + (q % 3) < parts.length && k + Math.floor(q / 3) < ends[s + 1]) found[g + (q % 3)][k + Math.floor(q / 3)] += of[q];
          }
        }
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
  const nearest = (levels, x) => levels.reduce((best, level, i) => (Math.abs(level - x) < Math.abs(levels[best] - x) ? i : best), 0);

  class Space {
    constructor({ parameters, parents_first }) {
      this.parameters = parameters;
      this.order = parents_first;
      const parents = parameters.flatMap(({ rules }) => rules.map(([j]) => j));
      this.parent = parameters.map((_, j) => parents.includes(j));
    }

    /* The value at a position, as Python decodes it; of a category its place among the choices. */
    value(j, x) {
      const { kind, low, high, log, step, size, levels, values } = this.parameters[j];
      if (kind === "category" || low === high) return kind === "category" ? x : low;
      if (levels) return values[nearest(levels, x)];
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
      const { kind, low, high, log, step, size, levels } = this.parameters[j];
      if (kind === "category") return value;
      if (low === high) return 0;
      const near = kind === "int" && !levels ? low + step * Math.round((clipped(value, low, high) - low) / step)
        : clipped(value, low, high);
      const x = log ? (Math.log(near) - Math.log(low)) / (Math.log(high) - Math.log(low)) : (near - low) / (high - low);
      if (levels) return levels[nearest(levels, x)];
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

  /* How far the values of a column are from one, squared: 1 where one alone is active. */
  const apart = ({ kind }, tried, x) => tried.map((at) => {
    if (Number.isNaN(x) || Number.isNaN(at)) return Number(Number.isNaN(x) !== Number.isNaN(at));
    return kind === "category" ? Number(at !== x) : (at - x) ** 2;
  });

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

  /* Orders of changes: each from another one on, there and back. Of up to three these are all. */
  function orders(changed) {
    const most = Math.min(changed.length, 4);
    return Array.from({ length: most }, (_, p) => {
      const from = Math.floor((p * changed.length) / most), order = [...changed.slice(from), ...changed.slice(0, from)];
      return [order, order.toReversed()];
    }).flat();
  }

  /* The belief of a run: what it says of rows of encoded positions. */
  class Belief {
    static async of(data) {
      return new Belief(data, await arraysOf(data.packed, data.arrays));
    }

    constructor(data, arrays) {
      const { rows, tried, trials, observed, numbers } = arrays;
      this.data = data;
      this.space = new Space(data);
      const d = data.parameters.length;
      this.observed = observed.values;
      this.numbers = numbers.values;
      this.columns = data.parameters.map((_, j) => Float64Array.from(tried.values, (i) => rows.values[i * d + j]));
      this.functions = new Functions(arrays, "", trials.values, data.parameters);
      this.back = new WayBack(data.belief, arrays);
      this.labels = arrays.result_ends
        && new Functions(arrays, "result_", arrays.result_trials.values, data.parameters);
      this.grids = new Map();
    }

    /* What a value of a column takes part with, remembered: a move changes few. */
    part(functions, j, x) {
      const known = functions.known ??= new Map(), key = `${j} ${x}`;
      if (known.size > REMEMBERED) known.clear();
      if (!known.has(key)) known.set(key, functions.part(j, x));
      return known.get(key);
    }

    partsOf(functions, row) {
      return row.map((x, j) => this.part(functions, j, x));
    }

    objective(values) {
      return this.back.objective(values, this.functions.ends);
    }

    /* The objective in each draw. */
    draws(row) {
      const { none } = this.functions;
      const [values] = this.functions.values(none, [this.functions.together(this.partsOf(this.functions, row))]);
      return this.objective(values);
    }

    /* Curves along each column from a row of values, of which some are not set: `along` gives the objective
       in each draw at each position of a column that is active. */
    curves(latent, project) {
      const row = project(latent), { functions } = this, parts = this.partsOf(functions, row);
      const rests = [];
      let before = functions.none;
      for (const part of parts) {
        rests.push(before);
        before = functions.joined(before, part);
      }
      let after = null;
      for (let j = parts.length - 1; j >= 0; j--) {
        if (after) rests[j] = functions.joined(rests[j], after);
        after = after ? functions.joined(parts[j], after) : parts[j];
      }
      return {
        row,
        draws: this.objective(functions.values(functions.none, [after])[0]),
        along: (j) => this.along(j, rests[j], row, latent, project),
      };
    }

    along(j, rest, row, latent, project) {
      const { functions, space } = this, positions = this.data.positions[j];
      if (!this.grids.has(j)) {
        const parts = positions.map((x) => functions.part(j, x));
        this.grids.set(j, { parts, varying: functions.varying(parts) });
      }
      const grid = this.grids.get(j), found = [], alike = new Map();
      positions.forEach((x, g) => {  // what is active beside it may depend on its value
        const moved = space.parent[j] ? project(latent.with(j, x)) : row;
        const others = moved.with(j, null), key = others.join();
        if (!alike.has(key)) alike.set(key, { others, places: [] });
        alike.get(key).places.push(g);
      });
      const here = row.with(j, null).join();
      for (const [key, { others, places }] of alike) {
        const around = key === here ? rest : functions.together([functions.none,
          ...others.flatMap((x, i) => (i === j ? [] : [this.part(functions, i, x)]))]);
        functions.values(around, places.map((g) => grid.parts[g]), grid.varying)
          .forEach((values, i) => { found[places[i]] = this.objective(values); });
      }
      return found;
    }

    /* The probability of a result that counts; null where every trial gave one. */
    result(row) {
      if (!this.data.result) return null;
      const { share, spread } = this.data.result, { labels } = this;
      const label = labels
        ? mean(labels.values(labels.none, [labels.together(this.partsOf(labels, row))])[0]) : 0;
      return clipped(share + spread * label, 0, 1);
    }

    /* The row of a trial, by its place among those tried. */
    tried(place) {
      return this.columns.map((column) => column[place]);
    }

    /* Which trials are near a row by Gower's distance (the root of the mean of squared differences):
       all of it, or all but one column. */
    near(row) {
      const { parameters } = this.space, most = this.data.radius ** 2 * row.length + SAME;
      const each = row.map((x, j) => apart(parameters[j], this.columns[j], x));
      const whole = this.observed.map((_, i) => each.reduce((sum, column) => sum + column[i], 0));
      const places = (far) => [...whole.keys()].filter((i) => far(i) <= most);
      return { all: places((i) => whole[i]), but: (j) => places((i) => whole[i] - each[j][i]) };
    }

    /* What leads from a row to another: columns that change for no other reason than that they do. */
    changes(from, to) {
      return from.flatMap((x, j) => !same(x, to[j])
        && this.space.allowed(from, j) && this.space.allowed(to, j) ? [j] : []);
    }

    /* What each change adds in each draw, on average over orders of the changes. */
    contributions(from, to) {
      const changed = this.changes(from, to), walks = orders(changed);
      const latent = from.map((x, j) => (Number.isNaN(to[j]) ? (Number.isNaN(x) ? this.data.usual[j] : x) : to[j]));
      const gains = new Map(changed.map((j) => [j, new Float64Array(this.data.draws)]));
      for (const walk of walks) {
        const mixed = latent.map((x, j) => (changed.includes(j) ? from[j] : x));
        let before = this.draws(this.space.projected(mixed));
        for (const j of walk) {
          mixed[j] = to[j];
          const after = this.draws(this.space.projected(mixed));
          gains.get(j).forEach((sum, k, gain) => { gain[k] = sum + (after[k] - before[k]) / walks.length; });
          before = after;
        }
      }
      return { gains: [...gains], orders: walks.length };
    }

    /* The chance of being better than other draws by what counts. */
    better(draws, kept) {
      return mean(draws.map((objective, k) =>
        Number(this.data.belief.sign * (kept[k] - objective) > this.data.between)));
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

  const probably = (share) => (share >= 0.95 ? "better" : share >= 0.5 ? "probably better"
    : share >= 0.05 ? "probably not better" : "not better");

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

  /* ------------------------------------------------------------------ a hyperparameter */

  /* The picture of one hyperparameter, which is the handle of its setting. */
  class Panel {
    constructor(box, profiler) {
      this.box = box;
      this.profiler = profiler;
      this.j = Number(box.dataset.j);
      this.one = profiler.data.parameters[this.j];
      this.plot = box.querySelector(".profile-plot");
      const { name, choices, levels } = this.one, positions = profiler.data.positions[this.j];
      this.x = positions.map((u) => this.across(u));
      this.apart = choices ?? levels;  // points with intervals, and nothing between them
      this.said = element("span", { class: "profile-said", role: "alert" });
      this.field = choices
        ? element("select", { "aria-label": name }, ...choices.map((text, code) => element("option", { value: code }, text)))
        : element("input", { "aria-label": name, inputmode: "decimal", autocomplete: "off" });
      this.field.addEventListener("change", () => this.typed(this.field.value));
      const head = box.querySelector("h3"), button = pressed(name, () => profiler.beside(this.j));
      button.title = `Show how the other curves change with ${name}`;
      head.replaceChildren(button);
      const value = element("p", { class: "profile-value" }, this.field, this.said);
      head.after(value);
      if (this.one.optional) {
        this.used = element("input", { type: "checkbox" });
        this.used.addEventListener("change", () => {
          profiler.used[this.j] = this.used.checked;
          profiler.move();
        });
        value.prepend(element("label", {}, this.used, " set "));
      }
      attributed(this.plot, { role: "slider", tabindex: 0, "aria-valuemin": positions[0], "aria-valuemax": positions.at(-1), "aria-label": name });
      for (const type of ["pointerdown", "pointermove"]) this.plot.addEventListener(type, (event) => {
        if (type === "pointerdown") this.plot.setPointerCapture(event.pointerId);
        if (this.plot.hasPointerCapture(event.pointerId)) this.drag(event);
      });
      this.plot.addEventListener("keydown", (event) => this.key(event));
    }

    path(name, d) {
      this.plot.querySelector(`.${name}`).setAttribute("d", d);
    }

    /* Where a position stands, in pixels of the picture. */
    across(u) {
      const { left, right } = this.profiler.data.frame, { choices } = this.one;
      return left + (right - left) * (choices ? (u + 0.5) / choices.length : u);
    }

    up(value) {
      const { low, high, top, bottom } = this.profiler.data.frame;
      return bottom - ((bottom - top) * (clipped(value, low, high) - low)) / (high - low);
    }

    drag(event) {
      const { left, right } = this.profiler.data.frame, box = this.plot.getBoundingClientRect();
      const pixel = ((event.clientX - box.left) / box.width) * this.plot.viewBox.baseVal.width;
      this.go((pixel - left) / (right - left));
    }

    /* Takes a share of the way across: a number without steps is rounded as one reads it. */
    go(share) {
      const { kind, step, low, high, choices, levels } = this.one, { space } = this.profiler, x = clipped(share, 0, 1);
      if (choices) {
        this.profiler.set(this.j, Math.min(Math.floor(x * choices.length), choices.length - 1));
        return;
      }
      const value = space.value(this.j, x);
      const read = kind === "int" || step !== null || levels || low === high ? value : Number(value.toPrecision(space.digits(this.j)));
      this.profiler.set(this.j, space.position(this.j, read));
    }

    key(event) {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      const { kind, size, choices, step, levels } = this.one, { space, latent } = this.profiler, x = latent[this.j];
      if (choices) this.profiler.set(this.j, clipped(x + by, 0, choices.length - 1));
      else if (levels) this.profiler.set(this.j, levels[clipped(nearest(levels, x) + by, 0, size - 1)]);
      else if (kind === "int") this.profiler.set(this.j, space.position(this.j, space.value(this.j, x) + by * step));
      else this.go(x + by / (size ? size - 1 : 100));
    }

    typed(text) {
      const { low, high, choices } = this.one, value = Number(text.replace(",", "."));
      const wrong = !text.trim() || !Number.isFinite(value) ? "not a number"
        : !choices && (value < low || value > high) ? `outside: ${low} to ${high}` : "";
      this.complain(wrong);
      if (!wrong) this.profiler.set(this.j, this.profiler.space.position(this.j, value));
    }

    complain(wrong) {
      this.said.textContent = wrong;
      this.field.setAttribute("aria-invalid", Boolean(wrong));
    }

    /* Where it is set. */
    place(x) {
      const off = Number.isNaN(x), text = this.profiler.text(this.j, x), at = this.across(off ? 0 : x);
      const setting = this.plot.querySelector(".setting"), said = setting.querySelector("text");
      for (const part of [this.box, this.plot]) part.classList.toggle("inactive", off);
      attributed(setting, { transform: `translate(${at})` });
      attributed(said, { "text-anchor": at < 140 ? "start" : "end" }).textContent = text;
      attributed(this.plot, { "aria-valuenow": off ? 0 : x, "aria-valuetext": text });
      this.field.disabled = off || this.one.low === this.one.high && !this.one.choices;
      this.field.value = this.one.choices ? x : off ? "" : text;
      this.field.title = off ? "" : text;  // a long category is cut
      this.complain("");
      if (this.used) this.used.checked = this.profiler.used[this.j];
    }

    /* The curve, of which each point has a mean and its ends. */
    draw(points) {
      const each = (end) => points.map((point, g) => [this.x[g], this.up(point[end])]), [low, high] = [each("low"), each("high")];
      const bars = (some) => some.map((g) => `M${low[g]}V${high[g][1]}`).join("");
      const area = points.length ? `M${[...low, ...high.toReversed()].join("L")}Z` : "";
      this.path("band", this.apart ? bars([...points.keys()]) : area);
      this.path("untried", points.length ? bars(this.profiler.data.untried[this.j]) : "");
      this.path("mean", this.line(points.map((point) => point.mean)));
    }

    line(values) {
      const texts = values.map((value, g) => `${this.x[g]},${this.up(value)}`);
      return this.apart ? texts.map((text) => `M${text}h0`).join("") : texts.length ? `M${texts.join("L")}` : "";
    }

    /* Trials that differ from the setting by little but here. */
    near(places) {
      const { columns, observed } = this.profiler.belief, column = columns[this.j];
      this.path("near", places.filter((i) => !Number.isNaN(column[i] + observed[i]))
        .map((i) => `M${this.across(column[i])},${this.up(observed[i])}h0`).join(""));
    }
  }

  /* ------------------------------------------------------------------ the profiler */

  const BESIDE = ["first", "second", "third"];
  const row_of = (given) => given.map((x) => x ?? NaN);

  class Profiler {
    constructor(place, data, belief) {
      Object.assign(this, { place, data, belief, space: belief.space, focus: null, stale: [] });
      this.keep = row_of(data.starts.keep[1]);
      this.kept = belief.draws(this.keep);
      this.trials = new Map(Array.from(belief.numbers, (number, at) => [number, at]));
      this.panels = [...place.querySelectorAll(".profile")].map((box) => new Panel(box, this));
      this.answers = place.querySelector(".what-if-answers");
      this.note = element("p", { class: "about profile-note" });
      this.code = element("pre", { tabindex: "0", "aria-label": "Text to copy", hidden: "" });
      this.table = element("div");
      place.querySelector(".profile-keys").before(this.head());
      place.append(this.note, this.table);
      place.querySelector("details")?.addEventListener("toggle", () => this.move());
      this.id = place.closest("[id]").id;
      addEventListener("hashchange", () => this.linked());
      place.closest(".tab").addEventListener("trial", ({ detail }) => this.tried(detail));
      if (!this.linked()) this.begin(this.keep);
    }

    /* Where it starts from, and what takes a setting along. */
    head() {
      const { data } = this, starts = Object.values(data.starts);
      const any = element("select", { "aria-label": "Any trial" }, element("option", { value: "" }, "any trial"),
        ...data.trials.map(([number, value]) => element("option", { value: number }, `trial ${number}: ${value}`)));
      any.addEventListener("change", () => this.tried(Number(any.value)));
      const compare = pressed("Compare", () => {
        this.held = this.held ? null : this.row;
        compare.textContent = this.held ? "Stop comparing" : "Compare";
        this.settled();
      });
      const copies = data.copies.map((kind) => pressed(kind, (button) => this.copy(button, this.python(kind))));
      return element("div", { class: "profile-head" },
        element("p", {}, "Start from ", ...starts.map(([text, row]) => pressed(text, () => this.begin(row_of(row)))), any),
        element("p", {}, "Copy as ", ...copies), element("p", {}, compare, pressed("Link", (button) => this.copy(button, location.href.split("#")[0] + this.address())),
          pressed("Picture", () => this.picture())), this.code);
    }

    tried(number) {
      if (this.trials.has(number)) this.begin(this.belief.tried(this.trials.get(number)));
    }

    begin(row) {
      this.latent = row.map((x, j) => (Number.isNaN(x) ? this.data.usual[j] : x));
      this.used = row.map((x, j) => !this.data.parameters[j].optional || !Number.isNaN(x));
      this.move();
    }

    set(j, x) {
      if (Number.isNaN(this.row[j])) return;
      this.latent[j] = x;
      this.move(j);
    }

    /* Has all other curves told at three values of a hyperparameter. */
    beside(j) {
      this.focus = this.focus === j ? null : j;
      this.move();
    }

    get row() {
      return this.project(this.latent);
    }

    project(latent) {
      return this.space.projected(latent.map((x, j) => (this.used[j] ? x : NaN)));
    }

    /* Answers once for all moves until the screen is drawn. */
    move(moved) {
      this.moved = this.waiting && this.moved !== moved ? undefined : moved;
      this.waiting ??= requestAnimationFrame(() => {
        this.waiting = null;
        this.show(this.moved);
      });
      clearTimeout(this.settling);
      this.settling = setTimeout(() => {
        try {
          if (this.address() !== location.hash) history.replaceState(null, "", this.address());
        } catch { /* a notebook's frame has no address */ }
        this.settled();
      }, SETTLED);
    }

    /* What is dragged does not change its own curve. */
    show(moved) {
      const project = (latent) => this.project(latent), { focus } = this;
      this.curves = this.belief.curves(this.latent, project);
      const { row } = this.curves, near = this.belief.near(row);
      for (const panel of this.panels) panel.place(row[panel.j]);
      this.showAnswers(row, near);
      const at = focus === null || Number.isNaN(row[focus]) ? [] : this.data.positions[focus];
      const three = [...new Set([at[0], at[at.length >> 1], at.at(-1)])].slice(0, at.length);
      this.others = three.map((x) => this.belief.curves(this.latent.with(focus, x), project));
      this.note.replaceChildren(...three.flatMap((x, i) => [element("strong", { class: BESIDE[i] }, `${this.data.parameters[focus].name} = ${this.text(focus, x)} `)]));
      const open = this.panels.filter(({ box }) => box.closest("details")?.open ?? true);
      for (const panel of open) panel.near(near.but(panel.j));
      this.stale = [...new Set([...this.stale, ...open])].filter(({ j }) => j !== moved);
      this.work();
    }

    /* Draws curves as long as a frame lasts, the others in the next ones. */
    work() {
      const begun = performance.now();
      while (this.stale.length && performance.now() - begun < BUDGET) {
        const panel = this.stale.shift(), { j } = panel, off = Number.isNaN(this.curves.row[j]);
        panel.draw(off ? [] : this.curves.along(j).map((draws) => this.belief.predicted(draws)));
        BESIDE.forEach((name, i) => {
          const other = j !== this.focus && this.others[i];
          panel.path(name, other && !Number.isNaN(other.row[j]) ? panel.line(other.along(j).map(mean)) : "");
        });
      }
      if (this.stale.length) this.later ??= requestAnimationFrame(() => {
        this.later = null;
        this.work();
      });
    }

    text(j, x) {
      if (Number.isNaN(x)) return "inactive";
      const { kind, step, choices, levels } = this.data.parameters[j], value = this.space.value(j, x);
      if (levels) return written(value);
      const digits = step === null ? this.space.digits(j) : 12;
      return choices ? choices[x] : kind === "int" ? String(value) : written(Number(value.toPrecision(digits)));
    }

    showAnswers(row, near) {
      const { objective, keep, draws: count, counts } = this.data, { belief } = this;
      const kept = row.every((x, j) => same(x, this.keep[j])), result = belief.result(row);
      const fact = (name, value, more = "") => element("div", {},
        element("dt", {}, name), element("dd", {}, element("strong", {}, value), more));
      const value = (one) => [shown(one.mean, half(one)), ` (${between(one)})`];
      const better = belief.better(this.curves.draws, this.kept);
      const facts = [
        fact(`Predicted ${objective}`, ...value(belief.predicted(this.curves.draws))),
        fact(`Trial ${keep}, the one to keep`, ...value(belief.predicted(this.kept))),
        fact(`Clearly better (by more than ${counts})?`, kept ? "the same" : `${probably(better)}: ${percent(better, count)}`)];
      if (result !== null) facts.push(fact("Gives a result", percent(result)));
      facts.push(fact("Nearby", near.all.length === 1 ? "1 trial" : `${near.all.length} trials`));
      this.answers.replaceChildren(element("dl", {}, ...facts));
    }

    /* The difference from the setting that is held, by hyperparameter. */
    settled() {
      this.table.replaceChildren();
      if (!this.held) return;
      const { row, held, belief, data } = this, found = belief.contributions(held, row);
      const change = (draws) => {
        const { mean: middle, ...ends } = estimated(draws, data.stretch), error = half(ends);
        return `${signed(shown(middle, error))} ± ${shown(error, error)}`;
      };
      const before = belief.draws(held), whole = this.curves.draws.map((x, k) => x - before[k]);
      const lines = found.gains.map(([j, gain]) => lineOf(data.parameters[j].name,
        cell(`${this.text(j, held[j])} → ${this.text(j, row[j])}`), cell(change(gain), "number")));
      if (!lines.length) {
        this.table.append(element("p", { class: "about" }, "Saved for comparison: change a value."));
        return;
      }
      this.table.append(element("p", { class: "finding" }, `${data.objective} ${change(whole)} from the saved setting to this one`),
        scrolled("Effect of each change", lines));
    }

    python(kind) {
      const values = this.row.map((x, j) => {
        if (Number.isNaN(x)) return null;
        const { codes, kind: of } = this.data.parameters[j], value = this.space.value(j, x);
        const text = codes ? codes[value] : written(value);
        return of === "float" && /^-?\d+$/.test(text) ? `${text}.0` : text;
      });
      if (kind === "x") return `[${values.map((text) => text ?? "None").join(", ")}]`;
      const pairs = values.flatMap((text, j) => (text === null ? [] : [`${this.data.parameters[j].code}: ${text}`]));
      return kind === "dict" ? `{${pairs.join(", ")}}` : `study.enqueue_trial({${pairs.join(", ")}})`;
    }

    copy(button, text) {
      this.code.textContent = text;
      return copied(button, text, this.code);
    }

    /* The setting as a part of the page's address. */
    address() {
      return `#${this.id}?${this.row.map((x) => (Number.isNaN(x) ? "" : x)).join()}`;
    }

    /* Takes the setting that the address has, if it has one. */
    linked() {
      const [id, given = ""] = location.hash.slice(1).split("?"), texts = given.split(",");
      const row = texts.map((text) => (text ? Number(text) : NaN)), { parameters } = this.data;
      if (id !== this.id || row.length !== parameters.length || row.some((x, j) => texts[j] && !(parameters[j].choices ? parameters[j].choices[x] : x >= 0 && x <= 1))) return false;
      this.begin(row);
      this.place.scrollIntoView();
      return true;
    }

    /* What is seen, as an SVG file. */
    picture() {
      const open = this.panels.filter(({ box }) => box.closest("details")?.open ?? true), across = Math.min(open.length, 4);
      const size = [across * 290, 30 + Math.ceil(open.length / across) * 180];
      const whole = mark("svg", { xmlns: "http://www.w3.org/2000/svg", class: "what-if", viewBox: `0 0 ${size}` });
      const texts = [...document.styleSheets[0].cssRules].map((rule) => rule.cssText);
      whole.append(mark("style", {}, texts.filter((text) => /:root|what-if/.test(text)).join("\n")),
        mark("text", { x: 4, y: 14 }, this.answers.innerText.replaceAll("\n", " ")));
      open.forEach(({ plot, one, box }, i) => {
        const x = 250 * (i % across), y = 30 + 180 * Math.floor(i / across), share = box.querySelector(".profile-share").textContent;
        whole.append(mark("text", { x: x + 4, y: y + 14 }, `${one.name}: ${share}`),
          attributed(plot.cloneNode(true), { x, y: y + 20, width: 240, height: 150 }));
      });
      const href = URL.createObjectURL(new Blob([whole.outerHTML], { type: "image/svg+xml" }));
      element("a", { href, download: "profile.svg" }).click();
    }
  }

  const made = async (place) => {
    const script = place.querySelector('script[type="application/json"]');
    if (!script || !("DecompressionStream" in window)) return;  // the picture stands there
    const data = JSON.parse(script.textContent);
    place.whatIf = new Profiler(place, data, await Belief.of(data));
  };
  making.push(...[...document.querySelectorAll(".what-if")].map(made));
})();
