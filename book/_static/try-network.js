// BERT in plain JavaScript: word pieces, the forward pass and the head that fills masks, for the page "Try it yourself".
// The file of weights is written when the book is built (bertology_utils/book/trying.py): a line of JSON that names the
// tensors, then their bytes; matrices in int8 with a scale per group, vectors in float32. Not onnxruntime-web (1.30): 14.2 MB
// of it would be fetched before the 9.3 MB of weights, for one architecture of some 150 lines.
(function () {
  "use strict";
  if (window.bertology) return; // a chapter has several forms
  const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  const MARKED = /(\[PAD\]|\[UNK\]|\[CLS\]|\[SEP\]|\[MASK\])/u;
  const WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
  const LONGEST = 100; // letters of a word; a longer one is unknown

  function ideograph(c) {
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
      (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b820 && c <= 0x2ceaf) ||
      (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
  }

  // As BERT reads a text: no control characters, ideographs by themselves, no accents, lower case.
  function normal(text) {
    let out = "";
    for (const c of text) {
      if (c === "\0" || c === "\ufffd" || (/\p{C}/u.test(c) && !"\t\n\r".includes(c))) continue;
      out += /\s/u.test(c) ? " " : ideograph(c.codePointAt(0)) ? ` ${c} ` : c;
    }
    out = out.normalize("NFD").replace(/\p{Mn}/gu, "");
    return Array.from(out, (c) => c.toLowerCase()).join("");
  }

  class Tokenizer {
    constructor(vocabulary) {
      this.vocabulary = vocabulary;
      this.ids = new Map(vocabulary.map((piece, id) => [piece, id]));
    }

    words(text) {
      return text.split(MARKED).flatMap((part) => (SPECIAL.includes(part) ? [part] : normal(part).match(WORD) || []));
    }

    // Greedily the longest pieces; one that is unknown makes the whole word so.
    pieces(word) {
      if (SPECIAL.includes(word)) return [this.ids.get(word)];
      const letters = Array.from(word), out = [], unknown = [this.ids.get("[UNK]")];
      if (letters.length > LONGEST) return unknown;
      for (let start = 0; start < letters.length; ) {
        let end = letters.length, id;
        for (; end > start; end--) {
          id = this.ids.get((start ? "##" : "") + letters.slice(start, end).join(""));
          if (id !== undefined) break;
        }
        if (id === undefined) return unknown;
        out.push(id);
        start = end;
      }
      return out;
    }

    // Ids between [CLS] and [SEP], and for each the number of its word (-1: none).
    encode(text) {
      const ids = [this.ids.get("[CLS]")], words = [-1];
      this.words(text).forEach((word, k) => this.pieces(word).forEach((id) => { ids.push(id); words.push(k); }));
      return { ids: [...ids, this.ids.get("[SEP]")], words: [...words, -1] };
    }
  }

  // products.wat as bytes: rows times rows four numbers at a time, twenty times as fast as a loop of JavaScript.
  const PRODUCTS = Uint8Array.from(atob(
    "AGFzbQEAAAABCgFgBn9/f39/fwADAgEABQMBAAEHFQIGbWVtb3J5AgAIcHJvZHVjdHMAAAqcAgGZAgMFfwV7AX8gBEECdCEQA0BBACEGA0D9DA" +
    "AAAAAAAAAAAAAAAAAAAAAhDCAMIQ0gDCEOIAwhDyAAIAYgEGxqIQkgASAHIBBsaiEKIBAhCANAIAwgCf0ABAAgCv0ABAD95gH95AEhDCANIAn9" +
    "AAQQIAr9AAQQ/eYB/eQBIQ0gDiAJ/QAEICAK/QAEIP3mAf3kASEOIA8gCf0ABDAgCv0ABDD95gH95AEhDyAJQcAAaiEJIApBwABqIQogCEHAAG" +
    "siCA0ACyAMIA395AEgDiAP/eQB/eQBIQwgAiAGIAVsIAdqQQJ0aiAM/R8AIAz9HwGSIAz9HwIgDP0fA5KSOAIAIAZBAWoiBiADSQ0ACyAHQQFq" +
    "IgcgBUkNAAsL"
  ), (c) => c.charCodeAt(0));
  const PAGE = 65536; // bytes of memory come by

  function normalised(x, weight, bias, n, epsilon) {
    for (let at = 0; at < x.length; at += n) {
      let mean = 0, spread = 0;
      for (let k = 0; k < n; k++) mean += x[at + k];
      mean /= n;
      for (let k = 0; k < n; k++) spread += (x[at + k] - mean) * (x[at + k] - mean);
      const scale = 1 / Math.sqrt(spread / n + epsilon);
      for (let k = 0; k < n; k++) x[at + k] = (x[at + k] - mean) * scale * weight[k] + bias[k];
    }
    return x;
  }

  function erf(x) { // Abramowitz and Stegun 7.1.26: within 2e-7
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const y = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return Math.sign(x) * (1 - y * Math.exp(-x * x));
  }

  function gelu(x) {
    for (let k = 0; k < x.length; k++) x[k] = 0.5 * x[k] * (1 + erf(x[k] / Math.SQRT2));
    return x;
  }

  function softmax(x, start, n) {
    let most = -Infinity, sum = 0;
    for (let k = start; k < start + n; k++) most = Math.max(most, x[k]);
    for (let k = start; k < start + n; k++) sum += x[k] = Math.exp(x[k] - most);
    for (let k = start; k < start + n; k++) x[k] /= sum;
  }

  // Attention of A heads: its weights (A, T, T), and the values mixed by them (T, H).
  function attended(q, k, v, A, H) {
    const T = q.length / H, D = H / A, scale = 1 / Math.sqrt(D), map = new Float32Array(A * T * T), mixed = new Float32Array(T * H);
    for (let a = 0; a < A; a++) {
      for (let i = 0; i < T; i++) {
        const row = (a * T + i) * T, to = i * H + a * D;
        for (let j = 0; j < T; j++) {
          const from = j * H + a * D;
          let e = 0, f = 0, g = 0, h = 0; // four sums, here and below, so that additions need not wait for one another
          for (let d = 0; d < D; d += 4) {
            e += q[to + d] * k[from + d];
            f += q[to + d + 1] * k[from + d + 1];
            g += q[to + d + 2] * k[from + d + 2];
            h += q[to + d + 3] * k[from + d + 3];
          }
          map[row + j] = (e + f + g + h) * scale;
        }
        softmax(map, row, T);
        for (let d = 0; d < D; d += 4) {
          let e = 0, f = 0, g = 0, h = 0;
          for (let j = 0, from = a * D + d; j < T; j++, from += H) {
            const weight = map[row + j];
            e += weight * v[from];
            f += weight * v[from + 1];
            g += weight * v[from + 2];
            h += weight * v[from + 3];
          }
          mixed[to + d] = e;
          mixed[to + d + 1] = f;
          mixed[to + d + 2] = g;
          mixed[to + d + 3] = h;
        }
      }
    }
    return [map, mixed];
  }

  class Network {
    // Room for all tensors, and behind them for what a product takes and gives. `sizes`: [name, numbers] each.
    constructor(config, sizes) {
      const { memory, products } = new WebAssembly.Instance(new WebAssembly.Module(PRODUCTS)).exports;
      const places = sizes.map(() => 0);
      sizes.forEach(([, size], k) => { places[k + 1] = places[k] + 4 * size; });
      const room = 4 * (2 * config.max_position_embeddings * config.intermediate_size + config.vocab_size);
      memory.grow(Math.ceil((places[sizes.length] + room) / PAGE));
      Object.assign(this, { config, products, buffer: memory.buffer, free: places[sizes.length] });
      this.tensors = Object.fromEntries(sizes.map(([name, size], k) => [name, new Float32Array(this.buffer, places[k], size)]));
    }

    // x (T, n) times the rows of a matrix (m, n), plus a bias: (T, m)
    linear(x, matrix, bias) {
      const m = bias.length, n = matrix.length / m, T = x.length / n, out = this.free + x.byteLength;
      new Float32Array(this.buffer, this.free).set(x);
      this.products(this.free, matrix.byteOffset, out, T, n, m);
      const y = new Float32Array(this.buffer, out, T * m).slice();
      for (let t = 0; t < y.length; t += m) for (let k = 0; k < m; k++) y[t + k] += bias[k];
      return y;
    }

    // A file of weights as it is, and the vocabulary that comes with it.
    static read(buffer) {
      const bytes = new Uint8Array(buffer), end = bytes.indexOf(10);
      const { config, vocabulary, tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
      const network = new Network(config, tensors.map(([name, rows, width]) => [name, rows * (width || 1)]));
      let at = end + 1;
      for (const [name, rows, width] of tensors) {
        const out = network.tensors[name], numbers = new Float32Array(buffer.slice(at, (at += 4 * rows)));
        if (!width) { // a vector
          out.set(numbers);
          continue;
        }
        const whole = new Int8Array(buffer, at, rows * width);
        for (let k = 0; k < out.length; k++) out[k] = whole[k] * numbers[(k / width) | 0];
        at += rows * width;
      }
      return { network, tokenizer: new Tokenizer(vocabulary) };
    }

    // The same shape with random weights, as a network begins: normal with BERT's spread, biases nought.
    untrained(seed = 1) {
      const random = () => { // mulberry32
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
      };
      const normal = () => this.config.initializer_range * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const out = new Network(this.config, Object.entries(this.tensors).map(([name, { length }]) => [name, length]));
      for (const [name, tensor] of Object.entries(out.tensors)) {
        if (name.endsWith("LayerNorm.weight")) tensor.fill(1);
        else if (!name.endsWith("bias")) for (let k = 0; k < tensor.length; k++) tensor[k] = normal();
      }
      return out;
    }

    // States (T, H) of the last layer; `maps` takes the attention of each layer, (A, T, T).
    states(ids, maps = []) {
      const { hidden_size: H, num_attention_heads: A, num_hidden_layers: L, layer_norm_eps: epsilon } = this.config;
      const T = ids.length, of = (name) => this.tensors[name], most = this.config.max_position_embeddings;
      if (T > most) throw new Error(`Type a shorter text: it has ${T - 2} pieces, and mini reads ${most - 2}.`);
      let x = new Float32Array(T * H);
      const [word, position, type] = ["word", "position", "token_type"].map((name) => of(`bert.embeddings.${name}_embeddings.weight`));
      for (let t = 0; t < T; t++) for (let k = 0; k < H; k++) x[t * H + k] = word[ids[t] * H + k] + position[t * H + k] + type[k];
      normalised(x, of("bert.embeddings.LayerNorm.weight"), of("bert.embeddings.LayerNorm.bias"), H, epsilon);
      for (let l = 0; l < L; l++) {
        const at = `bert.encoder.layer.${l}.`;
        const mapped = (name, y) => this.linear(y, of(`${at}${name}.weight`), of(`${at}${name}.bias`));
        const added = (name, y) => {
          for (let k = 0; k < x.length; k++) y[k] += x[k];
          return normalised(y, of(`${at}${name}.LayerNorm.weight`), of(`${at}${name}.LayerNorm.bias`), H, epsilon);
        };
        const [q, k, v] = ["query", "key", "value"].map((name) => mapped(`attention.self.${name}`, x));
        const [map, mixed] = attended(q, k, v, A, H);
        maps.push(map);
        x = added("attention.output", mapped("attention.output.dense", mixed));
        x = added("output", mapped("output.dense", gelu(mapped("intermediate.dense", x))));
      }
      return x;
    }

    // Logits (V,) at one place of a row of ids.
    logits(ids, place) {
      const { hidden_size: H, layer_norm_eps: epsilon } = this.config, of = (name) => this.tensors[name];
      const head = "cls.predictions.transform.";
      const state = this.states(ids).slice(place * H, (place + 1) * H);
      const x = gelu(this.linear(state, of(`${head}dense.weight`), of(`${head}dense.bias`)));
      normalised(x, of(`${head}LayerNorm.weight`), of(`${head}LayerNorm.bias`), H, epsilon);
      return this.linear(x, of("bert.embeddings.word_embeddings.weight"), of("cls.predictions.bias"));
    }

    probabilities(ids, place) {
      const out = this.logits(ids, place);
      softmax(out, 0, out.length);
      return out;
    }
  }

  // The k likeliest fillers of a text's one gap: [piece, probability] each; null where there is not one gap.
  function fill(network, tokenizer, text, k = 5) {
    const { ids } = tokenizer.encode(text), mask = tokenizer.ids.get("[MASK]");
    if (ids.filter((id) => id === mask).length !== 1) return null;
    const p = network.probabilities(ids, ids.indexOf(mask));
    const best = Array.from(p.keys()).sort((a, b) => p[b] - p[a]).slice(0, k);
    return best.map((id) => [tokenizer.vocabulary[id], p[id]]);
  }

  // Pseudo-log-likelihood in nats: each piece hidden in turn, with the later ones of its word (salazar2020, kauf2023).
  async function likelihood(network, tokenizer, text, progress = () => {}) {
    const { ids, words } = tokenizer.encode(text), mask = tokenizer.ids.get("[MASK]");
    let sum = 0;
    for (let place = 1; place < ids.length - 1; place++) {
      const hidden = ids.map((id, t) => (t >= place && words[t] === words[place] ? mask : id));
      sum += Math.log(network.probabilities(hidden, place)[ids[place]]);
      progress(place, ids.length - 2);
      await new Promise((done) => setTimeout(done)); // the page stays alive
    }
    return { nats: sum, pieces: ids.length - 2 };
  }

  // `mini`, fetched once for all forms of a page: the network and its tokenizer. `say` takes the progress.
  let mini = null;
  async function fetched({ weights, bytes }, say) {
    const answer = await fetch(weights);
    if (!answer.ok) throw new Error(`the weights could not be read (${answer.status})`);
    const parts = [], reader = answer.body.getReader();
    for (let n = 0, part; !(part = await reader.read()).done; ) {
      parts.push(part.value);
      n += part.value.length;
      say(`${Math.round((100 * n) / bytes)} % of ${(bytes / 1e6).toFixed(1)} MB`);
    }
    return Network.read(await new Blob(parts).arrayBuffer());
  }
  const loaded = (place, say) => (mini ||= fetched(place, say).catch((error) => { mini = null; throw error; }));
  const why = (error) => (location.protocol === "file:" ? "A page opened as a file cannot read what is stored: serve the folder (python -m http.server)." : String(error.message));

  window.bertology = { Tokenizer, Network, fill, likelihood, loaded, why };
})();
