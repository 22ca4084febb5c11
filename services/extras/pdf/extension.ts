/** PDFs as pages. */
import { defineExtension } from '../../application/extension/extension.ts';

const fromSource = import.meta.url.endsWith('.ts');

export const extension = defineExtension({
  name: 'pdf',
  about: 'reads text, title and links of PDFs',
  readers: [
    {
      name: 'pdf',
      mediaTypes: ['application/pdf'],
      mark: '%PDF-',
      module: new URL(fromSource ? './pdf-document.ts' : './pdf-document.js', import.meta.url).href,
    },
  ],
});
