import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { World } from '../../kernel/imports/section.ts'
import { courseSection } from '../courses/import.ts'
import { type CourseContent, kindOf, lessonsIn } from '../courses/schema.ts'
import { classSection, studentsOf } from './import.ts'
import * as importStore from './import-store.ts'
import * as store from './store.ts'

/** The students, lessons and objectives of a class, to which records in an import file may refer. */
export interface Contents {
  hasStudent(handle: string): boolean
  hasLesson(lesson: string): boolean
  kindOf(lesson: string): string | undefined
  /** The lesson that this one is a child of. */
  parentOf(lesson: string): string | undefined
  hasObjective(objective: string, lesson: string): boolean
}

interface ClassEntry {
  readonly key: string
  readonly course?: string
  readonly students?: unknown
}

/**
 * Reads the contents that classes will have after the import. An existing class stays on its course version. A new
 * class uses the course as the file describes it, or else the newest stored version.
 */
export async function readContents(
  db: Db,
  classes: readonly ClassEntry[],
  { find, inFile }: World,
): Promise<(entry: ClassEntry) => Contents> {
  const known = classes.flatMap(({ key }) => find(classSection, key) ?? [])
  const courses = classes.flatMap(({ course }) => course ?? [])
  const ids = known.map(({ id }) => id)
  const rows = await db.all(importStore.listContents, { classes: ids, courses })
  const kinds = new Map(rows.filter((row) => row.objective === '').map((row) => [`${row.owner} ${row.lesson}`, row]))
  const stored = new Set(rows.map(({ owner, lesson, objective }) => `${owner} ${objective} ${lesson}`))
  const keyOf = new Map(known.map(({ id, key }) => [id, key]))
  const students = (await db.all(store.findStudents, { classes: ids })).map(
    ({ class_id, handle }) => `${keyOf.get(class_id)} ${handle}`,
  )
  const enrolled = new Set([
    ...students,
    ...classes.flatMap((entry) => studentsOf(entry).map(([, one]) => `${entry.key} ${normaliseHandle(one.handle)}`)),
  ])
  return ({ key, course = '' }) => {
    const isNew = find(classSection, key) === undefined
    const imported = isNew ? (inFile(courseSection, course) as CourseContent | undefined) : undefined
    const owner = isNew ? `course ${course}` : `class ${key}`
    return {
      hasStudent: (handle) => enrolled.has(`${key} ${normaliseHandle(handle)}`),
      hasLesson: (lesson) =>
        imported ? lessonsIn(imported).some(({ id }) => id === lesson) : stored.has(`${owner}  ${lesson}`),
      kindOf: (lesson) => {
        const content = imported && lessonsIn(imported).find(({ id }) => id === lesson)
        return content ? kindOf(content) : kinds.get(`${owner} ${lesson}`)?.lesson_kind
      },
      parentOf: (lesson) =>
        imported
          ? imported.lessons.find(({ childLessons = [] }) => childLessons.some(({ id }) => id === lesson))?.id
          : (kinds.get(`${owner} ${lesson}`)?.parent ?? undefined),
      hasObjective: (objective, lesson) =>
        imported
          ? (imported.objectives ?? []).some(({ id, lessons }) => id === objective && lessons.includes(lesson))
          : stored.has(`${owner} ${objective} ${lesson}`),
    }
  }
}
