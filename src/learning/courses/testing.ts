import { run } from '../../kernel/imports/testing.ts'
import type { TestApp } from '../../operations/testing/testing.ts'

/** Makes a lesson that is delivered by the app `first`. */
export const lesson = (id: string, more: object = {}) => ({ id, name: id, app: 'first', ...more })

/**
 * Makes an import file for a school of the people who exist in every test. Avery and Blake are students of the class
 * alpha, where Casey is the instructor and Ellis the observer. Blake is also a student of bravo, where Drew is the
 * instructor. Finley owns the school.
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

/**
 * Makes people members of the school, as an operator's import does, so that they can be enrolled without an invitation.
 */
export const joinSchool = (app: TestApp, where = 'not p.anonymous'): Promise<unknown> =>
  app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and ${where} on conflict do nothing`,
  )

export const openSchool = async (app: TestApp, more: Parameters<typeof makeSchool>[0] = {}): Promise<void> => {
  await run(app, makeSchool(more))
}
