/** Inputs made of others: the usual edits of a fuzzer, drawn from a stream of numbers, so that a seed gives the same ones again. */

/** Numbers that programs trip over. */
const edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
export const inputBytesMax = 64 * 1024;

/** `words`: what the format is made of. `others`: inputs to take parts of. */
export function mutated(
  input: Buffer,
  next: () => number,
  words: readonly Buffer[],
  others: readonly Buffer[],
): Buffer {
  let made: Buffer = Buffer.from(input);
  for (let edits = 1 + (next() % 6); edits > 0; edits--) made = edit(made, next, words, others);
  return made.subarray(0, inputBytesMax);
}

function edit(input: Buffer, next: () => number, words: readonly Buffer[], others: readonly Buffer[]): Buffer {
  const at = input.length === 0 ? 0 : next() % (input.length + 1);
  const length = Math.min(input.length - at, 1 + (next() % 32));
  const [head, tail] = [input.subarray(0, at), input.subarray(at)];
  switch (next() % 10) {
    case 0: {
      const copy = Buffer.from(input);
      if (at < copy.length) copy[at]! ^= 1 << (next() % 8);
      return copy;
    }
    case 1: {
      const copy = Buffer.from(input);
      if (at < copy.length) copy[at] = next() & 0xff;
      return copy;
    }
    case 2:
      return Buffer.concat([head, tail.subarray(length)]);
    case 3:
      return Buffer.concat([head, Buffer.from(Array.from({ length }, () => next() & 0xff)), tail]);
    case 4:
    case 5:
      return words.length === 0 ? input : Buffer.concat([head, words[next() % words.length]!, tail]);
    case 6: {
      const other = others[next() % others.length] ?? input;
      const from = other.length === 0 ? 0 : next() % other.length;
      return Buffer.concat([head, other.subarray(from, from + 1 + (next() % 256)), tail]);
    }
    case 7: {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(edges[next() % edges.length]!);
      const bytes = number.subarray(next() % 4);
      return Buffer.concat([head, bytes, tail.subarray(bytes.length)]);
    }
    // Much of the same: what costs more than its length shows itself.
    case 8: {
      const part = tail.subarray(0, length);
      const times = 2 ** (1 + (next() % 12));
      if (part.length * times > inputBytesMax) return input;
      return Buffer.concat([head, ...Array.from({ length: times }, () => part), tail]);
    }
    default: {
      const word = words[next() % Math.max(1, words.length)] ?? Buffer.from('a');
      const times = Math.min(2 ** (1 + (next() % 13)), Math.floor(inputBytesMax / (1 + word.length)));
      return Buffer.concat([head, ...Array.from({ length: times }, () => word), tail]);
    }
  }
}
