import { findLaunchMistake, findReservedName, isLaunchOf } from '../../apps/apps/redirect-uris.ts'
import type { PackageItems } from '../packages/packages.ts'
import { filesOf, type LessonRow, lessonRows } from './rules.ts'
import { type CourseContent, type LessonContent, type LessonKind, lessonsIn, MAX_LESSONS } from './schema.ts'

/** Something that an author has to correct before a course can be saved. */
export interface CourseMistake {
  readonly where: string
  /** The end of a sentence that begins with `where` and "must", for programs and import files. It names ids. */
  readonly must: string
  /** JSON pointer of the faulty value in the course (RFC 6901). */
  readonly pointer: string
  /** A sentence for the author, shown beside the field. */
  readonly message: string
}

/** Lists the lessons of a course, each with its JSON pointer. */
export const placesOf = ({ lessons }: CourseContent): { lesson: LessonContent; place: string }[] =>
  lessons.flatMap((lesson, i) => [
    { lesson, place: `/lessons/${i}` },
    ...(lesson.childLessons ?? []).map((child, j) => ({ lesson: child, place: `/lessons/${i}/childLessons/${j}` })),
  ])

const isTwice = (list: readonly string[], id: string, i: number) => list.indexOf(id) !== i

/** Finds mistakes in a course that the schema cannot express. */
export function* findCourseMistakes(course: CourseContent): Generator<CourseMistake> {
  const places = placesOf(course)
  const ids = places.map(({ lesson }) => lesson.id)
  const known = new Set(ids)
  for (const [i, { lesson, place }] of places.entries())
    if (isTwice(ids, lesson.id, i))
      yield {
        where: 'lessons',
        must: `have unique ids: ${lesson.id} appears twice`,
        pointer: `${place}/id`,
        message: `Another lesson has the same id, ${lesson.id}.`,
      }
  if (places.length > MAX_LESSONS)
    yield {
      where: 'lessons',
      must: `be at most ${MAX_LESSONS}, with their child lessons`,
      pointer: '/lessons',
      message: `A course can have at most ${MAX_LESSONS} lessons and steps.`,
    }
  for (const { lesson, place } of places) {
    yield* findPrerequisiteMistakes(lesson, place, known)
    yield* findKindMistakes(lesson, place)
    yield* findRubricMistakes(lesson, place, course.objectives ?? [])
    yield* findQuizMistakes(lesson, place)
    yield* findScoredPackage(lesson, place)
    yield* findLaunchMistakes(lesson, place)
  }
  yield* findRepeatedItems(places)
  yield* findDeadlock(course)
  yield* findObjectiveMistakes(course, known)
}

function* findPrerequisiteMistakes({ id, prerequisites = [] }: LessonContent, place: string, ids: ReadonlySet<string>) {
  for (const needed of prerequisites)
    if (!ids.has(needed) || needed === id)
      yield {
        where: 'lessons',
        must: `have only other lessons of the course as prerequisites of ${id}, not ${needed}`,
        pointer: `${place}/prerequisites`,
        message:
          needed === id ? 'A lesson can’t be its own prerequisite.' : 'A prerequisite is no longer in the course.',
      }
}

function* findObjectiveMistakes({ objectives = [] }: CourseContent, lessons: ReadonlySet<string>) {
  const ids = objectives.map(({ id }) => id)
  for (const [i, objective] of objectives.entries()) {
    const pointer = `/objectives/${i}`
    if (isTwice(ids, objective.id, i))
      yield {
        where: 'objectives',
        must: `have unique ids: ${objective.id} appears twice`,
        pointer: `${pointer}/id`,
        message: `Another objective has the same id, ${objective.id}.`,
      }
    for (const id of objective.lessons)
      if (!lessons.has(id))
        yield {
          where: 'objectives',
          must: `refer only to lessons of the course: ${objective.id} refers to ${id}`,
          pointer: `${pointer}/lessons`,
          message: 'A lesson of this objective is no longer in the course.',
        }
  }
}

/** The content that each kind of lesson must have, and those that it can have. */
const CONTENT: Readonly<Record<LessonKind, { needs?: readonly ContentField[]; takes: readonly ContentField[] }>> = {
  activity: { takes: [] },
  app: { needs: ['app'], takes: ['app', 'launchUri', 'launchParameters', 'passCode'] },
  'instructor-led': { takes: ['rubric'] },
  page: { needs: ['text'], takes: ['text'] },
  file: { needs: ['file'], takes: ['file', 'captions'] },
  quiz: { needs: ['quiz'], takes: ['quiz'] },
  package: { needs: ['package', 'item'], takes: ['package', 'item'] },
}
const CONTENT_FIELDS = [
  'app',
  'launchUri',
  'launchParameters',
  'passCode',
  'text',
  'file',
  'captions',
  'rubric',
  'quiz',
  'package',
  'item',
] as const
type ContentField = (typeof CONTENT_FIELDS)[number]

const MISSING: Partial<Record<ContentField, string>> = {
  app: 'Choose the app that delivers the lesson.',
  text: 'Write the text of the page.',
  file: 'Choose a file.',
  quiz: 'Choose at least one question.',
  package: 'Choose a package.',
  item: 'Choose a unit of the package.',
}

/** Finds content that is missing, or that belongs to another kind of lesson. */
function* findKindMistakes(lesson: LessonContent, place: string): Generator<CourseMistake> {
  const { id, kind, text, file, captions, rubric, quiz, package: packageId, item } = lesson
  if (kind !== undefined) {
    const { needs = [], takes } = CONTENT[kind]
    for (const field of needs)
      if (!isSet(lesson[field]))
        yield {
          where: 'lessons',
          must: `set ${field} of ${id}: it is a ${kind} lesson`,
          pointer: `${place}/${field}`,
          message: MISSING[field]!,
        }
    for (const field of CONTENT_FIELDS)
      if (isSet(lesson[field]) && !takes.includes(field))
        yield {
          where: 'lessons',
          must: `not set ${field} of ${id}: it is for other kinds of lessons, not for ${kind}`,
          pointer: `${place}/kind`,
          message: 'The lesson has content of another kind. Choose the kind again.',
        }
  } else if ([text, file, captions, rubric, quiz, packageId, item].some((content) => content !== undefined))
    yield {
      where: 'lessons',
      must: `set kind of ${id}, because it has content`,
      pointer: `${place}/kind`,
      message: 'Choose the kind of lesson.',
    }
}

/** Types of files that a file lesson can show, and that its captions have. */
const SHOWN_FILES = /^(?:application\/pdf|video\/|audio\/)/
const CAPTIONS = /^text\/vtt$/

/** Finds files that a lesson uses and that do not exist, or are of a type that the lesson cannot show. */
export function* findFileMistakes(
  lesson: LessonContent,
  place: string,
  types: ReadonlyMap<string, string>,
): Generator<CourseMistake> {
  const { id, file, captions } = lesson
  const where = 'lessons'
  const fieldOf = (key: string) => (key === file ? 'file' : key === captions ? 'captions' : 'text')
  for (const key of filesOf(lesson))
    if (!types.has(key))
      yield {
        where,
        must: `use only files of the organisation: ${id} uses ${key}, which does not exist`,
        pointer: `${place}/${fieldOf(key)}`,
        message: 'A file of this lesson no longer exists. Choose another one.',
      }
  const typeOf = (key: string | undefined) => (key === undefined ? undefined : types.get(key))
  const [shown, told] = [typeOf(file), typeOf(captions)]
  if (shown !== undefined && !SHOWN_FILES.test(shown))
    yield {
      where,
      must: `have a PDF, video or audio as file of ${id}, not ${shown}`,
      pointer: `${place}/file`,
      message: 'Choose a PDF, a video or an audio file.',
    }
  if (told !== undefined && !CAPTIONS.test(told))
    yield {
      where,
      must: `have WebVTT captions of ${id}, not ${told}`,
      pointer: `${place}/captions`,
      message: 'Choose a WebVTT file.',
    }
}

function* findRubricMistakes(
  { id, rubric = [] }: LessonContent,
  place: string,
  objectives: NonNullable<CourseContent['objectives']>,
) {
  const criteria = rubric.map((one) => one.id)
  for (const [i, { id: criterion, name, objective }] of rubric.entries()) {
    if (isTwice(criteria, criterion, i))
      yield {
        where: 'lessons',
        must: `have unique ids in the rubric of ${id}: ${criterion} appears twice`,
        pointer: `${place}/rubric/${i}/id`,
        message: `Another criterion has the same id as ${name}.`,
      }
    const found = objectives.find((one) => one.id === objective)
    if (objective !== undefined && !found)
      yield {
        where: 'lessons',
        must: `refer only to objectives of the course in the rubric of ${id}, not ${objective}`,
        pointer: `${place}/rubric/${i}/objective`,
        message: `The objective of ${name} is no longer in the course.`,
      }
    // An objective takes scores only from its own lessons.
    if (found && !found.lessons.includes(id))
      yield {
        where: 'lessons',
        must: `refer only to objectives that list ${id} in its rubric, not ${objective}`,
        pointer: `${place}/rubric/${i}/objective`,
        message: `Add this lesson to the objective ${found.name}, or choose another one for ${name}.`,
      }
  }
}

/** Finds a passing score of a package lesson, whose content decides what is passed. */
function* findScoredPackage({ id, kind, threshold }: LessonContent, place: string) {
  if (kind === 'package' && threshold !== undefined)
    yield {
      where: 'lessons',
      must: `not set threshold of ${id}: its package says which score passes`,
      pointer: `${place}/threshold`,
      message: 'The package says which score passes. Remove the passing score.',
    }
}

/** Finds units and blocks that two lessons show: the content reports each of them once. */
function* findRepeatedItems(places: ReturnType<typeof placesOf>): Generator<CourseMistake> {
  const lessons = new Map<string, LessonContent>()
  for (const { lesson, place } of places) {
    const { id, package: packageId, item } = lesson
    if (packageId === undefined || item === undefined) continue
    const key = `${packageId} ${item}`
    const first = lessons.get(key)
    lessons.set(key, first ?? lesson)
    if (first)
      yield {
        where: 'lessons',
        must: `show each item of a package once: ${first.id} and ${id} show item ${item} of ${packageId}`,
        pointer: `${place}/item`,
        message: `The lesson ${first.name} shows this part of the package already. Choose another one.`,
      }
  }
}

/** Finds lessons that show an item of a package which the organisation does not have, or which they cannot show. */
export function* findPackageMistakes(
  { id, package: packageId, item, childLessons = [] }: LessonContent,
  place: string,
  { organisation, packages }: { readonly organisation: string; readonly packages: PackageItems },
): Generator<CourseMistake> {
  if (packageId === undefined || item === undefined) return
  const items = packages.get(packageId)
  const kind = items?.get(item)
  if (!items)
    yield {
      where: 'lessons',
      must: `use only packages of ${organisation}: ${id} uses ${packageId}, which it does not have`,
      pointer: `${place}/package`,
      message: 'The package of this lesson no longer exists, or belongs to another organisation. Choose another one.',
    }
  else if (kind === undefined)
    yield {
      where: 'lessons',
      must: `show items that their packages have: ${id} shows item ${item} of ${packageId}, which does not exist`,
      pointer: `${place}/item`,
      message: 'The package has no such unit. Choose another one.',
    }
  else if (kind === 'block' && childLessons.length === 0)
    yield {
      where: 'lessons',
      must: `show a unit unless they have child lessons: item ${item}, which ${id} shows, is a block`,
      pointer: `${place}/item`,
      message: 'Only a lesson with steps can show a block of a package. Choose a unit.',
    }
}

/** The most questions of an attempt at a quiz. */
const MAX_QUIZ = 500

function* findQuizMistakes({ id, quiz, threshold = 0 }: LessonContent, place: string) {
  const most = (quiz?.parts ?? []).reduce((sum, { questions = [], draw }) => sum + (draw ?? questions.length), 0)
  if (most > MAX_QUIZ)
    yield {
      where: 'lessons',
      must: `have at most ${MAX_QUIZ} questions in the quiz of ${id}`,
      pointer: `${place}/quiz`,
      message: `A quiz can have at most ${MAX_QUIZ} questions. This one has ${most}.`,
    }
  if (quiz && threshold > 100)
    yield {
      where: 'lessons',
      must: `have a passing score of at most 100 in ${id}, because a quiz is scored in percent`,
      pointer: `${place}/threshold`,
      message: 'A quiz is scored in percent, so the passing score is at most 100.',
    }
  for (const [i, { questions = [], tag, draw }] of (quiz?.parts ?? []).entries()) {
    const pointer = `${place}/quiz/parts/${i}`
    if (tag === undefined ? questions.length === 0 : questions.length > 0)
      yield {
        where: 'lessons',
        must: `have either questions or a tag in each part of the quiz of ${id}`,
        pointer,
        message: `Choose either questions or a tag in part ${i + 1}.`,
      }
    else if (tag === undefined && draw !== undefined && draw > questions.length)
      yield {
        where: 'lessons',
        must: `not draw more questions than a part of the quiz of ${id} has`,
        pointer: `${pointer}/draw`,
        message: `Part ${i + 1} has only ${questions.length} questions to draw from.`,
      }
  }
}

export const tagKey = (tag: string): string => tag.trim().toLowerCase()

/** Finds questions that the bank does not have, and too few of them in a course that is published. */
export function* findQuestionMistakes(
  { id, quiz }: LessonContent,
  place: string,
  bank: {
    readonly organisation: string
    readonly isFinal: boolean
    /** Whether each question of the bank is archived. */
    readonly archived: ReadonlyMap<string, boolean>
    /** The number of questions with each tag. */
    readonly tagged: ReadonlyMap<string, number>
  },
): Generator<CourseMistake> {
  for (const [i, { questions = [], tag, draw = 1 }] of (quiz?.parts ?? []).entries()) {
    const at = { where: 'lessons', pointer: `${place}/quiz/parts/${i}` }
    const unknown = questions.find((key) => !bank.archived.has(key))
    const archived = questions.find((key) => bank.archived.get(key))
    const found = tag === undefined ? draw : (bank.tagged.get(tagKey(tag)) ?? 0)
    if (unknown !== undefined)
      yield {
        ...at,
        must: `have questions of ${bank.organisation} in the quiz ${id}: not ${unknown}`,
        message: `Part ${i + 1} has a question that is not in the question bank.`,
      }
    else if (bank.isFinal && archived !== undefined)
      yield {
        ...at,
        must: `have no archived questions in the quiz ${id}: remove ${archived}`,
        message: `Part ${i + 1} has an archived question. Remove it.`,
      }
    else if (bank.isFinal && found < draw)
      yield {
        ...at,
        must: `draw at most ${found} questions with the tag ${tag} in the quiz ${id}`,
        message: `Only ${found} questions have the tag ${tag}, but part ${i + 1} draws ${draw}.`,
      }
  }
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)

/** The names, in lower case, of the parameters that the platform adds to every launch URL. */
const OWN_NAMES = ['lessonid', 'classid', 'courseid', 'studentid']
const isOwnName = (name: string) => OWN_NAMES.includes(name.trim().toLowerCase())
const nameOf = (parameter: string) => parameter.slice(0, parameter.indexOf('='))
const isReservedName = (name: string) =>
  !name.isWellFormed() || isOwnName(name) || findReservedName(`?${encodeURIComponent(name)}`) !== undefined

/** Finds reasons why a lesson can never be launched, whatever redirect URIs its app has. */
export function* findLaunchMistakes(
  { id, app, launchUri, launchParameters = [], passCode }: LessonContent,
  place: string,
): Generator<CourseMistake> {
  const uriPointer = `${place}/launchUri`
  if (launchUri !== undefined && app === undefined)
    yield {
      where: 'lessons',
      must: `set the app that ${launchUri} of ${id} belongs to`,
      pointer: `${place}/app`,
      message: MISSING.app!,
    }
  if (passCode && launchUri === undefined)
    yield {
      where: 'lessons',
      must: `give ${id} a launchUri, because it passes a code`,
      pointer: uriPointer,
      message: 'Choose a launch URL, because students are signed in there.',
    }
  const wrong = launchUri === undefined ? undefined : findLaunchMistake(launchUri)
  if (wrong)
    yield {
      where: 'lessons',
      must: `have valid URLs: launchUri of ${id} must ${wrong}`,
      pointer: uriPointer,
      message: `The URL must ${wrong}.`,
    }
  const taken = [...new URLSearchParams(launchUri?.split('?', 2)[1]).keys()].find(isOwnName)
  if (taken !== undefined)
    yield {
      where: 'lessons',
      must: `have valid URLs: ${id} must not have ${taken} in its query: the platform sets it`,
      pointer: uriPointer,
      message: `Remove ${taken} from the query. Groundschool adds it itself.`,
    }
  for (const [i, name] of launchParameters.map(nameOf).entries())
    if (isReservedName(name))
      yield {
        where: 'lessons',
        must: `have valid URLs: ${id} must not have ${name} in its query: the platform sets it`,
        pointer: `${place}/launchParameters/${i}`,
        message: `Choose another name. Groundschool adds ${name} itself.`,
      }
}

/** Explains why `passCode` must be false for a public client. */
export const passCodeRefusal = (app: string): string =>
  `be false: ${app} is a public client, and has no secret to redeem a code with`

interface LaunchApp {
  readonly isPublic: boolean
  readonly uris: readonly string[]
}

/** Finds launch settings of a lesson that do not fit its app. `found` is undefined if the app does not exist. */
export function* findAppMistakes(
  { id, app, launchUri, passCode }: LessonContent,
  place: string,
  found: LaunchApp | undefined,
): Generator<CourseMistake> {
  if (app === undefined) return
  if (!found) {
    yield {
      where: 'lessons',
      must: `refer to existing apps: ${id} refers to ${app}`,
      pointer: `${place}/app`,
      message: `There is no app ${app}. Choose another one.`,
    }
    return
  }
  if (found.isPublic && passCode)
    yield {
      where: `passCode of ${id}`,
      must: passCodeRefusal(app),
      pointer: `${place}/passCode`,
      message: 'This app can’t sign students in: it is a public client and has no secret.',
    }
  if (launchUri !== undefined && !found.uris.some((uri) => isLaunchOf(launchUri, uri)))
    yield {
      where: `launchUri of ${id}`,
      must: `be a redirect URI of ${app}, with or without a query`,
      pointer: `${place}/launchUri`,
      message: 'This is not one of the app’s redirect URIs. Choose one from the list.',
    }
}

/** Returns the mistake that the id of a lesson or an objective belongs to another course. */
export function takenIdMistake(course: CourseContent, kind: 'lesson' | 'objective', id: string): CourseMistake {
  const place =
    kind === 'lesson'
      ? placesOf(course).find(({ lesson }) => lesson.id === id)!.place
      : `/objectives/${course.objectives!.findIndex((one) => one.id === id)}`
  return {
    where: `${kind}s`,
    must: `have unique ids: ${id} belongs to another course`,
    pointer: `${place}/id`,
    message: `The id ${id} belongs to another course. Duplicate the ${kind} to get a new one.`,
  }
}

/**
 * Finds lessons that nobody could ever pass, because their prerequisites form a cycle or contradict the order of a
 * sequential class.
 */
function* findDeadlock(course: CourseContent): Generator<CourseMistake> {
  const rows = lessonRows(course)
  const places = placesOf(course)
  const at = (key: string) => `${places.find(({ lesson }) => lesson.id === key)!.place}/prerequisites`
  const nameOfLesson = (key: string) => lessonsIn(course).find(({ id }) => id === key)!.name
  const circle = findCircle(rows, ({ prerequisites }) => prerequisites)
  if (circle) {
    yield {
      where: 'lessons',
      must: `not be prerequisites of each other: ${circle.join(' → ')}`,
      pointer: at(circle[0]!),
      message: `These lessons wait for each other: ${circle.map(nameOfLesson).join(' → ')}.`,
    }
    return
  }
  const inOrder = findCircle(rows, ({ prerequisites, earlier }) => [...prerequisites, ...earlier])
  if (!inOrder) return
  const keys = rows.map(({ key }) => key)
  const isLate = (key: string, next: string) =>
    keys.indexOf(next) > keys.indexOf(key) && rows.find((row) => row.key === next)?.parent !== key
  const i = inOrder.findIndex((key, i) => i > 0 && isLate(inOrder[i - 1]!, key))
  yield i < 0
    ? {
        where: 'lessons',
        must: `not depend on each other if a class is sequential: ${inOrder.join(' → ')}`,
        pointer: at(inOrder[0]!),
        message: `In a class that goes in order, these lessons wait for each other: ${inOrder.map(nameOfLesson).join(' → ')}.`,
      }
    : {
        where: 'lessons',
        must: `come after their prerequisites: ${inOrder[i]} must come before ${inOrder[i - 1]}`,
        pointer: at(inOrder[i - 1]!),
        message: `Move this lesson after its prerequisite, ${nameOfLesson(inOrder[i]!)}.`,
      }
}

/** Finds a cycle of lessons in which each lesson requires the next. */
function findCircle(rows: readonly LessonRow[], needsOf: (row: LessonRow) => readonly string[]): string[] | undefined {
  const needs = new Map(rows.map((row) => [row.key, needsOf(row)]))
  const done = new Set<string>()
  const visit = (key: string, path: readonly string[]): string[] | undefined => {
    if (done.has(key)) return undefined
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key]
    const here = [...path, key]
    for (const next of needs.get(key) ?? []) {
      const circle = visit(next, here)
      if (circle) return circle
    }
    done.add(key)
    return undefined
  }
  for (const { key } of rows) {
    const circle = visit(key, [])
    if (circle) return circle
  }
  return undefined
}
