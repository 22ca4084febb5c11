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
  ca: 'Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.',
  cs: 'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.',
  da: 'Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.',
  sv: 'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.',
  fi: 'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.',
  hu: 'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.',
  ro: 'Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.',
  tr: 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.',
  id: 'Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.',
  vi: 'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.',
  bg: 'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство.',
  fa: 'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.',
  th: 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है।',
  he: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
};

for (const [language, text] of Object.entries(texts)) {
  it(`a sentence of ${language} is recognised`, () => assert.equal(languageOf(text), language));
}

it('a text with too few words, or without letters, has no language', () => {
  assert.equal(languageOf(''), '');
  assert.equal(languageOf('the and of'), '');
  assert.equal(languageOf('1234 5678 !!! ???'), '');
});

it('Japanese, Chinese and Korean with more Latin letters than their own are not English', () => {
  assert.equal(
    languageOf('Apache HTTP Server の設定ファイル httpd.conf で DocumentRoot と Directory を変更します。'),
    'ja',
  );
  assert.equal(
    languageOf('使用 apt-get install apache2 命令安装 Apache HTTP Server 和 mod_ssl 模块，然后重启服务器。'),
    'zh',
  );
  assert.equal(
    languageOf('아파치 웹서버 Apache HTTP Server 2.4 설치 방법: configure, make, make install 실행합니다.'),
    'ko',
  );
});

it('a page’s initial menu does not decide its language: all of the text is read', () => {
  const menu =
    'Home Products Services Support Downloads About us Contact Search the site Log in to your account '.repeat(20);
  assert.equal(languageOf(menu + texts['de']!.concat(' ').repeat(60)), 'de');
});

it('a manual full of English options and names has the language of its sentences', () => {
  const page = `apt-get --yes --no-install-recommends install DEBIAN_FRONTEND=noninteractive /etc/apt/sources.list
    ${texts['fr']} --allow-unauthenticated --download-only LC_ALL=C /usr/share/doc/apt/examples/configure-index.gz`;
  assert.equal(languageOf(page), 'fr');
});

it('a declaration decides between similar languages and in short texts, not against the text', () => {
  const malay = 'Semua manusia dilahirkan bebas dan sama rata dari segi kemuliaan dan hak-hak.';
  assert.equal(languageOf(malay), 'id');
  assert.equal(languageOf(malay, 'ms-MY'), 'ms');
  assert.equal(languageOf('Kontakt', 'nb'), 'no');
  assert.equal(languageOf(texts['de']!, 'en-US'), 'de');
  assert.equal(languageOf(texts['ru']!, 'en'), 'ru');
});

it('a declared language that trigrams cannot distinguish from its relatives is believed, in its script', () => {
  const declared = {
    lv: 'Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir apveltīti ar saprātu un sirdsapziņu.',
    is: 'Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru gæddir vitsmunum og samvizku.',
    eu: 'Gizon-emakume guztiak aske jaiotzen dira, duintasun eta eskubide berberak dituztela; eta ezaguera eta kontzientzia dutenez.',
    mt: 'Il-bnedmin kollha jitwieldu ħielsa u ugwali fid-dinjità u d-drittijiet. Huma mogħnija bir-raġuni u bil-kuxjenza.',
    cy: 'Genir pawb yn rhydd ac yn gydradd â’i gilydd mewn urddas a hawliau. Fe’u cynysgaeddir â rheswm a chydwybod.',
    ga: 'Saolaítear gach duine den chine daonna saor agus comhionann i ndínit agus i gcearta. Tá bua an réasúin acu.',
  };
  for (const [code, text] of Object.entries(declared)) assert.equal(languageOf(text, code), code);
  assert.equal(languageOf(declared.lv, 'lav'), 'lv', 'a code of three letters');
  assert.equal(languageOf(texts['ru']!, 'lv'), 'ru', 'another script');
  assert.equal(languageOf(texts['de']!, 'xx'), 'de', 'no language');
  assert.equal(languageOf(texts['de']!, 'en-US'), 'de', 'one that trigrams know');
});
