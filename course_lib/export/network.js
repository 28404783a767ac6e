// A Transformer that translates, in plain JavaScript: what course_lib/components computes with tensors, one vector at a time.
//
// D is the width, H the number of heads, S the length of the sentence that is read, V the number of words it can write.
// It writes as lesson 11's cached decoder does: one word goes in, and the keys and values of earlier words are kept.
"use strict";

/** The tensors of a safetensors file: eight bytes with the header's length, the header as JSON, then the numbers. */
function readTensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [begin] }] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const numbers = new Float32Array(shape.reduce((product, size) => product * size, 1));
    for (let i = 0; i < numbers.length; i++) {
      numbers[i] = dtype === "F16" ? half(view.getUint16(start + begin + 2 * i, true)) : view.getFloat32(start + begin + 4 * i, true);
    }
    tensors[name] = numbers;
  }
  return tensors;
}

/** A number from the 16 bits of its half-precision form: a sign, five bits of exponent, ten of fraction. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Probabilities from scores. The largest is taken away first, so that no exponential overflows. */
function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const total = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((exponential) => exponential / total);
}

const sum = (x, y) => x.map((number, i) => number + y[i]);

class Transformer {
  /**
   * tensors: by the names of the Transformer's parameters, and the table of `positions`.
   * settings: d_model, num_heads, num_layers, max_length and norm_first.
   */
  constructor(tensors, settings) {
    this.tensors = tensors;
    tensors["source_embedding.token_embedding.weight"] ??= tensors["target_embedding.token_embedding.weight"];  // shared
    Object.assign(this, settings);
    this.bos = 1;
    this.eos = 2;
  }

  // --- the parts: lessons 03 to 06 ---

  /** W x + b. */
  linear(x, name) {
    const weight = this.tensors[`${name}.weight`], bias = this.tensors[`${name}.bias`];
    const result = new Float64Array(weight.length / x.length);
    for (let i = 0, at = 0; i < result.length; i++) {
      let total = bias ? bias[i] : 0;
      for (let j = 0; j < x.length; j++, at++) total += weight[at] * x[j];
      result[i] = total;
    }
    return result;
  }

  /** γ (x − μ) / √(σ² + ε) + β: mean 0 and variance 1, then a learned scale and shift. */
  layerNorm(x, name) {
    const gamma = this.tensors[`${name}.gamma`], beta = this.tensors[`${name}.beta`];
    const mean = x.reduce((a, b) => a + b, 0) / x.length;
    const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
    const scale = 1 / Math.sqrt(variance + 1e-5);
    return x.map((number, i) => gamma[i] * (number - mean) * scale + beta[i]);
  }

  /** Two linear layers with a ReLU between them, on one token. */
  feedForward(x, name) {
    return this.linear(this.linear(x, `${name}.w_1`).map((number) => Math.max(number, 0)), `${name}.w_2`);
  }

  /** One token looks at several: softmax(q·k / √Dh) over their keys, in each head, and the values mixed by it. */
  attention(x, keys, values, name) {
    const query = this.linear(x, `${name}.w_q`);
    const width = this.d_model / this.num_heads;
    const merged = new Float64Array(this.d_model);
    const weights = [];  // (H, S)
    for (let head = 0; head < this.num_heads; head++) {
      const from = head * width, to = from + width;
      const scores = keys.map((key) => {
        let product = 0;
        for (let i = from; i < to; i++) product += query[i] * key[i];
        return product / Math.sqrt(width);
      });
      const shares = softmax(scores);
      values.forEach((value, s) => { for (let i = from; i < to; i++) merged[i] += shares[s] * value[i]; });
      weights.push(shares);
    }
    return { output: this.linear(merged, `${name}.w_o`), weights };
  }

  /** A sub-layer between residual connection and normalisation: before it, or after it, as in the paper. */
  residual(x, name, sublayer) {
    const norm = (y) => this.layerNorm(y, `${name}_residual.norm`);
    return this.norm_first ? sum(x, sublayer(norm(x))) : norm(sum(x, sublayer(x)));
  }

  /** √D times the word's vector, plus that of its position. */
  embed(side, id, position) {
    const words = this.tensors[`${side}_embedding.token_embedding.weight`], positions = this.tensors.positions, d = this.d_model;
    return Float64Array.from({ length: d }, (_, i) => Math.sqrt(d) * words[id * d + i] + positions[position * d + i]);
  }

  /** Pre-norm stacks end with one more normalisation; post-norm stacks have none. */
  last(x, stack) {
    return this.norm_first ? this.layerNorm(x, `${stack}.norm`) : x;
  }

  // --- the whole: lesson 08, with the cache of lesson 11 ---

  /** Read a sentence of S ids: the memory, S vectors. */
  encode(ids) {
    let x = ids.map((id, position) => this.embed("source", id, position));
    for (let layer = 0; layer < this.num_layers; layer++) {
      const name = `encoder.layers.${layer}`, own = `${name}.self_attention`;
      const read = this.norm_first ? x.map((token) => this.layerNorm(token, `${own}_residual.norm`)) : x;
      const keys = read.map((token) => this.linear(token, `${own}.w_k`));
      const values = read.map((token) => this.linear(token, `${own}.w_v`));
      x = x.map((token) => this.residual(token, own, (y) => this.attention(y, keys, values, own).output));
      x = x.map((token) => this.residual(token, `${name}.feed_forward`, (y) => this.feedForward(y, `${name}.feed_forward`)));
    }
    return x.map((token) => this.last(token, "encoder"));
  }

  /** What the decoder keeps while it writes: the memory's keys and values, worked out once, and those of its own words. */
  begin(memory) {
    const layers = Array.from({ length: this.num_layers }, (_, layer) => {
      const cross = `decoder.layers.${layer}.cross_attention`;
      return {
        keys: [], values: [],
        memoryKeys: memory.map((token) => this.linear(token, `${cross}.w_k`)),
        memoryValues: memory.map((token) => this.linear(token, `${cross}.w_v`)),
      };
    });
    return { layers, written: 0 };
  }

  /** Read the word that was written last: the logits (V) of the next one, and where every head looked, (layers, H, S). */
  step(kept, id) {
    let x = this.embed("target", id, kept.written++);
    const looks = [];
    kept.layers.forEach((cache, layer) => {
      const name = `decoder.layers.${layer}`, own = `${name}.self_attention`, cross = `${name}.cross_attention`;
      x = this.residual(x, own, (y) => {
        cache.keys.push(this.linear(y, `${own}.w_k`));
        cache.values.push(this.linear(y, `${own}.w_v`));
        return this.attention(y, cache.keys, cache.values, own).output;
      });
      x = this.residual(x, cross, (y) => {
        const { output, weights } = this.attention(y, cache.memoryKeys, cache.memoryValues, cross);
        looks.push(weights);
        return output;
      });
      x = this.residual(x, `${name}.feed_forward`, (y) => this.feedForward(y, `${name}.feed_forward`));
    });
    // the table that reads a French word also writes it: logits = decoded Eᵀ
    return { logits: this.linear(this.last(x, "decoder"), "target_embedding.token_embedding"), looks };
  }

  /** The likeliest word, again and again, until it is the end mark. */
  * greedy(ids) {
    const kept = this.begin(this.encode(ids));
    for (let id = this.bos; id !== this.eos && kept.written < this.max_length;) {
      const { logits, looks } = this.step(kept, id);
      id = logits.indexOf(logits.reduce((a, b) => Math.max(a, b), -Infinity));
      yield { id, logits, looks };
    }
  }
}
