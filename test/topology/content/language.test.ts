import assert from 'node:assert/strict';
import { it } from 'node:test';
import { languageOf } from '../../../topology/content/language.ts';

/** Article 1 of the Universal Declaration of Human Rights. */
const texts: Readonly<Record<string, string>> = {
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.',
  it: 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade, e isso não é só para uma pessoa mas para todas.',
  nl: 'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.',
  pl: 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  uk: 'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.',
  el: 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
  ja: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  zh: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  ko: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  ar: 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا وضميرا',
  he: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
};

for (const [language, text] of Object.entries(texts)) {
  it(`a sentence of ${language} is told as such`, () => assert.equal(languageOf(text), language));
}

it('what has too few words, or none of a language, is not guessed at', () => {
  assert.equal(languageOf(''), '');
  assert.equal(languageOf('the and of'), '');
  assert.equal(languageOf('garden harbor kitchen lumber machine market meadow measure memory metal method'), '');
  assert.equal(languageOf('1234 5678 !!! ???'), '');
});
