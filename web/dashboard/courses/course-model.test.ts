import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CourseDocument } from '../../api/operations.ts'
import { duplicateLesson, type LessonPosition, moveTo, neighbourOf } from './course-model.ts'
import { dropAt } from './drag.ts'
import { joinLaunchUri, splitLaunchUri } from './kinds/launch-uri.ts'

const doc = {
  courseId: 'course',
  lessons: [
    { id: 'a', name: 'A', childLessons: [1, 2].map((n) => ({ id: `a${n}`, name: `A${n}`, prerequisites: ['b'] })) },
    { id: 'b', name: 'B' },
    { id: 'c', name: 'C', prerequisites: ['a'], childLessons: [{ id: 'c1', name: 'C1', prerequisites: ['c', 'a'] }] },
  ],
} as unknown as CourseDocument
const shown = ({ lessons }: CourseDocument) =>
  lessons.map(({ id, childLessons = [] }) => [id, ...childLessons.map((one) => one.id)].join(' ')).join(', ')
const pressed = (from: LessonPosition, by: 1 | -1) => {
  const to = neighbourOf(doc, from, by)
  return to && shown(moveTo(doc, from, to))
}

test('a key moves a lesson past its neighbour, and a step also to the next lesson', () => {
  assert.equal(pressed({ lesson: 0 }, 1), 'b, a a1 a2, c c1')
  assert.equal(pressed({ lesson: 2 }, -1), 'a a1 a2, c c1, b')
  assert.equal(pressed({ lesson: 0, step: 0 }, 1), 'a a2 a1, b, c c1')
  assert.equal(pressed({ lesson: 0, step: 1 }, -1), 'a a2 a1, b, c c1')
  assert.equal(pressed({ lesson: 0, step: 1 }, 1), 'a a1, b a2, c c1')
  assert.equal(pressed({ lesson: 2, step: 0 }, -1), 'a a1 a2, b c1, c')
  for (const [from, by] of [
    [{ lesson: 0 }, -1],
    [{ lesson: 2 }, 1],
    [{ lesson: 0, step: 0 }, -1],
    [{ lesson: 2, step: 0 }, 1],
  ] as const)
    assert.equal(pressed(from, by), undefined)
})

test('a dragged lesson is dropped between lessons, a step anywhere among steps', () => {
  const dropped = (from: LessonPosition, row: number, isLower: boolean) =>
    shown(moveTo(doc, from, dropAt(doc, from, row, isLower)!.to))
  // Rows: a, a1, a2, b, c, c1.
  assert.equal(dropped({ lesson: 2 }, 0, false), 'c c1, a a1 a2, b')
  assert.equal(dropped({ lesson: 2 }, 1, false), 'a a1 a2, c c1, b')
  assert.equal(dropped({ lesson: 0 }, 5, true), 'b, c c1, a a1 a2')
  assert.equal(dropped({ lesson: 0, step: 0 }, 3, true), 'a a2, b a1, c c1')
  assert.equal(dropped({ lesson: 2, step: 0 }, 3, false), 'a a1 a2 c1, b, c')
  assert.equal(dropped({ lesson: 2, step: 0 }, 1, false), 'a c1 a1 a2, b, c')
  assert.equal(dropped({ lesson: 0, step: 0 }, 0, false), 'a a1 a2, b, c c1')
})

test('a copied lesson has new ids, and its steps wait for the copy instead of the original', () => {
  const { doc: next, copy } = duplicateLesson(doc, { lesson: 2 }, (name) => `Copy of ${name}`)
  assert.equal(next.lessons.length, 4)
  assert.equal(copy.name, 'Copy of C')
  assert.deepEqual(copy.prerequisites, ['a'])
  const [step] = next.lessons[3]!.childLessons!
  assert.notEqual(step!.id, 'c1')
  assert.deepEqual(step!.prerequisites, [copy.id, 'a'])
  const { doc: withStep } = duplicateLesson(doc, { lesson: 0, step: 0 }, (name) => name)
  assert.equal(withStep.lessons[0]!.childLessons!.length, 3)
})

test('a launch URL is split into a redirect URI of the app and the query of the lesson', () => {
  const uris = ['https://app.example/go', 'https://app.example/go?v=1']
  for (const [uri, added] of [
    ['https://app.example/go', ''],
    ['https://app.example/go', 'part=1'],
    ['https://app.example/go?v=1', ''],
    ['https://app.example/go?v=1', 'part=1'],
  ] as const)
    assert.deepEqual(splitLaunchUri(joinLaunchUri(uri, added), uris), { uri, added })
  assert.deepEqual(splitLaunchUri('https://other.example/?x', uris), { uri: 'https://other.example/', added: 'x' })
  assert.equal(splitLaunchUri('', uris), undefined)
})
