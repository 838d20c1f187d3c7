import type { OutlineItem, OutlineTexts } from '../packages/outline.ts'
import { type CourseContent, type LessonContent, lessonsIn } from './schema.ts'

/** A package whose units become lessons. */
export interface LessonPackage {
  readonly key: string
  readonly items: readonly OutlineItem[]
  readonly objectives: readonly OutlineTexts[]
}

const MOST_NAME = 200
const MOST_DESCRIPTION = 10_000

/** Shortens a text without cutting a character in half. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
const nameOf = ({ title, id }: OutlineTexts): string => cut(title.replace(/\s+/g, ' ').trim() || id, MOST_NAME)
const descriptionOf = ({ description }: OutlineTexts): string => cut(description.trim(), MOST_DESCRIPTION)

const textsOf = (item: OutlineTexts) => ({
  name: nameOf(item),
  ...(descriptionOf(item) !== '' && { description: descriptionOf(item) }),
})

const toLesson = (key: string, item: OutlineItem, id: string): LessonContent => ({
  ...{ id, ...textsOf(item), kind: 'package', package: key, item: item.position },
})

/** Appends the lessons of a package to a course: blocks at the top are parents of all units below them. */
export function appendLessons(course: CourseContent, added: LessonPackage, makeId: () => string): CourseContent {
  const { key, items } = added
  const lessons = items
    .filter(({ block }) => block === null)
    .map((item) => {
      const lesson = toLesson(key, item, makeId())
      if (item.kind === 'unit') return lesson
      const units = items.filter(({ kind, block }) => kind === 'unit' && block === item.position)
      return { ...lesson, childLessons: units.map((unit) => toLesson(key, unit, makeId())) }
    })
  return addObjectives({ ...course, lessons: [...course.lessons, ...lessons] }, undefined, added, makeId)
}

/**
 * Adds the objectives of a package, each with the lessons of its units. An objective that the course has of the package
 * before, by its name, gets the lessons of new units; one that the author of the course has removed stays away.
 */
function addObjectives(
  course: CourseContent,
  before: LessonPackage | undefined,
  { key, items, objectives }: LessonPackage,
  makeId: () => string,
): CourseContent {
  const oldNames = new Map(before?.objectives.map((one) => [one.id, nameOf(one)]))
  const oldItems = new Set(before?.items.map(({ id }) => id))
  const ids = new Map(lessonsIn(course).map((lesson) => [lesson.package === key ? lesson.item : undefined, lesson.id]))
  const changed = [...(course.objectives ?? [])]
  for (const objective of objectives) {
    const isOld = oldNames.has(objective.id)
    const at = isOld ? changed.findIndex(({ name }) => name === oldNames.get(objective.id)) : changed.length
    const units = items.filter(
      ({ kind, objectives, id }) =>
        kind === 'unit' && objectives.includes(objective.id) && !(isOld && oldItems.has(id)),
    )
    const lessons = units.flatMap(({ position }) => ids.get(position) ?? [])
    if (at < 0 || lessons.length === 0) continue
    const { lessons: own, ...texts } = changed[at] ?? { id: makeId(), ...textsOf(objective), lessons: [] }
    changed[at] = { ...texts, lessons: [...own, ...lessons] }
  }
  return changed.length === 0 ? course : { ...course, objectives: changed }
}

/**
 * Replaces a package in a course by another one, usually its next version. Lessons of items that both have, by the ids
 * of their author, stay with their ids and their settings; their name and description follow the package unless the
 * author of the course has changed them. Lessons of items that are gone are removed, and new items get lessons beside
 * the others. What the author of the course has removed or regrouped stays so.
 */
export function replaceLessons(
  course: CourseContent,
  before: LessonPackage,
  after: LessonPackage,
  makeId: () => string,
): CourseContent {
  const old = new Map(before.items.map((item) => [item.position, item]))
  const oldIds = new Set(before.items.map(({ id }) => id))
  const found = new Map(after.items.map((item) => [item.id, item]))
  const removed = new Set<string>()
  /** The lessons that are not placed yet, by the positions of their items. */
  const waiting = new Map<number, LessonContent>()

  /** Returns a lesson with its item of the new package; undefined if it is gone. Other lessons stay as they are. */
  const follow = (
    lesson: LessonContent,
  ): { lesson: LessonContent; item?: OutlineItem; isMoved?: boolean } | undefined => {
    if (lesson.package !== before.key) return { lesson }
    const was = old.get(lesson.item!)
    const item = was && found.get(was.id)
    if (!item || item.kind !== was.kind) {
      removed.add(lesson.id)
      return undefined
    }
    return {
      lesson: update(lesson, was, after.key, item),
      item,
      isMoved: blockId(before, was) !== blockId(after, item),
    }
  }
  const followChildren = (children: readonly LessonContent[], isParentGone: boolean): LessonContent[] =>
    children.flatMap((child) => {
      const next = follow(child)
      if (!next) return []
      if (!next.item || !(next.isMoved || isParentGone)) return [next.lesson]
      waiting.set(next.item.position, next.lesson)
      return []
    })

  const lessons = course.lessons.flatMap((lesson): LessonContent[] => {
    const next = follow(lesson)
    const children = followChildren(lesson.childLessons ?? [], next === undefined)
    if (!next) return children
    if (next.item?.kind === 'unit' && next.isMoved && children.length === 0) {
      waiting.set(next.item.position, next.lesson)
      return []
    }
    return [{ ...next.lesson, ...(lesson.childLessons && { childLessons: children }) }]
  })
  for (const item of after.items)
    if (!oldIds.has(item.id) && (item.kind === 'unit' || item.block === null))
      waiting.set(item.position, toLesson(after.key, item, makeId()))

  for (const item of after.items) {
    const lesson = waiting.get(item.position)
    if (!lesson) continue
    const at = lessons.findIndex((one) => item.block !== null && one.package === after.key && one.item === item.block)
    if (at < 0) insertInOrder(lessons, lesson, after.key)
    else {
      const children = [...(lessons[at]!.childLessons ?? [])]
      insertInOrder(children, lesson, after.key)
      lessons[at] = { ...lessons[at]!, childLessons: children }
    }
  }
  const blocks = new Set(after.items.flatMap(({ kind, position }) => (kind === 'block' ? position : [])))
  const isEmpty = (one: LessonContent) =>
    one.package === after.key && blocks.has(one.item!) && (one.childLessons ?? []).length === 0
  for (const { id } of lessons.filter(isEmpty)) removed.add(id)
  const left = withoutLessons({ ...course, lessons: lessons.filter((one) => !isEmpty(one)) }, removed)
  return addObjectives(left, before, after, makeId)
}

const blockId = ({ items }: LessonPackage, { block }: OutlineItem): string | undefined =>
  items.find(({ position }) => position === block)?.id

function update(lesson: LessonContent, was: OutlineItem, key: string, item: OutlineItem): LessonContent {
  const { description, ...rest } = lesson
  const kept = (description ?? '') === descriptionOf(was) ? descriptionOf(item) : description
  return {
    ...rest,
    ...(kept !== undefined && kept !== '' && { description: kept }),
    ...{ name: lesson.name === nameOf(was) ? nameOf(item) : lesson.name, package: key, item: item.position },
  }
}

/** Inserts a lesson after the last one that shows an earlier item of its package, or else before the first. */
function insertInOrder(lessons: LessonContent[], lesson: LessonContent, key: string): void {
  const isOfPackage = (one: LessonContent) => one.package === key
  const last = lessons.findLastIndex((one) => isOfPackage(one) && one.item! < lesson.item!)
  const first = lessons.findIndex(isOfPackage)
  lessons.splice(last >= 0 ? last + 1 : first >= 0 ? first : lessons.length, 0, lesson)
}

/** Removes the references to lessons that are gone. */
function withoutLessons(course: CourseContent, removed: ReadonlySet<string>): CourseContent {
  const isLeft = (id: string) => !removed.has(id)
  const clean = (lesson: LessonContent): LessonContent => ({
    ...lesson,
    ...(lesson.prerequisites && { prerequisites: lesson.prerequisites.filter(isLeft) }),
    ...(lesson.childLessons && { childLessons: lesson.childLessons.map(clean) }),
  })
  return {
    ...course,
    lessons: course.lessons.map(clean),
    ...(course.objectives && {
      objectives: course.objectives.map((one) => ({ ...one, lessons: one.lessons.filter(isLeft) })),
    }),
  }
}
