import { DONE, MOMENT, TESTER } from '../samples.ts'

const where = { as: 'ellis', environment: 'sandbox' } as const
const answer = { docs: [{ handle: TESTER, name: 'Alex Abara', createdDate: MOMENT, apps: 0 }] }

/** What people read about these operations. They are sent to the sandbox. */
export const examples = {
  makeTestPeople: {
    description:
      'Ten people with names and no password, who let others find them: for trying an app with other people in it. If you have some already, the missing ones are made. They exist only in the sandbox; production refuses this with 400/4006.',
    example: { answer, ...where, isLive: true },
  },
  listTestPeople: {
    description: 'Those that the caller has made, in the order in which they were made. Nobody sees those of others.',
    example: { answer, ...where, isLive: true, after: 'makeTestPeople' },
  },
  signInAsTestPerson: {
    description:
      'From then on this browser is theirs, as if they had signed in; the developer has to sign in again to be themselves. You can do so only with people whom you have made, and only in the sandbox.',
    example: { request: { handle: TESTER }, answer: DONE, ...where, after: 'makeTestPeople' },
  },
  resetTestPeople: {
    description:
      'Everything that they did is gone with them: buckets, progress, statements, sessions. The new ones have other handles.',
    example: { answer, ...where, isLive: true },
  },
}
