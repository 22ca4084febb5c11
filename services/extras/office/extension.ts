/** Office files and books as pages. */
import { defineExtension } from '../../application/extension/extension.ts';
import { officeTypes } from './office-format.ts';

const fromSource = import.meta.url.endsWith('.ts');

export const extension = defineExtension({
  name: 'office',
  about: 'reads text, title and links of office files and books: .docx, .xlsx, .odt, .epub',
  readers: [
    {
      name: 'office',
      mediaTypes: officeTypes,
      module: new URL(fromSource ? './office-document.ts' : './office-document.js', import.meta.url).href,
    },
  ],
});
