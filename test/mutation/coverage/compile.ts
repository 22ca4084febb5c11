/** TypeScript as mutants and recordings run it: the same text for both, so that what one measures holds for the other. */
import { transformSync } from 'esbuild';

export interface Compiled {
  readonly code: string;
  /** The source map's (version 3). */
  readonly mappings: string;
}

export function compiled(text: string, file: string): Compiled {
  const { code, map } = transformSync(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: file,
    sourcemap: 'external',
  });
  return { code, mappings: (JSON.parse(map) as { mappings: string }).mappings };
}
