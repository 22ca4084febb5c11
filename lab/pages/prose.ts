/** Text without meaning, with word frequencies as in a language, and copies of it with edits. */
import { numbers } from '../web/random.ts';

const vocabulary = 20_000;
const sums = new Float64Array(vocabulary);
for (let rank = 0, sum = 0; rank < vocabulary; rank++) sums[rank] = sum += 1 / (rank + 1);
const total = sums[vocabulary - 1]!;

/** Zipf's law: the word of rank r comes 1/r as often as the first. */
function word(dice: number): string {
  const wanted = (dice / 2 ** 32) * total;
  let [low, high] = [0, vocabulary - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return `w${low.toString(36)}`;
}

export function proseOf(seed: number, words: number): string {
  const next = numbers(seed);
  return Array.from({ length: words }, () => word(next())).join(' ');
}

/** A share of the words is left out, replaced, or given a new neighbour, a third each. */
export function editedText(text: string, share: number, next: () => number): string {
  return text
    .split(' ')
    .flatMap((one) => {
      if (next() / 2 ** 32 >= share) return [one];
      const dice = next() % 3;
      return dice === 0 ? [] : dice === 1 ? [word(next())] : [one, word(next())];
    })
    .join(' ');
}
