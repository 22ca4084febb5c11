/** The URL functions that the conformance cases call, each a thin call into the product. */
import { compileNormalizer, resolveLink } from '../../topology/url/normalize.ts';

export { registrableDomain } from '../../topology/url/registrable-domain.ts';

export const normalizeUrl: (url: string) => string | null = compileNormalizer();

/** Cases without a base must be absolute: an opaque base gives relative ones nothing to build on. */
export function resolveUrl(input: string, base: string | undefined): string | null {
  return resolveLink(input, base ?? 'about:blank');
}
