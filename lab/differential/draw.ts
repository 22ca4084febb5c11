/** The answers to request: each variant alone, then seeded draws of two and three variants together. */
import { numbers } from '../web/random.ts';
import { codingVariants } from './coding-variants.ts';
import { type Kind, plainDraft, render, type Variant } from './draft.ts';
import { framingVariants } from './framing-variants.ts';
import { headVariants } from './head-variants.ts';
import { markupVariants } from './markup-variants.ts';
import { redirectVariants } from './redirect-variants.ts';
import { typeAndCharsetVariants } from './type-variants.ts';

/** An answer by its variants, of different dimensions. No variants: the plain answer. */
export interface Odd {
  readonly kind: Kind;
  readonly variants: readonly Variant[];
}

const variants = [
  ...headVariants,
  ...framingVariants,
  ...codingVariants,
  ...typeAndCharsetVariants,
  ...markupVariants,
  ...redirectVariants,
];
const kinds: readonly Kind[] = ['page', 'robots', 'sitemap', 'redirect'];
const variantsOf = Object.fromEntries(
  kinds.map((kind) => [kind, variants.filter((variant) => variant.kinds?.includes(kind) ?? true)]),
) as unknown as Readonly<Record<Kind, readonly Variant[]>>;
/** The kind of a drawn answer: pages have most variants. */
const drawnKinds: readonly Kind[] = ['page', 'page', 'page', 'robots', 'sitemap', 'redirect', 'redirect'];

/** The plain answers and each variant alone come first. Then draws from `seed` fill up to `count`. */
export function drawAnswers(count: number, seed: number): Odd[] {
  const answers: Odd[] = kinds.flatMap((kind) => [
    { kind, variants: [] },
    ...variantsOf[kind].map((variant) => ({ kind, variants: [variant] })),
  ]);
  const next = numbers(seed);
  while (answers.length < count) answers.push(drawOne(next));
  return answers.slice(0, count);
}

function drawOne(next: () => number): Odd {
  const kind = drawnKinds[next() % drawnKinds.length]!;
  const many = 2 + (next() % 2);
  const taken: Variant[] = [];
  while (taken.length < many) {
    const variant = variantsOf[kind][next() % variantsOf[kind].length]!;
    if (taken.every(({ dimension }) => dimension !== variant.dimension)) taken.push(variant);
  }
  return { kind, variants: taken };
}

/** The bytes of the answer. `origin` is that of the host that sends it. */
export function bytesOf({ kind, variants }: Odd, origin: string): Buffer {
  const draft = plainDraft(kind, origin);
  for (const variant of variants) variant.change(draft);
  return render(draft, origin);
}

/** One line that names the answer, such as `page: framing: two equal lengths; coding: gzip`. */
export function nameOf({ kind, variants }: Odd): string {
  const names = variants.map(({ dimension, name }) => `${dimension}: ${name}`);
  return `${kind}: ${names.join('; ') || 'plain'}`;
}
