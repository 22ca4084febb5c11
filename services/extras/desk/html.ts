/** HTML with escaped values, because crawled data and visitors' input are hostile. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Value = string | number | Html | null | readonly Html[];

/** Attributes are to be in double quotes. Null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = parts[0]!;
  values.forEach((value, at) => {
    text += textOf(value) + parts[at + 1]!;
  });
  return new Html(text);
}

function textOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return `${value}`.replace(/[&<>"']/g, (char) => entities[char]!);
}
