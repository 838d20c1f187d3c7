/** What each scope permits, in words. Shown wherever consent is asked for. */
export const SCOPE_WORDS = {
  openid: 'know that it is you when you sign in again',
  profile: 'see your profile: handle, name, picture, country, gender, roles and children',
  email: 'see your e-mail address',
  'people:search': 'find other people who use it, see their profiles, and manage your friends',
  buckets: 'store and share data for you',
  lessons: 'see your courses, classes and lessons',
  progress: 'see and record your progress in lessons',
  notes: 'read and write notes about your lessons',
  statements: 'read and write your learning records',
  offline_access: 'keep its access while you do not use it',
} as const
export type ScopeName = keyof typeof SCOPE_WORDS
export const SCOPE_NAMES = Object.keys(SCOPE_WORDS) as readonly ScopeName[]
