import { makeClientId } from '../../apps/apps/apps.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { fail, type PlatformError } from '../../kernel/errors.ts'
import { lockFiles } from '../content/content.ts'
import { lockItems } from '../packages/packages.ts'
import * as store from './authoring-store.ts'
import { revealsId } from './guesses.ts'
import {
  type CourseMistake,
  findAppMistakes,
  findCourseMistakes,
  findFileMistakes,
  findPackageMistakes,
  findQuestionMistakes,
  placesOf,
  tagKey,
  takenIdMistake,
} from './mistake-rules.ts'
import { filesOf, itemsOf } from './rules.ts'
import { type CourseContent, lessonsIn } from './schema.ts'
import { findOwners } from './store.ts'

const MAX_FAULTS = 100

interface CheckedCourse {
  readonly key: string
  readonly organisation: string
  /** Whether the course is published. A draft can be saved before the question bank has enough questions. */
  readonly isFinal: boolean
}

/**
 * Throws if a course breaks a rule that the schema cannot express: the course must be consistent, no other course may
 * use its ids, its apps must exist, and the launch settings of its lessons must fit those apps. The error lists all
 * mistakes with their places, so that pages can show each beside its field.
 */
export async function checkContent(
  tx: Tx,
  course: CheckedCourse,
  content: CourseContent,
  environment: EnvironmentName,
): Promise<void> {
  const taken = await findTakenIds(tx, course.key, content)
  const mistakes = [
    ...findCourseMistakes(content),
    ...taken,
    ...(await findWrongApps(tx, content, environment)),
    ...(await findWrongQuestions(tx, course, content)),
    // `publishVersion` checks the packages of a course that is published.
    ...(course.isFinal ? [] : await findWrongPackages(tx, course.organisation, content)),
  ]
  const refusal = refuse(mistakes)
  if (refusal) throw taken.length > 0 ? revealsId(refusal) : refusal
}

/**
 * Throws if a lesson uses a file that it cannot use. Until the end of the transaction, none of its files can be
 * deleted.
 */
export async function checkFiles(tx: Tx, course: number, content: CourseContent): Promise<void> {
  const types = await lockFiles(tx, { course, keys: lessonsIn(content).flatMap(filesOf) })
  const refusal = refuse(placesOf(content).flatMap(({ lesson, place }) => [...findFileMistakes(lesson, place, types)]))
  if (refusal) throw refusal
}

/**
 * Throws if a lesson shows an item of a package that it cannot show. Until the end of the transaction, none of the
 * packages can be deleted.
 */
export async function checkPackages(tx: Tx, organisation: string, content: CourseContent): Promise<void> {
  const refusal = refuse(await findWrongPackages(tx, organisation, content))
  if (refusal) throw refusal
}

async function findWrongPackages(tx: Tx, organisation: string, content: CourseContent): Promise<CourseMistake[]> {
  const items = itemsOf(content)
  if (items.length === 0) return []
  const known = { organisation, packages: await lockItems(tx, { organisation, items }) }
  return placesOf(content).flatMap(({ lesson, place }) => [...findPackageMistakes(lesson, place, known)])
}

function refuse(mistakes: readonly CourseMistake[]): PlatformError | undefined {
  const [first] = mistakes
  if (!first) return undefined
  const refusal = fail('validationFailed', `${first.where} must ${first.must}`)
  refusal.faults = mistakes.slice(0, MAX_FAULTS).map(({ pointer, must, message }) => ({ pointer, must, message }))
  return refusal
}

async function findTakenIds(tx: Tx, key: string, content: CourseContent): Promise<CourseMistake[]> {
  const ids = {
    lesson: lessonsIn(content).map(({ id }) => id),
    objective: (content.objectives ?? []).map(({ id }) => id),
  }
  const owners = await tx.all(findOwners, { keys: [...ids.lesson, ...ids.objective] })
  return owners
    .map(({ kind, ...owner }) => ({ ...owner, kind: kind as keyof typeof ids }))
    .filter((owner) => owner.course !== key && ids[owner.kind].includes(owner.key))
    .map((owner) => takenIdMistake(content, owner.kind, owner.key))
}

async function findWrongApps(tx: Tx, content: CourseContent, environment: EnvironmentName): Promise<CourseMistake[]> {
  const clientOf = (app: string) => makeClientId(environment, app.replace(/^gs-(sbx-)?/, ''))
  const clients = [...new Set(lessonsIn(content).flatMap(({ app }) => (app === undefined ? [] : clientOf(app))))]
  const rows = await tx.all(store.findApps, { clients })
  const apps = new Map(rows.map(({ client_id, is_public, uris }) => [client_id, { isPublic: is_public, uris }]))
  return placesOf(content).flatMap(({ lesson, place }) =>
    lesson.app === undefined ? [] : [...findAppMistakes(lesson, place, apps.get(clientOf(lesson.app)))],
  )
}

async function findWrongQuestions(
  tx: Tx,
  { organisation, isFinal }: CheckedCourse,
  content: CourseContent,
): Promise<CourseMistake[]> {
  const parts = lessonsIn(content).flatMap(({ quiz }) => quiz?.parts ?? [])
  if (parts.length === 0) return []
  const keys = [...new Set(parts.flatMap(({ questions = [] }) => questions))]
  const tags = [...new Set(parts.flatMap(({ tag }) => (tag ? tagKey(tag) : [])))]
  const known = await tx.all(store.findQuestions, { organisation, keys })
  const counts = await tx.all(store.countTags, { organisation, tags })
  const bank = {
    organisation,
    isFinal,
    archived: new Map(known.map(({ key, is_archived }) => [key, is_archived])),
    tagged: new Map(counts.map(({ tag, questions }) => [tag, questions])),
  }
  return placesOf(content).flatMap(({ lesson, place }) => [...findQuestionMistakes(lesson, place, bank)])
}
