/**
 * Prose without meaning: 512 sections that all pages share, in different orders.
 *
 * Sharing lets the server compress each section once; a page is then put together in microseconds. The lengths of
 * sections rise evenly, so that the last section of a page can give it the wanted length.
 */
import { mix, numbers } from './random.ts';

export const sectionCount = 512;
const sectionCharsMin = 300;
const sectionCharsMax = 2400;

/** The section with the length nearest to `chars`. */
export function sectionNear(chars: number): number {
  const nearest = Math.round(((chars - sectionCharsMin) / (sectionCharsMax - sectionCharsMin)) * (sectionCount - 1));
  return Math.min(Math.max(nearest, 0), sectionCount - 1);
}

const words =
  'about above across after again along among annual answer arrive autumn balance bridge bright builder candle carry castle center change circle city clear climb cloud coast color common corner cotton country cover craft cross culture current daily dance dark decide deep degree deliver describe desert design detail develop distance doctor drawing dream early earth east edge effect eight engine enough evening event example family farmer fashion feather field figure final finger flavor flight flower follow forest forward fresh friend future garden gather gentle glass golden grain green ground growth guide harbor harvest health heart heavy history hollow honest horizon hour house hundred island journey kitchen known ladder lake language later learn letter light listen little local lumber machine market matter meadow measure memory metal method middle minute modern moment morning motion mountain music narrow nation nature nearby never north notice number ocean offer office orange orchard order outside paper parade passage pattern people period picture piece place planet plenty point policy pottery present problem produce promise public quarter question quiet rather reason record region remain report result return river road rocket round sample school science season second secret sentence series service seven shadow shape shelter shore signal silver simple singer single sister slowly smooth society south space spring square station steady stone story stream street strong student summer supply surface table teacher temple thought thread thunder together tomorrow tower trade travel valley vessel village visit voice walk water weather western whether window winter wonder writer yellow'.split(
    ' ',
  );

/** 1–4 words. */
export function anchorText(dice: number): string {
  let text = words[dice % words.length]!;
  for (let n = (dice >>> 8) % 4, rest = dice >>> 10; n > 0; n--, rest >>>= 5) text += ` ${words[rest % words.length]}`;
  return text;
}

/** HTML of 1–5 paragraphs each, ASCII, with exactly the length that `sectionNear` uses. */
export function sections(seed: number): string[] {
  return Array.from({ length: sectionCount }, (_, n) => {
    const next = numbers(mix(seed, 50, n));
    const length = Math.round(sectionCharsMin + (n / (sectionCount - 1)) * (sectionCharsMax - sectionCharsMin));
    // Each has a separate vocabulary and favours some of it, as real prose does, and so compresses about as well.
    const vocabulary = Array.from({ length: 48 }, () => words[next() % words.length]!);
    const word = () => vocabulary[Math.min(next() % 48, next() % 48)]!;
    let text = '<p>';
    for (let sentences = 1; text.length < length - 5; sentences++) {
      const sentence = Array.from({ length: 6 + (next() % 12) }, word).join(' ');
      text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
      text += sentences % 6 === 0 && text.length < length - 200 ? '</p>\n<p>' : ' ';
    }
    return `${text.slice(0, length - 5)}</p>\n`;
  });
}
