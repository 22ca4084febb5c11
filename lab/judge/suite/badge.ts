/** A badge of a score, as SVG. */

export function badgeSvg(score: number): string {
  const value = `${score} %`;
  const colour = score >= 90 ? '#2a7d3f' : score >= 70 ? '#9a6b00' : '#a33';
  const [left, right] = [92, 56];
  const width = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="crawler suite: ${value}">
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">
<text x="${left / 2}" y="14">crawler suite</text><text x="${left + right / 2}" y="14">${value}</text></g></svg>
`;
}
