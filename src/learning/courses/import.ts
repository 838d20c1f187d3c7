import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { appSection } from '../../apps/apps/import.ts'
import { organisationSection } from '../../apps/organisations/import.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Field, Flag, Key, Line, Matching } from '../../kernel/imports/fields.ts'
import { type ImportSection, isObject, type Mistake, type World } from '../../kernel/imports/section.ts'
import { findFiles } from '../content/content.ts'
import { fileSection, readFileEntry } from '../content/import.ts'
import { findItems } from '../packages/packages.ts'
import { findQuestions } from './authoring-store.ts'
import {
  findCourseMistakes,
  findFileMistakes,
  findPackageMistakes,
  findQuestionMistakes,
  passCodeRefusal,
  placesOf,
} from './mistake-rules.ts'
import { publishVersion } from './publish.ts'
import { canonicalCourse, filesOf, itemsOf } from './rules.ts'
import { CourseContent, ID_MUST, ID_PATTERN, lessonsIn } from './schema.ts'
import * as store from './store.ts'

/** Defines an id that is unique in the import file and is also used in the API. */
export const ImportId = (about: string) => Matching(ID_PATTERN, ID_MUST, about, 64)

const Course = Type.Object({
  key: ImportId('The courseId'),
  organisation: Key('Key of the organisation that owns it'),
  name: Line(200, 'Name of the course', { minLength: 1 }),
  description: Type.Optional(Line(10_000, 'Empty by default')),
  profilePic: Type.Optional(Line(500, 'Id or URL of an image; none by default')),
  coverPhoto: Type.Optional(Line(500, 'Id or URL of an image; none by default')),
  public: Type.Optional(Flag('Whether everybody can read about it; false by default')),
  lessons: Type.Array(Type.Unknown(), {
    must: 'a list of lessons',
    about:
      'In order, each as `PUT /edu/v1/course` takes it: id, name, threshold, app, launchUri, childLessons and so on',
  } satisfies Field),
  objectives: Type.Optional(
    Type.Array(Type.Unknown(), {
      must: 'a list of objectives',
      about: 'Each with id, name, description and the ids of its lessons; none by default',
    } satisfies Field),
  ),
})

type CourseEntry = CourseContent & { readonly key: string; readonly organisation: string }
type StoredCourse = RowOf<typeof store.findCourses>

const shape = Compile(CourseContent)

/** Imports courses. If the content of a course differs from its newest version, a new version is published. */
export const courseSection: ImportSection<CourseEntry, StoredCourse, CourseEntry> = {
  name: 'courses',
  one: 'course',
  key: 'key',
  schema: Course,

  *check({ key: _key, organisation: _organisation, ...content }, place) {
    for (const { instancePath, message } of shape.Errors(content).slice(0, 20)) {
      const where = instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')
      if (/^\.(lessons|objectives)\[/.test(where)) yield `${place}${where}: ${message}`
    }
    if (!shape.Check(content)) return
    for (const { where, must } of findCourseMistakes(content)) yield `${place}.${where}: must ${must}`
  },

  *refer({ organisation, lessons }, place) {
    if (typeof organisation === 'string')
      yield { place: `${place}.organisation`, to: organisationSection, key: organisation }
    for (const [where, { app }] of objectsIn(lessons, `${place}.lessons`))
      if (typeof app === 'string') yield { place: `${where}.app`, to: appSection, key: appKey(app) }
  },

  find: (db, keys) => db.all(store.findCourses, { keys }),
  lock: (tx, { own }) => tx.all(store.lockCourses, { keys: own }),

  /**
   * Checks that no other course uses the ids of lessons and objectives, which are unique in an environment, and that a
   * lesson with `passCode` has an app with a secret, which is needed to redeem the code. Files and questions of lessons
   * must belong to the organisation.
   */
  async checkHere(db, entries, world) {
    const { find, inFile } = world
    const isPublic = (app: string) =>
      (inFile(appSection, app) as { public?: boolean } | undefined)?.public ?? find(appSection, app)?.public_client
    const passing = entries.flatMap(({ lessons }, i) =>
      objectsIn(lessons, `courses[${i}].lessons`).filter(([, { passCode }]) => passCode === true),
    )
    const wrong = passing.flatMap(([where, { app }]) =>
      typeof app === 'string' && isPublic(appKey(app)) ? `${where}.passCode: must ${passCodeRefusal(app)}` : [],
    )
    const named = entries.flatMap((entry, i) => [
      ...lessonsIn(entry).map(({ id }) => ({ kind: 'lesson', id, entry, i })),
      ...(entry.objectives ?? []).map(({ id }) => ({ kind: 'objective', id, entry, i })),
    ])
    const rows = await db.all(store.findOwners, { keys: named.map(({ id }) => id) })
    const owners = new Map(rows.map(({ kind, key, course }) => [`${kind} ${key}`, course]))
    const seen = new Map<string, string>()
    const taken = named.flatMap(({ kind, id, entry, i }) => {
      const owner = owners.get(`${kind} ${id}`) ?? seen.get(`${kind} ${id}`) ?? entry.key
      seen.set(`${kind} ${id}`, entry.key)
      return owner === entry.key ? [] : [`courses[${i}]: must have unique ids: ${id} belongs to the course ${owner}`]
    })
    return [...taken, ...wrong, ...(await findMissing(db, entries, world))]
  },

  plan: (entry, found) => ({
    change: entry,
    isSame:
      found !== undefined && found.document === canonicalCourse(entry) && found.organisation === entry.organisation,
  }),

  async write(tx, who, changes, { idOf, environment }) {
    const made: { id: number; key: string }[] = []
    for (const { key, id, change } of changes) {
      const organisation = idOf(organisationSection, change.organisation)
      const courseId = id ?? (await tx.first(store.insertCourse, { key, organisation, now: who.at }))!.id
      if (id === undefined) made.push({ key, id: courseId })
      else await tx.all(store.setOrganisation, { course: id, organisation })
      await publishVersion(tx, who, { courseId, organisation: change.organisation, content: change, environment })
    }
    return made
  },
}

/** The part of the section of questions that is needed here, because the room of quizzes stands on this one. */
const questions = { name: 'questions', one: 'question', find: async () => [] }

/** Finds files, questions and packages that lessons use and the organisation does not have. */
async function findMissing(db: Db, entries: readonly CourseEntry[], { inFile }: World): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  for (const [i, entry] of entries.entries()) {
    const { organisation } = entry
    const items = itemsOf(entry)
    const packages = items.length === 0 ? new Map() : await findItems(db, { organisation, items })
    const lessons = lessonsIn(entry)
    const ofFile = <T extends { organisation: string }>(section: Parameters<World['inFile']>[0], key: string) => {
      const one = inFile(section, key) as T | undefined
      return one?.organisation === organisation ? one : undefined
    }
    const files = lessons.flatMap(filesOf)
    const types = new Map((await findFiles(db, { organisation, keys: files })).map((one) => [one.key, one.media_type]))
    for (const key of files) {
      const file = ofFile<{ organisation: string; name: string; content: string }>(fileSection, key)
      if (file) types.set(key, readFileEntry(file).mediaType)
    }
    const keys = lessons.flatMap(({ quiz }) => (quiz?.parts ?? []).flatMap((part) => part.questions ?? []))
    const stored = await db.all(findQuestions, { organisation, keys })
    const archived = new Map(stored.map((row) => [row.key, row.is_archived]))
    for (const key of keys) if (ofFile(questions, key)) archived.set(key, false)
    const bank = { organisation, isFinal: false, archived, tagged: new Map<string, number>() }
    for (const { lesson, place } of placesOf(entry))
      for (const { where, must } of [
        ...findFileMistakes(lesson, place, types),
        ...findQuestionMistakes(lesson, place, bank),
        ...findPackageMistakes(lesson, place, { organisation, packages }),
      ])
        mistakes.push(`courses[${i}].${where}: must ${must}`)
  }
  return mistakes
}

/**
 * Lists lessons and child lessons with their paths in the file. The list has not been validated yet, so it may be
 * anything.
 */
function objectsIn(list: unknown, place: string): [string, Record<string, unknown>][] {
  const objects = Array.isArray(list) ? [...list.entries()].filter((entry) => isObject(entry[1])) : []
  return objects.flatMap(([i, lesson]) => [
    [`${place}[${i}]`, lesson],
    ...objectsIn(lesson.childLessons, `${place}[${i}].childLessons`),
  ])
}

const appKey = (app: string): string => app.replace(/^gs-(sbx-)?/, '')
