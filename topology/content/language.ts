/**
 * The language of a text, as an ISO 639-1 code, from its script and its most frequent little words.
 *
 * A first guess that costs microseconds, for filters and statistics: the share of words that are function words of a
 * language, over the beginning of the text. Source of the approach: Grefenstette, "Comparing two language identification
 * schemes" (JADT 1995): short words tell languages apart as well as trigrams once a text has some dozen of them.
 */

/** Characters looked at: a few hundred words decide, the rest would only cost. */
const sampleChars = 1_500;
/** Below so many words, or such a share of little ones, nothing is said. */
const wordsMin = 8;
const shareMin = 0.08;

/** Words that are frequent in one language and rare, or no words, in the others here. */
const littleWords: Readonly<Record<string, string>> = {
  en: 'the and of to in is that for it with as was on are by this be from or have not you at which his they but an were their one all we can has there been if more when will would who so no what up out about into than them',
  de: 'der die und den das von ist des mit sich auf für als dem nicht ein eine auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde',
  fr: 'de la le et les des en un du une est que dans qui par pour au il sur plus ne se pas ce avec sont son cette ou aux ses mais comme été nous leur sa être ont elle deux ces même fait aussi',
  es: 'de la que el en y los del se las por un para con una su al lo como más pero sus le ya este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante',
  it: 'di che il la per un del le con non una da sono si dei nel alla è della al più gli anche come ma i lo delle ha nella dal su o questo essere suo tra degli stato dalla hanno loro',
  pt: 'de que o e do da em um para com não uma os no se na por mais as dos como mas ao ele das seu sua ou quando muito nos já também só pelo pela até isso ela entre era depois sem mesmo aos são',
  nl: 'de van het een en in is dat op te zijn met voor niet aan er om hij die als bij ook naar maar uit door over nog dan worden tot je heeft was deze wordt kan geen meer hebben werd',
  sv: 'och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan man när år under också efter eller nu sin där vid ska hade över än',
  da: 'og i at det er en til af på for med der de den som ikke har et han om var fra men sig ved jeg vi kan også efter blev eller hun så blive være over mod nu ud kun',
  no: 'og i det er på en til av for at med som har de ikke den et om var han fra men seg ble vi kan også etter eller jeg hun så være over mot nå ut bare ved skal',
  fi: 'ja on ei se että oli hän ovat mutta tai kun joka myös sen niin kuin ole mukaan sekä hänen jos vain nyt olla jälkeen kanssa minä mitä sitä olisi ennen vuonna',
  pl: 'i w na z do się nie jest to że o jak za po ale od przez co dla tym są tego jego czy ma przy oraz może był które tylko już lub jako być która ich pod jej',
  cs: 'a v se na je že s z do o to i jako za by pro ve po k které jsou jeho ale si tak od podle který byl která také při už jen až bylo pouze mezi',
  ro: 'și de în a la cu o pe că din nu un care este mai pentru ca au fost sau prin dar sunt fi lui al ai după fără între către această poate',
  hu: 'a az és hogy nem is egy volt ez de meg el csak már mint van ha vagy még kell azt lehet után között szerint minden nagyon pedig akkor ki itt amely',
  tr: 've bir bu da de için ile olarak daha çok ne olan gibi en var kadar sonra o ama ise değil her ya göre oldu tarafından mi olduğu ancak',
  id: 'yang dan di dengan untuk dari dalam pada ini itu adalah tidak akan ke juga oleh atau sebagai telah dapat kepada karena bahwa mereka ada lebih',
  vi: 'và của là có cho không được trong một với các người này đã để những khi về từ như đến ra cũng nhưng lại còn',
};

const languagesOf: ReadonlyMap<string, readonly string[]> = (() => {
  const index = new Map<string, string[]>();
  for (const [language, words] of Object.entries(littleWords)) {
    for (const word of words.split(' ')) index.set(word, [...(index.get(word) ?? []), language]);
  }
  return index;
})();

/** Empty: it could not be told. */
export function languageOf(text: string): string {
  const sample = text.length > sampleChars ? text.slice(0, sampleChars) : text;
  return ofScript(sample) ?? ofWords(sample.toLowerCase());
}

function ofScript(text: string): string | undefined {
  const counts = {
    latin: 0,
    cyrillic: 0,
    greek: 0,
    han: 0,
    kana: 0,
    hangul: 0,
    arabic: 0,
    hebrew: 0,
    thai: 0,
    devanagari: 0,
  };
  let ukrainian = 0;
  let russian = 0;
  let persian = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x250) {
      // Letters of ASCII and Latin-1 to Latin Extended-B.
      if ((code | 0x20) >= 0x61 && ((code | 0x20) <= 0x7a || code >= 0xc0)) counts.latin += 1;
    } else if (code >= 0x370 && code < 0x400) counts.greek += 1;
    else if (code >= 0x400 && code < 0x530) {
      counts.cyrillic += 1;
      if (code === 0x456 || code === 0x457 || code === 0x454 || code === 0x491) ukrainian += 1;
      if (code === 0x44b || code === 0x44d || code === 0x451) russian += 1;
    } else if (code >= 0x590 && code < 0x600) counts.hebrew += 1;
    else if (code >= 0x600 && code < 0x700) {
      counts.arabic += 1;
      if (code === 0x67e || code === 0x686 || code === 0x698 || code === 0x6af) persian += 1;
    } else if (code >= 0x900 && code < 0x980) counts.devanagari += 1;
    else if (code >= 0xe00 && code < 0xe80) counts.thai += 1;
    else if (code >= 0x3040 && code < 0x3100) counts.kana += 1;
    else if (code >= 0x4e00 && code < 0xa000) counts.han += 1;
    else if (code >= 0xac00 && code < 0xd7b0) counts.hangul += 1;
  }
  // Japanese mixes both; a text of ideographs alone is Chinese.
  if (counts.kana > 0 && counts.kana * 10 > counts.han && counts.kana + counts.han > counts.latin) return 'ja';
  let script: keyof typeof counts = 'latin';
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) if (counts[name] > counts[script]) script = name;
  switch (script) {
    case 'latin':
    case 'kana':
      return undefined;
    case 'cyrillic':
      return ukrainian > russian ? 'uk' : 'ru';
    case 'arabic':
      return persian * 50 > counts.arabic ? 'fa' : 'ar';
    default:
      return { greek: 'el', han: 'zh', hangul: 'ko', hebrew: 'he', thai: 'th', devanagari: 'hi' }[script];
  }
}

function ofWords(text: string): string {
  const scores = new Map<string, number>();
  const words = text.match(/\p{L}+/gu) ?? [];
  for (const word of words) {
    const languages = languagesOf.get(word);
    // A word of several languages says less of each.
    if (languages !== undefined)
      for (const one of languages) scores.set(one, (scores.get(one) ?? 0) + 1 / languages.length);
  }
  let best = '';
  let score = 0;
  for (const [language, found] of scores) {
    if (found <= score) continue;
    best = language;
    score = found;
  }
  return words.length >= wordsMin && score >= shareMin * words.length ? best : '';
}
