import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FILES, FIRST_SOLO, MADE_AT, QUESTIONS, SOLO_CLASSES } from './first-solo.ts'

/** Generates demo.json: `node demo/make-demo.ts`. A test checks that the file equals the output of `printDemo`. */

const PASSWORD = 'groundschool'
const APPS = ['demo-app']

/** Names of 200 people, ten for each of twenty countries. A handle in parentheses replaces the generated one. */
const NAMES: Record<string, string> = {
  AR: 'Martín Álvarez, Lucía Fernández, Joaquín Benítez, Camila Núñez, Tomás Giménez, Julieta Domínguez, Agustín Páez, Rocío Suárez, Facundo Ibáñez, Milagros Peña',
  BR: 'João Araújo, Inês Conceição, Caio Magalhães, Letícia Gonçalves, Davi Assunção, Júlia Simões, Antônio Falcão, Beatriz Lourenço, Érico Brandão, Taís Guimarães',
  CA: 'Noémie Tremblay, Étienne Gagnon, Maëlle Bélanger, Olivier Côté, Hailey MacKinnon, Wyatt Fraser, Océane Lévesque, Ethan Whitford, Zoé Thériault, Liam Okemaw',
  CZ: 'Jiří Dvořák, Tereza Černá, Ondřej Procházka, Kateřina Veselá, Lukáš Růžička, Eliška Němcová, Matěj Kučera, Zdeňka Křížová, Vojtěch Říha, Šárka Bláhová',
  DE: 'Jürgen Müller, Käthe Schäfer, Björn Groß, Annika Köhler, Sören Weiß, Dörte Jäger, Maximilian Krüger, Rüya Yıldız, Lena Schröder, Götz Böhm',
  ES: 'Iñaki Etxeberria, Núria Puigdomènech, Álvaro Muñoz, Begoña Ibarra, Íker Zubizarreta, Laia Serrallonga, Óscar Ordóñez, Ainhoa Agirre, Raúl Piñeiro, Marta Cañizares',
  FI: 'Väinö Hämäläinen, Aino Mäkinen, Jyrki Väisänen, Päivi Kärkkäinen, Eetu Nyström, Hilja Söderberg, Onni Lehtimäki, Säde Räsänen, Touko Pöyhönen, Helmi Ylönen',
  FR: 'François Lefèvre, Hélène Dubois, Jérôme Gauthier, Anaïs Chevalier, Loïc Le Goff, Cécile Marchand, Gaël Kerboriou, Inès Benchérif, Théo Fournier, Amélie Perrin',
  GH: 'Kwame Mensah, Akosua Boateng, Kofi Owusu, Abena Asante, Yaw Darko, Efua Quaye, Kojo Ansah, Adwoa Sarpong, Kwabena Ofori, Ama Tetteh',
  GR: 'Νίκος Παπαδόπουλος (nikos.papadopoulos), Ελένη Γεωργίου (eleni.georgiou), Γιώργος Καραγιάννης (giorgos.karagiannis), Μαρία Δημητρίου (maria.dimitriou), Κώστας Αντωνίου (kostas.antoniou), Σοφία Βλάχου (sofia.vlachou), Δημήτρης Ζέρβας (dimitris.zervas), Άννα Λιανού (anna.lianou), Πέτρος Μακρής (petros.makris), Ιωάννα Ρήγα (ioanna.riga)',
  IN: 'Aarav Sharma, Diya Krishnamurthy, Vihaan Patel, Ananya Banerjee, Ishaan Reddy, Kavya Nair, Rohan Deshpande, Meera Iyer, Arjun Chaudhary, Priya Venkatesan',
  IS: 'Þórður Guðmundsson, Sigríður Jónsdóttir, Björgvin Ólafsson, Ásta Þorsteinsdóttir, Hörður Ægisson, Guðrún Helgadóttir, Kári Sveinsson, Þóra Einarsdóttir, Magnús Árnason, Hildur Björnsdóttir',
  JP: '田中 美咲 (misaki.tanaka), 佐藤 健太 (kenta.sato), 鈴木 さくら (sakura.suzuki), 高橋 大輔 (daisuke.takahashi), 伊藤 結衣 (yui.ito), 渡辺 蓮 (ren.watanabe), 山本 葵 (aoi.yamamoto), 中村 翔太 (shota.nakamura), 小林 陽菜 (hina.kobayashi), 加藤 悠真 (yuma.kato)',
  KE: 'Wanjiru Kamau, Otieno Odhiambo, Njeri Mwangi, Kipchoge Rotich, Achieng Omondi, Mutua Kilonzo, Chebet Koech, Barasa Wekesa, Amina Hassan, Karanja Ndungu',
  KR: 'Seo-yeon Kim, Min-jun Lee, Ji-woo Park, Ha-eun Choi, Do-yun Jung, Ye-jin Kang, Hyun-woo Cho, Su-bin Yoon, Tae-hyung Jang, Na-ri Lim',
  PL: 'Łukasz Wójcik, Małgorzata Kowalczyk, Paweł Zieliński, Agnieszka Dąbrowska, Grzegorz Gąsior, Żaneta Łuczak, Michał Kępa, Świętosława Błaszczyk, Stanisław Ćwik, Róża Jabłońska',
  TR: 'Çağla Yılmaz, Emre Şahin, Gülşen Öztürk, Oğuz Çelik, İpek Doğan, Barış Kılıç, Şebnem Aydın, Yiğit Güneş, Özge Karataş, Umut Erdoğan',
  UA: 'Оксана Шевченко (oksana.shevchenko), Тарас Коваленко (taras.kovalenko), Ірина Бондаренко (iryna.bondarenko), Андрій Ткаченко (andrii.tkachenko), Юлія Мельник (yuliia.melnyk), Богдан Лисенко (bohdan.lysenko), Наталія Гриценко (nataliia.hrytsenko), Максим Їжак (maksym.yizhak), Софія Кравець (sofiia.kravets), Олег Ґудзь (oleh.gudz)',
  US: 'Marcus Whitfield, Shaniqua Baptiste, Tyler Nakagawa, Guadalupe Ramírez, Brandon O’Rourke, Keisha Montgomery, Dylan Begay, Priscilla Nguyễn, Jamal Robinson, Littlefield Flyers',
  VN: 'Anh Nguyễn, Bảo Trần, Chi Lê, Dũng Phạm, Giang Hoàng, Hương Vũ, Khánh Đặng, Linh Bùi, Minh Đỗ, Thảo Ngô',
}

/** Further profile fields of some of the 200 people, by handle. */
const MORE: Record<string, object> = {
  'cecile.marchand': {
    gender: 'female',
    position: 'Cabin crew',
    skills: { skills: ['first aid', 'evacuation'], hobbies: ['sailing'] },
  },
  'hina.kobayashi': {
    gender: 'female',
    position: 'Air traffic controller',
    skills: { skills: ['radar', 'radio navigation'], education: ['BSc Meteorology'] },
  },
  'kwame.mensah': {
    gender: 'male',
    position: 'Chief flight instructor',
    skills: { skills: ['night flying', 'mountain flying', 'radio navigation'], hobbies: ['gliding'] },
  },
  'marcus.whitfield': {
    gender: 'male',
    position: 'Crew chief',
    service: { militaryGrade: 'E-6', displayRank: 'TSgt', displayDutyTitle: 'Crew Chief' },
    skills: { skills: ['engine maintenance', 'first aid'], afsc: '2A5X1', education: ['AAS Aviation Maintenance'] },
  },
  'guadalupe.ramirez': {
    position: 'Instructor pilot',
    service: { militaryGrade: 'O-3', displayRank: 'Capt', displayDutyTitle: 'Instructor Pilot' },
    skills: { skills: ['night flying', 'search and rescue'], afsc: '11M', education: ['BSc Aeronautics'] },
  },
  'bjorgvin.olafsson': {
    position: 'Glider pilot',
    skills: { skills: ['mountain flying', 'weather briefing'], hobbies: ['gliding', 'photography'] },
  },
  'keisha.montgomery': {
    position: 'Airfield manager',
    service: { civilianGrade: 'GS-12', jobSeriesNumber: '2150', jobTitle: 'Airfield Manager' },
  },
  'jamal.robinson': {
    position: 'Simulator engineer',
    service: { civilianBand: 'NH-03', jobSeriesNumber: '0801', jobTitle: 'Simulation Engineer' },
  },
  'littlefield.flyers': { accountType: 'Community', position: 'Flying club' },
}

const LETTERS: Record<string, string> = { ø: 'o', ł: 'l', ß: 'ss', æ: 'ae', đ: 'd', ð: 'd', ı: 'i', þ: 'th' }

const toHandle = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[øłßæđðıþ]/g, (letter) => LETTERS[letter]!)
    .replace(/[^a-z0-9 ]/g, '')
    .trim()
    .replaceAll(' ', '.')
    .slice(0, 30)

function makeOthers() {
  return Object.entries(NAMES).flatMap(([country, names], group) =>
    names.split(', ').map((text, i) => {
      const [, first = '', last = '', given] = /^(\S+) (.+?)(?: \((.+)\))?$/.exec(text) ?? []
      // Japanese names are listed with the family name first.
      const [firstName, lastName] = country === 'JP' ? [last, first] : [first, last]
      const handle = given ?? toHandle(`${firstName} ${lastName}`)
      const pad = (part: number) => String(part).padStart(2, '0')
      return {
        handle: `@${handle}`,
        firstName,
        lastName,
        email: `${handle}@example.org`,
        country,
        dateOfBirth: `${1958 + ((group * 7 + i * 5) % 48)}-${pad(1 + ((group + i * 5) % 12))}-${pad(1 + ((group * 11 + i * 3) % 28))}`,
        publicSearch: true,
        organisations: { [group % 2 === 0 ? 'sandhills' : 'northwind']: i === 0 ? 'instructor' : 'student' },
        apps: APPS,
        demo: true,
        ...MORE[handle],
      }
    }),
  )
}

/** Children. They are not counted among the 200 people, and cannot be found until a parent allows it. */
const CHILDREN = [
  ...[
    { handle: '@leo.marchand', firstName: 'Léo', dateOfBirth: '2020-05-06' },
    { handle: '@manon.marchand', firstName: 'Manon', dateOfBirth: '2022-09-23' },
  ].map((child) => ({ ...child, lastName: 'Marchand', country: 'FR', parents: ['@cecile.marchand'] })),
  // The examples of API operations use these two children.
  ...[
    { handle: '@noa.okafor', firstName: 'Noa', dateOfBirth: '2018-03-02' },
    { handle: '@sam.okafor', firstName: 'Sam', dateOfBirth: '2020-11-20' },
  ].map((child) => ({ ...child, lastName: 'Okafor', country: 'NG', parents: ['@casey', '@drew'] })),
].map((child) => ({ ...child, apps: APPS, demo: true }))

const launch = { app: 'demo-app', launchUri: 'http://localhost:4000/demo/callback', passCode: true }

const PREFLIGHT = {
  key: 'course-preflight',
  organisation: 'sandhills',
  name: 'Preflight',
  description: 'From the walkaround to the checkride, before the first solo.',
  lessons: [
    {
      id: 'lesson-walkaround',
      name: 'Walkaround',
      description: 'Look at the aircraft from all sides, and find what is wrong with it.',
      expectedCompletionTime: 30,
      launchParameters: ['scene=apron'],
      ...launch,
    },
    {
      id: 'lesson-checklist',
      name: 'Checklist',
      description: 'Work through the preflight checklist, inside and outside.',
      expectedCompletionTime: 45,
      threshold: 80,
      launchParameters: ['scene=hangar'],
      ...launch,
      childLessons: [
        { id: 'lesson-checklist-interior', name: 'Interior', expectedCompletionTime: 20, ...launch },
        { id: 'lesson-checklist-exterior', name: 'Exterior', expectedCompletionTime: 25, ...launch },
      ],
    },
    {
      id: 'lesson-checkride',
      name: 'Checkride',
      description: 'All of it, without help.',
      isAssessment: true,
      expectedCompletionTime: 60,
      threshold: 80,
      maxAttempts: 2,
      ...launch,
    },
  ],
  objectives: [
    {
      id: 'objective-safety',
      name: 'Safety',
      description: 'Sees what is dangerous, and says so.',
      lessons: ['lesson-walkaround', 'lesson-checkride'],
    },
    {
      id: 'objective-procedure',
      name: 'Procedure',
      description: 'Does every step, in its order.',
      lessons: ['lesson-checklist', 'lesson-checkride'],
    },
  ],
}

/** Attempts in class-alpha of some of the 200 people, by handle. Avery and Blake have none yet. */
const DONE: Record<string, [lesson: string, started: string, minutes: number | undefined, outcome: object][]> = {
  'lucia.fernandez': [
    ['walkaround', '2025-09-01T08:00:00Z', 27, { pass: true, score: 95, objectives: { 'objective-safety': 90 } }],
    ['checklist', '2025-09-03T08:00:00Z', 40, { pass: false, score: 61 }],
    ['checklist', '2025-09-05T08:30:00Z', 44, { pass: true, score: 92, objectives: { 'objective-procedure': 95 } }],
    ['checkride', '2025-09-10T09:00:00Z', 58, { pass: true, score: 88 }],
  ],
  'joaquin.benitez': [
    ['walkaround', '2025-09-01T08:05:00Z', 12, { pass: false }],
    ['walkaround', '2025-09-02T08:00:00Z', 33, { pass: true, objectives: { 'objective-safety': 70 } }],
    ['checklist', '2025-09-04T08:00:00Z', 51, { pass: false, score: 85 }],
  ],
  'camila.nunez': [
    ['walkaround', '2025-09-01T09:00:00Z', 25, { pass: true }],
    ['checklist', '2025-09-03T09:00:00Z', 30, { pass: false, score: 55 }],
  ],
  'etienne.gagnon': [
    ['walkaround', '2025-09-01T08:10:00Z', 31, { pass: true }],
    ['checklist-interior', '2025-09-04T10:00:00Z', 18, { pass: true }],
    ['checklist', '2025-09-04T10:20:00Z', undefined, {}],
  ],
  'maelle.belanger': [['walkaround', '2025-09-08T14:00:00Z', undefined, { score: 40 }]],
  'annika.kohler': [['walkaround', '2025-09-01T08:00:00Z', 20, { pass: false }]],
  'soren.weiss': [
    ['walkaround', '2025-09-01T08:00:00Z', 29, { pass: true, answers: [{ item: 'pitot cover', found: true }] }],
    ['checklist', '2025-09-03T08:00:00Z', 41, { pass: true, score: 80 }],
    ['checkride', '2025-09-09T13:00:00Z', undefined, {}],
  ],
  // A student who has not started.
  'aino.makinen': [],
}

const ATTEMPTS = Object.entries(DONE).flatMap(([handle, done]) =>
  done.map(([lesson, started, minutes, outcome], i) => ({
    id: `attempt-${handle}-${i + 1}`,
    handle: `@${handle}`,
    lesson: `lesson-${lesson}`,
    started,
    ...(minutes === undefined ? {} : { completed: new Date(Date.parse(started) + minutes * 60_000).toISOString() }),
    ...outcome,
  })),
)

const NOTES = [
  ['lucia.fernandez', 'walkaround', '2025-09-01T08:30:00Z', '@casey', 'Found the bent pitot cover without a hint.'],
  [
    'lucia.fernandez',
    'checklist',
    '2025-09-03T08:45:00Z',
    '@lucia.fernandez',
    'Skipped the fuel selector twice. Again on Friday.',
  ],
  ['joaquin.benitez', 'walkaround', '2025-09-01T08:20:00Z', '@casey', 'In a hurry; missed both chocks.'],
  ['camila.nunez', 'checklist', '2025-09-03T09:40:00Z', '@casey', 'Knows every item, but not their order.'],
  ['etienne.gagnon', 'checklist', '2025-09-04T10:40:00Z', '@etienne.gagnon', 'Interior done, exterior tomorrow.'],
].map(([handle, lesson, created, author, text], i) => ({
  id: `note-${i + 1}`,
  author,
  handle: `@${handle}`,
  lesson: `lesson-${lesson}`,
  text,
  created,
}))

/** Statements that the demo app sent about these students during their attempts. */
const SAID: Record<string, [lesson: string, said: [time: string, verb: string, details: object][]][]> = {
  'lucia.fernandez': [
    [
      'walkaround',
      [
        ['2025-09-01T08:03:10Z', 'Correct Item Selected', { item: 'pitot cover' }],
        ['2025-09-01T08:07:45Z', 'Correct Item Selected', { item: 'control lock' }],
        ['2025-09-01T08:12:20Z', 'Correct Item Selected', { item: 'chocks' }],
        ['2025-09-01T08:19:05Z', 'Incorrect Item Selected', { item: 'nav light' }],
        ['2025-09-01T08:25:30Z', 'Perfect Sequence', { steps: 12 }],
      ],
    ],
    [
      'checklist',
      [
        ['2025-09-03T08:09:00Z', 'Repeated Steps', { step: 'fuel selector', times: 2 }],
        ['2025-09-03T08:21:40Z', 'Incorrect Item Selected', { item: 'mixture' }],
        ['2025-09-05T08:41:00Z', 'Correct Item Selected', { item: 'fuel selector' }],
        ['2025-09-05T09:10:15Z', 'Perfect Sequence', { steps: 24 }],
      ],
    ],
    ['checkride', [['2025-09-10T09:44:00Z', 'Perfect Sequence', { steps: 36 }]]],
  ],
  'joaquin.benitez': [
    [
      'walkaround',
      [
        ['2025-09-01T08:09:30Z', 'Incorrect Item Selected', { item: 'chocks' }],
        ['2025-09-02T08:14:00Z', 'Correct Item Selected', { item: 'chocks' }],
      ],
    ],
    ['checklist', [['2025-09-04T08:33:00Z', 'Repeated Steps', { step: 'flight controls', times: 3 }]]],
  ],
  'camila.nunez': [['checklist', [['2025-09-03T09:17:00Z', 'Repeated Steps', { step: 'magnetos', times: 2 }]]]],
  'etienne.gagnon': [
    ['walkaround', [['2025-09-01T08:22:00Z', 'Correct Item Selected', { item: 'oil level' }]]],
    ['checklist-interior', [['2025-09-04T10:15:00Z', 'Perfect Sequence', { steps: 11 }]]],
  ],
}

const STATEMENTS = Object.entries(SAID)
  .flatMap(([handle, lessons]) =>
    lessons.flatMap(([lesson, said]) =>
      said.map(([timestamp, verb, details]) => ({
        handle: `@${handle}`,
        app: 'demo-app',
        lesson: `lesson-${lesson}`,
        verb,
        details,
        timestamp,
      })),
    ),
  )
  .map((one, i) => ({ id: `00000000-0000-4000-8000-${String(i + 1).padStart(12, '0')}`, ...one }))

/** Keys of the record store: one for a tool that is not an app of the platform. */
const CREDENTIALS = [
  {
    key: 'demo-record-store-key1',
    name: 'Simulator 1',
    scopes: ['statements/write', 'statements/read/mine'],
    secrets: ['gs-demo-secret'],
  },
]

/** The engine and the candidates of the saved plan below. */
const ENGINE = { app: 'demo-ai', name: 'Demo engine' }
const FOUND: [handle: string, score: number, reasons: [weight: number, reason: string][]][] = [
  [
    '@guadalupe.ramirez',
    1,
    [
      [1, 'Lists the skill night flying.'],
      [1, 'Lists the skill search and rescue.'],
    ],
  ],
  [
    '@kwame.mensah',
    0.5,
    [
      [1, 'Lists the skill night flying.'],
      [0, 'No evidence of search and rescue.'],
    ],
  ],
]

const PLANS = [
  {
    key: 'plan-night-search',
    owner: '@ellis',
    name: 'Night search over the hills',
    text: 'Search and rescue by night, over the hills',
    notes: 'Ask both before Friday.',
    organisations: ['sandhills'],
    people: FOUND.map(([handle, score, reasons]) => ({
      handle,
      score,
      engines: [{ ...ENGINE, score, reasons: reasons.map(([, text]) => text), weights: reasons.map(([one]) => one) }],
    })),
    created: '2025-09-08T10:00:00Z',
  },
]

const BADGES = [
  {
    key: 'badge-preflight',
    course: 'course-preflight',
    name: 'Preflight complete',
    description: 'Has passed every lesson of the course.',
    criteria: 'Pass every lesson of Preflight.',
    holders: [
      { handle: '@lucia.fernandez', issued: '2025-09-10T10:00:00Z' },
      { handle: '@kwame.mensah', issued: '2024-04-02T12:00:00Z' },
      { handle: '@guadalupe.ramirez', issued: '2023-11-20T15:30:00Z' },
    ],
  },
  {
    key: 'badge-safety',
    course: 'course-preflight',
    objective: 'objective-safety',
    name: 'Safety first',
    description: 'Sees what is wrong with an aircraft before anybody flies it.',
    criteria: 'Reach 80 or more at the objective Safety.',
    holders: [
      { handle: '@lucia.fernandez', issued: '2025-09-01T08:30:00Z' },
      { handle: '@marcus.whitfield', issued: '2022-06-14T09:00:00Z' },
      { handle: '@hina.kobayashi', issued: '2025-01-28T11:45:00Z' },
    ],
  },
]

const CLASSES = [
  {
    key: 'class-alpha',
    course: 'course-preflight',
    name: 'Preflight Alpha',
    sequential: true,
    joinCode: 'ALPHA-2026',
    instructors: ['@casey'],
    students: [
      { handle: '@avery', id: 'student-avery' },
      { handle: '@blake', id: 'student-blake' },
      ...Object.keys(DONE).map((handle) => ({ handle: `@${handle}`, id: `student-${handle}` })),
    ],
    attempts: ATTEMPTS,
    notes: NOTES,
    statements: STATEMENTS,
  },
  {
    key: 'class-bravo',
    course: 'course-preflight',
    name: 'Preflight Bravo',
    instructors: ['@martin.alvarez'],
    students: [{ handle: '@blake', id: 'student-blake-bravo' }],
  },
]

/** Redirect URIs of the API reference, in production and in the sandbox. */
const REFERENCE = ['http://localhost:4000/docs/callback', 'http://localhost:4001/docs/callback']

const person = (name: string, lastName: string, more: object) => ({
  handle: `@${name.toLowerCase()}`,
  firstName: name,
  lastName,
  email: `${name.toLowerCase()}@example.org`,
  publicSearch: true,
  password: PASSWORD,
  apps: APPS,
  demo: true,
  ...more,
})

export const makeDemo = () => ({
  madeAt: MADE_AT,
  organisations: [
    { key: 'sandhills', name: 'Sandhills Aviation School', timeZone: 'Europe/London' },
    { key: 'northwind', name: 'Northwind Training' },
  ],
  people: [
    person('Avery', 'Lindqvist', {
      country: 'SE',
      dateOfBirth: '2001-03-14',
      organisations: { sandhills: 'student' },
      friends: ['@blake'],
    }),
    person('Blake', 'Moreau', {
      country: 'FR',
      dateOfBirth: '1999-11-02',
      organisations: { sandhills: 'student' },
      skills: { skills: ['first aid'], hobbies: ['model aircraft'] },
    }),
    person('Casey', 'Okafor', {
      country: 'NG',
      dateOfBirth: '1984-07-21',
      organisations: { sandhills: 'instructor' },
      skills: { skills: ['night flying', 'radio navigation'], education: ['BSc Aeronautics'] },
    }),
    person('Drew', 'Castellanos', {
      country: 'MX',
      dateOfBirth: '1990-01-30',
      developer: true,
      organisations: { northwind: 'developer' },
    }),
    person('Ellis', 'Haverford', {
      country: 'GB',
      dateOfBirth: '1978-05-09',
      administrator: true,
      organisations: { sandhills: 'owner', northwind: 'owner' },
    }),
    ...makeOthers(),
    ...CHILDREN,
  ],
  apps: [
    {
      key: 'demo-app',
      name: 'Demo app',
      organisation: 'northwind',
      owner: '@drew',
      redirectUris: [
        'http://localhost:4000/demo/callback',
        ...REFERENCE,
        'http://127.0.0.1/callback',
        'demo://callback',
      ],
      device: true,
      implicit: true,
      basic: true,
      pkce: false,
      secrets: ['gs-demo-secret'],
    },
    // The two plugins of examples/, with the addresses at which they listen by default.
    makePlugin('demo-ai', 'Demo engine', {
      kind: 'ai',
      description: 'Finds people for a mission by what they have learned. Its source is examples/ai-plugin.',
      addresses: { capabilities: 'http://localhost:4101/capabilities', candidates: 'http://localhost:4101/candidates' },
      permissions: ['user-records', 'badges', 'skills', 'mission-planner'],
      organisations: ['sandhills', 'northwind'],
    }),
    makePlugin(
      'demo-ato',
      'Demo ATO helper',
      {
        kind: 'ato',
        description: 'Works on requests to authorise an app. Its source is examples/ato-plugin.',
        addresses: { request: 'http://localhost:4102/request', distributions: 'http://localhost:4102/distributions' },
        permissions: ['ato'],
      },
      ['http://localhost:4102/callback', ...REFERENCE],
    ),
  ],
  files: FILES,
  questions: QUESTIONS,
  courses: [PREFLIGHT, FIRST_SOLO],
  classes: [...CLASSES, ...SOLO_CLASSES],
  badges: BADGES,
  credentials: CREDENTIALS,
  plans: PLANS,
})

const makePlugin = (key: string, name: string, plugin: object, redirectUris: string[] = []) => ({
  key,
  name,
  organisation: 'northwind',
  owner: '@drew',
  redirectUris,
  // When a request is opened in the plugin, the browser goes to this URI.
  ...(redirectUris[0] && { launchUri: redirectUris[0] }),
  pkce: false,
  secrets: ['gs-demo-secret'],
  plugin,
})

/** Returns the contents of demo.json, with one entry per line so that the file is readable. */
export const printDemo = (): string => {
  const sections = Object.entries(makeDemo()).map(([name, entries]) =>
    typeof entries === 'string'
      ? `  "${name}": ${JSON.stringify(entries)}`
      : `  "${name}": [\n${entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]`,
  )
  return `{\n${sections.join(',\n')}\n}\n`
}

if (import.meta.main) writeFileSync(fileURLToPath(new URL('demo.json', import.meta.url)), printDemo())
