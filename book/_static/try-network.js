// BERT in plain JavaScript: word pieces, the forward pass and the head that fills masks, for the page "Try it yourself".
// The file of weights is written when the book is built (bertology_utils/book/trying.py): a line of JSON that names the
// tensors, then their bytes; matrices in int8 with a scale per group, vectors in float32.
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

  // x (T, n) times the rows of w (m, n), plus b: (T, m)
  function linear(x, w, b, n, m) {
    const T = x.length / n, out = new Float32Array(T * m);
    for (let o = 0; o < m; o++) {
      const row = w.subarray(o * n, (o + 1) * n), bias = b ? b[o] : 0;
      for (let t = 0; t < T; t++) {
        const at = t * n;
        let p = 0, q = 0, r = 0, s = 0; // four sums, so that additions need not wait for one another
        for (let k = 0; k < n; k += 4) {
          p += row[k] * x[at + k];
          q += row[k + 1] * x[at + k + 1];
          r += row[k + 2] * x[at + k + 2];
          s += row[k + 3] * x[at + k + 3];
        }
        out[t * m + o] = p + q + r + s + bias;
      }
    }
    return out;
  }

  function normalised(x, weight, bias, n, epsilon) {
    for (let at = 0; at < x.length; at += n) {
      let mean = 0, spread = 0;
      for (let k = 0; k < n; k++) mean += x[at + k] / n;
      for (let k = 0; k < n; k++) spread += (x[at + k] - mean) ** 2 / n;
      const scale = 1 / Math.sqrt(spread + epsilon);
      for (let k = 0; k < n; k++) x[at + k] = (x[at + k] - mean) * scale * weight[k] + bias[k];
    }
    return x;
  }

  function erf(x) { // Abramowitz and Stegun 7.1.26: within 2e-7
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const y = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    return Math.sign(x) * (1 - y * Math.exp(-x * x));
  }

  const gelu = (x) => x.map((v) => 0.5 * v * (1 + erf(v / Math.SQRT2)));

  function softmax(x, start, n) {
    let most = -Infinity, sum = 0;
    for (let k = start; k < start + n; k++) most = Math.max(most, x[k]);
    for (let k = start; k < start + n; k++) sum += x[k] = Math.exp(x[k] - most);
    for (let k = start; k < start + n; k++) x[k] /= sum;
  }

  class Network {
    constructor(config, tensors) {
      this.config = config;
      this.tensors = tensors;
    }

    // A file of weights as it is, and the vocabulary that comes with it.
    static read(buffer) {
      const bytes = new Uint8Array(buffer), end = bytes.indexOf(10);
      const { config, vocabulary, tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
      const out = {};
      let at = end + 1;
      for (const [name, rows, width] of tensors) {
        if (!width) { // a vector
          out[name] = new Float32Array(buffer.slice(at, (at += 4 * rows)));
          continue;
        }
        const scale = new Float32Array(buffer.slice(at, (at += 4 * rows)));
        const whole = new Int8Array(buffer, at, rows * width), matrix = new Float32Array(rows * width);
        for (let k = 0; k < matrix.length; k++) matrix[k] = whole[k] * scale[(k / width) | 0];
        at += rows * width;
        out[name] = matrix;
      }
      return { network: new Network(config, out), tokenizer: new Tokenizer(vocabulary) };
    }

    // The same shape with random weights, as a network begins: normal with BERT's spread, biases nought.
    untrained(seed = 1) {
      const random = () => { // mulberry32
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
      };
      const out = {};
      for (const [name, old] of Object.entries(this.tensors)) {
        const vector = name.endsWith("bias") || name.includes("LayerNorm");
        out[name] = vector ? new Float32Array(old.length).fill(name.endsWith("LayerNorm.weight") ? 1 : 0)
          : old.map(() => this.config.initializer_range * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
      }
      return new Network(this.config, out);
    }

    // States (T, H) of the last layer; `maps` takes the attention of each layer, (A, T, T).
    states(ids, maps = []) {
      const { hidden_size: H, num_attention_heads: A, num_hidden_layers: L, intermediate_size: I, layer_norm_eps: epsilon } = this.config;
      const T = ids.length, D = H / A, of = (name) => this.tensors[name];
      let x = new Float32Array(T * H);
      ids.forEach((id, t) => {
        for (let k = 0; k < H; k++) {
          x[t * H + k] = of("bert.embeddings.word_embeddings.weight")[id * H + k] +
            of("bert.embeddings.position_embeddings.weight")[t * H + k] + of("bert.embeddings.token_type_embeddings.weight")[k];
        }
      });
      normalised(x, of("bert.embeddings.LayerNorm.weight"), of("bert.embeddings.LayerNorm.bias"), H, epsilon);
      for (let l = 0; l < L; l++) {
        const at = `bert.encoder.layer.${l}.`;
        const mapped = (name, y, n, m) => linear(y, of(`${at}${name}.weight`), of(`${at}${name}.bias`), n, m);
        const added = (name, y) => {
          for (let k = 0; k < x.length; k++) y[k] += x[k];
          return normalised(y, of(`${at}${name}.LayerNorm.weight`), of(`${at}${name}.LayerNorm.bias`), H, epsilon);
        };
        const [q, k, v] = ["query", "key", "value"].map((name) => mapped(`attention.self.${name}`, x, H, H));
        const map = new Float32Array(A * T * T), mixed = new Float32Array(T * H);
        for (let a = 0; a < A; a++) {
          for (let i = 0; i < T; i++) {
            const row = (a * T + i) * T;
            for (let j = 0; j < T; j++) {
              let dot = 0;
              for (let d = a * D; d < (a + 1) * D; d++) dot += q[i * H + d] * k[j * H + d];
              map[row + j] = dot / Math.sqrt(D);
            }
            softmax(map, row, T);
            for (let j = 0; j < T; j++) for (let d = a * D; d < (a + 1) * D; d++) mixed[i * H + d] += map[row + j] * v[j * H + d];
          }
        }
        maps.push(map);
        x = added("attention.output", mapped("attention.output.dense", mixed, H, H));
        x = added("output", mapped("output.dense", gelu(mapped("intermediate.dense", x, H, I)), I, H));
      }
      return x;
    }

    // Logits (V,) at one place of a row of ids.
    logits(ids, place) {
      const { hidden_size: H, vocab_size: V, layer_norm_eps: epsilon } = this.config, of = (name) => this.tensors[name];
      const head = "cls.predictions.transform.";
      const state = this.states(ids).slice(place * H, (place + 1) * H);
      const x = gelu(linear(state, of(`${head}dense.weight`), of(`${head}dense.bias`), H, H));
      normalised(x, of(`${head}LayerNorm.weight`), of(`${head}LayerNorm.bias`), H, epsilon);
      return linear(x, of("bert.embeddings.word_embeddings.weight"), of("cls.predictions.bias"), H, V);
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
    if (ids.filter((id) => id === mask).length !== 1 || ids.length > network.config.max_position_embeddings) return null;
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
