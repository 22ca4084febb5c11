/** Marks in plain YAML that are replaced by Go templates at the end. */
export class TemplateMarks {
  readonly #marks: Mark[] = [];

  /** A value within a line. */
  inline(template: string): string {
    return this.#mark({ kind: 'inline', text: template });
  }

  /** A field's value, as YAML below it. */
  block(value: string): string {
    return this.#mark({ kind: 'block', text: value });
  }

  /** In a list: as many items as `value` has. */
  item(value: string): string {
    return this.#mark({ kind: 'item', text: value });
  }

  /** In a list: an item that is there only where `condition` is not empty. */
  when(condition: string, item: string): string {
    return this.#mark({ kind: 'when', text: item, condition });
  }

  /** In place of a field, lines that a template makes: none, one or several fields. */
  lines(template: string): string {
    return this.#mark({ kind: 'lines', text: template });
  }

  filled(text: string): string {
    const lines = text.split('\n').flatMap((line) => {
      const [mark, number] = /<<mark (\d+)>>/.exec(line) ?? [];
      return mark === undefined ? [line] : filledLine(line, mark, this.#marks[Number(number)]!);
    });
    // A list that consists of one value is empty if the value is empty.
    return lines.join('\n').replaceAll(loneList, '$3$1$2:\n$4');
  }

  #mark(mark: Mark): string {
    this.#marks.push(mark);
    return `<<mark ${this.#marks.length - 1}>>`;
  }
}

interface Mark {
  readonly kind: 'inline' | 'block' | 'item' | 'when' | 'lines';
  readonly text: string;
  readonly condition?: string;
}

const loneList = /^( *)(env|envFrom|ingress|volumes):\n( *\{\{- with .+ \}\}\n)(.*\n *\{\{- end \}\}\n)/gm;

function filledLine(line: string, mark: string, { kind, text, condition }: Mark): readonly string[] {
  const indent = line.length - line.trimStart().length;
  const at = ' '.repeat(indent);
  if (kind === 'inline') return [line.replace(mark, text)];
  if (kind === 'when') return [`${at}{{- if ${condition} }}`, `${at}- ${text}`, `${at}{{- end }}`];
  if (kind === 'item')
    return [`${at}{{- with ${text} }}`, `${at}{{- toYaml . | nindent ${indent} }}`, `${at}{{- end }}`];
  if (kind === 'lines') return [`${at}{{- with ${text} }}`, `${at}{{- . | nindent ${indent} }}`, `${at}{{- end }}`];
  const field = line.slice(0, line.indexOf(mark)).trimEnd();
  return [field, `${at}{{- toYaml (${text}) | nindent ${indent + 2} }}`];
}
