import { run } from '../../kernel/imports/testing.ts'
import type { TestApp } from '../../operations/testing/testing.ts'

/** A lesson that the first app of the tests delivers. */
export const lesson = (id: string, more: object = {}) => ({ id, name: id, app: 'first', ...more })

/**
 * A school of people whom every test has: Avery and Blake are students of alpha, where Casey teaches and Ellis
 * observes; Blake is also a student of bravo, where Drew teaches. Finley owns the school.
 */
export const makeSchool = (more: { lessons?: readonly object[]; alpha?: object; bravo?: object } = {}) => ({
  organisations: [{ key: 'school', name: 'School' }],
  people: [{ handle: '@finley', organisations: { school: 'owner' } }],
  courses: [
    {
      key: 'course',
      organisation: 'school',
      name: 'Course',
      lessons: more.lessons ?? [
        lesson('walkaround'),
        lesson('checklist', { threshold: 80, childLessons: [lesson('interior'), lesson('exterior')] }),
        lesson('checkride', { threshold: 80 }),
      ],
      objectives: more.lessons ? [] : [{ id: 'safety', name: 'Safety', lessons: ['walkaround', 'checkride'] }],
    },
  ],
  classes: [
    {
      key: 'alpha',
      course: 'course',
      name: 'Alpha',
      sequential: true,
      instructors: ['@casey'],
      observers: ['@ellis'],
      students: [
        { handle: '@avery', id: 'avery-alpha' },
        { handle: '@blake', id: 'blake-alpha' },
      ],
      ...more.alpha,
    },
    {
      key: 'bravo',
      course: 'course',
      name: 'Bravo',
      instructors: ['@drew'],
      students: [{ handle: '@blake', id: 'blake-bravo' }],
      ...more.bravo,
    },
  ],
})

export const openSchool = async (app: TestApp, more: Parameters<typeof makeSchool>[0] = {}): Promise<void> => {
  await run(app, makeSchool(more))
}
