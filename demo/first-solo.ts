import { readFileSync } from 'node:fs'

/*
 * The course First solo, which has lessons of all kinds, and the two classes that take it. Class Charlie is in the
 * middle of it: somebody is working, something is overdue, and something waits for a grade.
 */

/**
 * The time for which the demo is written. When it is imported, all times move, so that this one becomes today (see
 * src/operations/demo/moving.ts).
 */
export const MADE_AT = '2025-09-12T16:00:00Z'

const MINUTE = 60_000
/** Returns the time on a day, counted from the day of `MADE_AT`. */
const on = (day: number, time: string): string =>
  new Date(Date.parse(`${MADE_AT.slice(0, 10)}T${time}:00Z`) + day * 1440 * MINUTE).toISOString()
const after = (start: string, minutes: number): string => new Date(Date.parse(start) + minutes * MINUTE).toISOString()

const read = (name: string): string => readFileSync(new URL(`files/${name}`, import.meta.url), 'base64')

const FILES_OF = { organisation: 'sandhills', author: '@casey' }
export const FILES = [
  { key: 'file-circuit', ...FILES_OF, name: 'circuit.png', content: read('circuit.png') },
  { key: 'file-checklist', ...FILES_OF, name: 'cockpit-checklist.pdf', content: read('checklist.pdf') },
]

export const QUESTIONS = [
  {
    key: 'question-right-of-way',
    kind: 'single',
    text: 'Two aircraft converge at the same height. Which one gives way?',
    options: [
      { text: 'The one that has the other on its right', correct: true },
      { text: 'The one that has the other on its left', feedback: 'That one keeps its course and speed.' },
      { text: 'The faster one', feedback: 'Speed matters only when one overtakes the other.' },
    ],
    explanation: 'As on the road: the right has priority.',
    tags: ['air law'],
  },
  {
    key: 'question-documents',
    kind: 'multiple',
    text: 'Which documents have to be on board?',
    points: 2,
    options: [
      { text: 'Certificate of registration', correct: true },
      { text: 'Certificate of airworthiness', correct: true },
      { text: 'The flight manual', correct: true },
      { text: 'The invoice of the last maintenance' },
    ],
    tags: ['air law'],
  },
  {
    key: 'question-circuit-legs',
    kind: 'ordering',
    text: 'Put the legs of the circuit in order.',
    points: 2,
    items: ['Upwind', 'Crosswind', 'Downwind', 'Base', 'Final'],
    tags: ['circuit'],
  },
  {
    key: 'question-light-signals',
    kind: 'matching',
    text: 'What do these lights from the tower mean to you in flight?',
    points: 3,
    pairs: [
      { prompt: 'Steady green', match: 'Cleared to land' },
      { prompt: 'Steady red', match: 'Give way and continue circling' },
      { prompt: 'Flashing red', match: 'Airfield unsafe, do not land' },
    ],
    distractors: ['Return for landing'],
    tags: ['air law'],
  },
  {
    key: 'question-circuit-height',
    kind: 'numeric',
    text: 'How high above the airfield do we fly the circuit?',
    answer: 1000,
    tolerance: 50,
    unit: 'ft',
    tags: ['circuit'],
  },
  {
    key: 'question-emergency-code',
    kind: 'text',
    text: 'Which transponder code do you set in an emergency?',
    accepted: ['7700', 'code 7700', 'squawk 7700'],
    tags: ['emergencies'],
  },
  {
    key: 'question-engine-failure',
    kind: 'single',
    text: 'The engine fails just after take-off. What do you do first?',
    options: [
      { text: 'Lower the nose to the best glide speed', correct: true },
      { text: 'Turn back to the runway', feedback: 'At this height a turn back often ends in a stall.' },
      { text: 'Call the tower', feedback: 'Later: first fly the aircraft.' },
    ],
    explanation: 'Aviate, navigate, communicate: in this order.',
    tags: ['emergencies'],
  },
  {
    key: 'question-go-around',
    kind: 'essay',
    text: 'Describe a landing approach that you would break off, and how you go around.',
    points: 4,
    guidance: 'Expect a clear reason, full power first, then flaps in stages, and the radio call last.',
    tags: ['emergencies'],
  },
  {
    key: 'question-altimeter',
    kind: 'single',
    text: 'Which instrument shows your height?',
    options: [{ text: 'The altimeter', correct: true }, { text: 'The variometer' }, { text: 'The airspeed indicator' }],
    tags: ['instruments'],
  },
].map(({ key, ...question }) => ({ key, organisation: 'sandhills', ...question }))

const AIRFIELD = `We fly from **runway 09/27**, 800 m of grass, 120 ft above sea level. Before your first flight alone, you know its circuit by heart.

![The left-hand circuit of runway 09: upwind, crosswind, downwind, base, final](file:file-circuit)

## The circuit

1. Climb straight ahead on **upwind** to 500 ft.
2. Turn left onto **crosswind** and look for others before each turn.
3. Level off at 1,000 ft on **downwind**. Here you do the landing checks.
4. Turn onto **base** when the threshold lies 45° behind you.
5. Be stable on **final** by 300 ft, or go around.

> Nobody has ever been asked why they went around.

## On the radio

| Where | What you say |
|---|---|
| Before taxiing | *Sandhills Radio, G-SAND, at the hangar, request taxi* |
| Downwind | *G-SAND, downwind, to land* |
| Final | *G-SAND, final, runway 09* |

## Noise

Do not fly over the village in the north. The school has been a good neighbour for forty years.
`

const RIDE_RUBRIC = [
  { id: 'lookout', name: 'Lookout', objective: 'objective-airmanship', points: 10 },
  {
    id: 'circuit',
    name: 'Circuit',
    description: 'Height within 100 ft, legs squared.',
    objective: 'objective-handling',
    points: 10,
  },
  {
    id: 'landing',
    name: 'Landing',
    description: 'Stable by 300 ft, on the centreline.',
    objective: 'objective-handling',
    points: 10,
  },
  { id: 'radio', name: 'Radio', objective: 'objective-airmanship', points: 10 },
]
const INTRO_RUBRIC = [
  { id: 'straight', name: 'Straight and level', objective: 'objective-handling', points: 10 },
  { id: 'turns', name: 'Turns', objective: 'objective-handling', points: 10 },
  { id: 'lookout', name: 'Lookout', objective: 'objective-airmanship', points: 10 },
]

export const FIRST_SOLO = {
  key: 'course-first-solo',
  organisation: 'sandhills',
  name: 'First solo',
  description: 'From the first briefing to the first flight alone.',
  lessons: [
    {
      id: 'lesson-airfield',
      name: 'Our airfield',
      description: 'The runway, the circuit and the radio calls.',
      kind: 'page',
      text: AIRFIELD,
      expectedCompletionTime: 10,
    },
    {
      id: 'lesson-cockpit',
      name: 'Cockpit checklist',
      description: 'Learn it by heart, then read it all the same.',
      kind: 'file',
      file: 'file-checklist',
      expectedCompletionTime: 15,
    },
    {
      id: 'lesson-introductory-flight',
      name: 'Introductory flight',
      description: 'Forty minutes with your instructor: straight and level, climbing, turning.',
      kind: 'instructor-led',
      rubric: INTRO_RUBRIC,
      expectedCompletionTime: 60,
    },
    {
      id: 'lesson-air-law',
      name: 'Air law',
      description: 'Five questions. You may try three times.',
      kind: 'quiz',
      quiz: {
        parts: [
          { questions: ['question-right-of-way', 'question-documents', 'question-light-signals'] },
          { questions: ['question-circuit-legs', 'question-circuit-height'] },
        ],
        timeLimit: 20,
        shuffleAnswers: true,
        feedback: 'end',
      },
      threshold: 75,
      maxAttempts: 3,
      expectedCompletionTime: 20,
    },
    {
      id: 'lesson-circuits',
      name: 'Circuits in the simulator',
      description: 'Five circuits, the last one without hints.',
      app: 'demo-app',
      launchUri: 'http://localhost:4000/demo/callback',
      launchParameters: ['scene=circuit'],
      passCode: true,
      threshold: 70,
      expectedCompletionTime: 45,
    },
    {
      id: 'lesson-flight-log',
      name: 'Flight log',
      description: 'Fly three circuits with an instructor, and show the page of your flight log.',
      kind: 'activity',
      instructorGraded: true,
      expectedCompletionTime: 90,
    },
    {
      id: 'lesson-emergencies',
      name: 'Emergencies',
      description: 'Two short questions and an essay, which your instructor grades.',
      kind: 'quiz',
      quiz: { parts: [{ questions: ['question-engine-failure', 'question-emergency-code', 'question-go-around'] }] },
      threshold: 60,
      expectedCompletionTime: 30,
    },
    {
      id: 'lesson-solo-check',
      name: 'Check ride',
      description: 'Three circuits with the chief instructor, who then steps out.',
      kind: 'instructor-led',
      isAssessment: true,
      rubric: RIDE_RUBRIC,
      threshold: 70,
      prerequisites: ['lesson-air-law', 'lesson-emergencies'],
      expectedCompletionTime: 60,
    },
  ],
  objectives: [
    {
      id: 'objective-airmanship',
      name: 'Airmanship',
      description: 'Looks out, thinks ahead, and says what they do.',
      lessons: ['lesson-introductory-flight', 'lesson-air-law', 'lesson-emergencies', 'lesson-solo-check'],
    },
    {
      id: 'objective-handling',
      name: 'Handling',
      description: 'Flies the aircraft with a light hand.',
      lessons: ['lesson-introductory-flight', 'lesson-circuits', 'lesson-solo-check'],
    },
  ],
}

const STUDENTS = [
  'avery',
  'blake',
  'agustin.paez',
  'hailey.mackinnon',
  'wyatt.fraser',
  'lena.schroder',
  'akosua.boateng',
  'ren.watanabe',
  'diya.krishnamurthy',
]

/** Attempts at pages, files, the app and the activity: lesson, start, minutes (none: not completed) and outcome. */
type Done = [lesson: string, started: string, minutes: number | undefined, outcome?: object]
const passed = { pass: true }
const READ = (day: number, time: string): Done[] => [
  ['airfield', on(day, time), 9, passed],
  ['cockpit', after(on(day, time), 15), 12, passed],
]
const DONE: Record<string, Done[]> = {
  avery: [...READ(-15, '17:30'), ['circuits', on(-1, '18:05'), undefined, { score: 45 }]],
  blake: [['airfield', on(-13, '19:10'), 14, passed]],
  'agustin.paez': [
    ...READ(-18, '07:40'),
    ['circuits', on(-6, '08:00'), 41, { ...passed, score: 94, objectives: { 'objective-handling': 92 } }],
    ['flight-log', on(-4, '09:00'), 95, passed],
  ],
  'hailey.mackinnon': [
    ...READ(-17, '16:20'),
    ['circuits', on(-5, '15:00'), 48, { ...passed, score: 81 }],
    ['flight-log', on(-1, '13:30'), 88],
  ],
  'wyatt.fraser': [...READ(-16, '08:15'), ['circuits', after(MADE_AT, -24), undefined, { score: 30, working: true }]],
  'lena.schroder': [
    ...READ(-16, '11:00'),
    ['circuits', on(-3, '10:00'), 52, { pass: false, score: 58 }],
    ['circuits', on(0, '11:05'), 44, { ...passed, score: 77 }],
    ['flight-log', on(0, '12:30'), 80],
  ],
  'akosua.boateng': [
    ...READ(-18, '06:50'),
    ['circuits', on(-7, '07:30'), 39, { ...passed, score: 88 }],
    ['flight-log', on(-5, '08:00'), 92, passed],
  ],
  'ren.watanabe': [],
  'diya.krishnamurthy': [['airfield', on(-2, '12:00'), 11, passed]],
}

const ATTEMPTS = Object.entries(DONE).flatMap(([handle, done]) =>
  done.map(([lesson, started, minutes, outcome], i) => ({
    id: `solo-${handle}-${i + 1}`,
    handle: `@${handle}`,
    lesson: `lesson-${lesson}`,
    started,
    ...(minutes !== undefined && { completed: after(started, minutes) }),
    ...outcome,
  })),
)

const ESSAY =
  'On final I was still 150 ft too high over the hedge, and the flaps were already fully down. A steeper descent would have made me too fast, so I would not have been stable by 300 ft. I go around: full power, nose to the climb attitude, carburettor heat cold, flaps up in stages with a positive climb, and then I say “G-SAND, going around”.'
const SHORT_ESSAY =
  'If I do not like it, I go around. Full power and climb. Then flaps up and tell the radio. I would do it with a crosswind like last Tuesday, when the wing came up just before the touchdown.'

/** Answers in the order of the quiz. Parts are named by their number in the question. */
const lawOf = (place: unknown, documents: unknown, lights: unknown, legs: unknown, height: unknown) => [
  { question: 'question-right-of-way', response: place },
  { question: 'question-documents', response: documents },
  { question: 'question-light-signals', response: lights },
  { question: 'question-circuit-legs', response: legs },
  { question: 'question-circuit-height', response: height },
]
const LIGHTS = { 1: 1, 2: 2, 3: 3 }
const LEGS = [1, 2, 3, 4, 5]
const emergenciesOf = (first: number, code: string, essay: object) => [
  { question: 'question-engine-failure', response: first },
  { question: 'question-emergency-code', response: code },
  { question: 'question-go-around', ...essay },
]
const graded = (points: number, remark: string) => ({ points, remark, grader: '@casey' })

const QUIZZES = (
  [
    ['avery', 'air-law', on(-9, '18:00'), 16, lawOf(2, [1, 2, 4], { 1: 1, 2: 4, 3: 3 }, LEGS, 800)],
    ['avery', 'air-law', on(-8, '18:30'), 12, lawOf(1, [1, 2, 3], { 1: 1, 2: 4, 3: 3 }, LEGS, 1000)],
    ['agustin.paez', 'air-law', on(-11, '08:00'), 9, lawOf(1, [1, 2, 3], LIGHTS, LEGS, 1000)],
    [
      'agustin.paez',
      'emergencies',
      on(-5, '08:00'),
      22,
      emergenciesOf(1, '7700', { response: ESSAY, ...graded(4, 'Exactly. The radio comes last.') }),
    ],
    ['hailey.mackinnon', 'air-law', on(-9, '16:00'), 14, lawOf(1, [1, 2, 3], LIGHTS, [1, 3, 2, 4, 5], 1000)],
    ['hailey.mackinnon', 'emergencies', on(0, '13:10'), 31, emergenciesOf(1, '7700', { response: ESSAY })],
    ['wyatt.fraser', 'air-law', on(-8, '09:30'), 15, lawOf(1, [1, 2], LIGHTS, LEGS, 1000)],
    // After the due date.
    ['lena.schroder', 'air-law', on(-4, '20:00'), 18, lawOf(1, [1, 2, 3], { 1: 1, 2: 3, 3: 2 }, LEGS, 1000)],
    ['akosua.boateng', 'air-law', on(-10, '07:00'), 11, lawOf(1, [1, 2, 3], LIGHTS, LEGS, 1020)],
    [
      'akosua.boateng',
      'emergencies',
      on(-3, '07:00'),
      26,
      emergenciesOf(2, '7700', { response: SHORT_ESSAY, ...graded(3, 'Right, but name the speed.') }),
    ],
  ] as const
).map(([handle, lesson, started, minutes, answers], i) => ({
  id: `solo-quiz-${i + 1}`,
  handle: `@${handle}`,
  lesson: `lesson-${lesson}`,
  started,
  completed: after(started, minutes),
  answers,
}))

const rated = (rubric: typeof INTRO_RUBRIC, points: readonly number[]) =>
  rubric.map(({ id, name, objective, points: maxPoints }, i) => ({ id, name, objective, maxPoints, points: points[i] }))

const EVALUATIONS = (
  [
    [
      'agustin.paez',
      'introductory-flight',
      on(-14, '09:00'),
      55,
      true,
      [9, 9, 8],
      'Relaxed, and always looking outside.',
      'Thank you!',
    ],
    ['akosua.boateng', 'introductory-flight', on(-14, '10:30'), 50, true, [8, 9, 9], 'Very precise turns.', ''],
    ['hailey.mackinnon', 'introductory-flight', on(-13, '15:00'), 55, true, [7, 7, 9], 'Use more trim.', ''],
    ['wyatt.fraser', 'introductory-flight', on(-12, '09:00'), 50, true, [7, 6, 7], 'Look before each turn.', ''],
    ['lena.schroder', 'introductory-flight', on(-12, '13:00'), 55, true, [8, 7, 8], 'Good feeling for the rudder.', ''],
    [
      'avery',
      'introductory-flight',
      on(-1, '09:00'),
      50,
      true,
      [8, 7, 6],
      'Steady hands. Look over your shoulder before each turn, and trim before you let go.',
      undefined,
    ],
    [
      'agustin.paez',
      'solo-check',
      on(-2, '08:30'),
      65,
      true,
      [9, 9, 8, 10],
      'Three good landings. Ready for the first solo.',
      'What a day!',
    ],
    [
      'akosua.boateng',
      'solo-check',
      on(-1, '07:30'),
      60,
      false,
      [8, 6, 4, 7],
      'Two of three approaches were not stable by 300 ft. We fly three more circuits on Monday and repeat the ride.',
      undefined,
    ],
  ] as const
).map(([handle, lesson, started, minutes, pass, points, remarks, comment], i) => ({
  id: `solo-evaluation-${i + 1}`,
  handle: `@${handle}`,
  lesson: `lesson-${lesson}`,
  author: '@casey',
  started,
  completed: after(started, minutes),
  pass,
  criteria: rated(lesson === 'solo-check' ? RIDE_RUBRIC : INTRO_RUBRIC, points),
  remarks,
  ...(comment !== undefined && { acknowledged: after(started, minutes + 200), ...(comment && { comment }) }),
}))

const NOTES = [
  [
    'avery',
    'introductory-flight',
    on(-1, '10:05'),
    '@casey',
    'Confident after ten minutes. Needs a reminder to look out.',
  ],
  [
    'blake',
    'cockpit',
    on(-3, '17:00'),
    '@casey',
    'Has not opened the checklist yet. Called on Tuesday; wants to catch up at the weekend.',
  ],
  [
    'akosua.boateng',
    'solo-check',
    on(-1, '08:45'),
    '@casey',
    'Tired after a night shift. Repeat the ride in the morning, well rested.',
  ],
  ['lena.schroder', 'flight-log', on(0, '14:00'), '@lena.schroder', 'The third circuit was with a go-around.'],
].map(([handle, lesson, created, author, text], i) => ({
  id: `solo-note-${i + 1}`,
  author,
  handle: `@${handle}`,
  lesson: `lesson-${lesson}`,
  text,
  created,
}))

const DATES = [
  { opens: on(-21, '06:00') },
  { lesson: 'lesson-airfield', due: on(-12, '17:00') },
  { lesson: 'lesson-cockpit', due: on(-12, '17:00') },
  { lesson: 'lesson-introductory-flight', due: on(0, '17:00') },
  { lesson: 'lesson-air-law', due: on(-7, '17:00') },
  { lesson: 'lesson-circuits', due: on(-2, '17:00') },
  { lesson: 'lesson-circuits', handle: '@wyatt.fraser', due: on(3, '17:00') },
  { lesson: 'lesson-flight-log', due: on(2, '17:00') },
  { lesson: 'lesson-emergencies', due: on(4, '17:00') },
  { lesson: 'lesson-solo-check', opens: on(-3, '06:00'), due: on(9, '17:00') },
]

export const SOLO_CLASSES = [
  {
    key: 'class-charlie',
    course: 'course-first-solo',
    name: 'First Solo Charlie',
    joinCode: 'CHARLIE-2026',
    instructors: ['@casey'],
    students: STUDENTS.map((handle) => ({ handle: `@${handle}`, id: `student-${handle}-charlie` })),
    dates: DATES,
    attempts: ATTEMPTS,
    quizzes: QUIZZES,
    evaluations: EVALUATIONS,
    notes: NOTES,
  },
  {
    key: 'class-foxtrot',
    course: 'course-first-solo',
    name: 'First Solo Foxtrot',
    instructors: ['@martin.alvarez'],
    students: ['rocio.suarez', 'facundo.ibanez', 'zoe.theriault', 'ethan.whitford', 'kofi.owusu'].map((handle) => ({
      handle: `@${handle}`,
      id: `student-${handle}-foxtrot`,
    })),
    dates: [{ opens: on(5, '06:00') }, { lesson: 'lesson-airfield', due: on(10, '17:00') }],
  },
]
