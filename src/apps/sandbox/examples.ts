import { DONE, MOMENT, TESTER } from '../../kernel/samples.ts'

const where = { as: 'ellis', environment: 'sandbox' } as const
const answer = { docs: [{ handle: TESTER, name: 'Alex Abara', createdDate: MOMENT, apps: 0 }] }

/** What people read about these operations. They are sent to the sandbox. */
export const examples = {
  makeTestPeople: {
    description:
      'Ten people with names and no password, whom others can find: for trying an app with other people in it. If you have some already, only the missing ones are created. They exist only in the sandbox; production refuses this with 400/4006.',
    example: { answer, ...where, isLive: true },
  },
  listTestPeople: {
    description: 'The caller’s own test people, oldest first. Nobody else sees them.',
    example: { answer, ...where, isLive: true, after: 'makeTestPeople' },
  },
  signInAsTestPerson: {
    description:
      'From then on this browser is signed in as the test person; sign in again to be yourself. It works only with your own test people, and only in the sandbox.',
    example: { request: { handle: TESTER }, answer: DONE, ...where, after: 'makeTestPeople' },
  },
  resetTestPeople: {
    description:
      'Everything that they did is deleted too: buckets, progress, statements, sessions. The new ones have new handles.',
    example: { answer, ...where, isLive: true },
  },
}
