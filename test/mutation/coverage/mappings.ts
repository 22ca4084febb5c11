/** A source map's `mappings` (version 3, ECMA-426), as offsets in UTF-16 code units instead of lines and columns. */
export interface Mapping {
  /** Where the piece begins in the compiled text. */
  readonly from: number;
  /** And in the source. */
  readonly to: number;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Of a map of one source, as esbuild makes it of one file. */
export function decodedMappings(mappings: string, code: string, source: string): Mapping[] {
  const [codeLines, sourceLines] = [lineStarts(code), lineStarts(source)];
  const decoded: Mapping[] = [];
  // All but the column of the compiled text go on from line to line.
  let [line, column] = [0, 0];
  mappings.split(';').forEach((segments, codeLine) => {
    let codeColumn = 0;
    for (const segment of segments.split(',')) {
      const [codeStep, , lineStep, columnStep] = variableLength(segment);
      codeColumn += codeStep ?? 0;
      if (lineStep === undefined || columnStep === undefined) continue;
      line += lineStep;
      column += columnStep;
      decoded.push({ from: codeLines[codeLine]! + codeColumn, to: sourceLines[line]! + column });
    }
  });
  return decoded;
}

function variableLength(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
