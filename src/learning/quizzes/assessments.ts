import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readLesson } from '../courses/courses.ts'
import type { Lesson, ReadLesson } from '../courses/schema.ts'

/** Reads a lesson that is an assessment, for older apps. */
export async function readAssessment(db: Db, who: Member, what: ReadLesson): Promise<Lesson> {
  const lesson = await readLesson(db, who, what)
  if (!lesson.isAssessment) throw fail('notFound', 'There is no assessment with this id, or you do not take it')
  return lesson
}
