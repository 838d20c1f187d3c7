import type { CallOptions } from '../../api/call.ts'
import { addCoursePackage, type CourseDocument, saveCourse } from '../../api/operations.ts'
import { allLessons } from './course-model.ts'

interface AddToCourse {
  readonly courseId: string
  readonly packageId: string
  readonly replaces?: string
  /** The course with changes that have not been saved. */
  readonly unsaved?: CourseDocument
}

/** Adds a package to the stored draft of a course, and saves unsaved changes first, which would be lost otherwise. */
export const addToCourse = Object.assign(
  async ({ unsaved, ...what }: AddToCourse, options?: CallOptions): Promise<CourseDocument> => {
    if (unsaved) await saveCourse(contentOf(unsaved))
    return addCoursePackage(what, options)
  },
  { operationName: addCoursePackage.operationName },
)

/** The part of a document that an author saves. */
export const contentOf = ({ version: _, draft: __, may: ___, ...content }: CourseDocument) => content

/** The changes of the lessons when a package was replaced: the number that stayed, and the names of the others. */
export interface Replacement {
  readonly stayed: number
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Compares the lessons of a package before and after it was replaced. */
export function compareLessons(
  before: { readonly doc: CourseDocument; readonly packageId: string },
  after: { readonly doc: CourseDocument; readonly packageId: string },
): Replacement {
  const [old, next] = [before, after].map(({ doc, packageId }) => lessonsOf(doc, packageId)) as [Steps, Steps]
  const namesIn = (list: Steps, others: Steps) =>
    list.filter(({ id }) => !others.some((one) => one.id === id)).map(({ name }) => name)
  const added = namesIn(next, old)
  return { stayed: next.length - added.length, added, removed: namesIn(old, next) }
}

type Steps = ReturnType<typeof allLessons>
const lessonsOf = (doc: CourseDocument, packageId: string): Steps =>
  allLessons(doc).filter((lesson) => lesson.package === packageId)

/** The packages that a course uses, with the number of lessons that show each. */
export const packagesIn = (doc: CourseDocument): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { package: id } of allLessons(doc)) if (id) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
