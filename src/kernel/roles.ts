/**
 * The roles that an operation can require: relations of the caller to the object of the request. Checks, OpenAPI,
 * docs/access.md and the generated access test all use these names; the phrases are shown to readers.
 */
export const ROLES = {
  administrator: 'administrator of the platform',
  owner: 'owner of the organisation',
  developer: 'developer of the organisation',
  appOwner: 'owner of the app',
  organisationInstructor: 'instructor of the organisation',
  courseAuthor:
    'instructor, if the organisation lets instructors create courses; for a course, the instructor who created it',
  member: 'member of the organisation',
  pluginMember: "member of the plugin's organisation",
  student: 'the student concerned',
  classmate: 'another student of the class',
  formerStudent: 'former student of the class',
  instructor: 'instructor of the class',
  otherInstructor: 'instructor of another class of the course',
  instructorOfBoth: 'instructor of both classes',
  observer: 'observer of the class',
  author: 'the author',
  uploader: 'the user who uploaded the file',
  bucketMember: 'member of the bucket',
  parent: 'parent of the child',
  friend: 'friend',
  invited: 'the invited user',
  requester: 'the user who sent the friend request',
  requested: 'the user who received the friend request',
  actor: 'the actor of the statement',
  agent: 'with a token: the agent of the document',
  searcher: 'the user who started the search',
  planOwner: 'owner of the plan',
  planReader: 'user whom the plan is shared with',
  plugin: 'plugin with access to the organisation',
  everyoneIfPublic: 'everyone, if it is public',
  everyoneIfShared: 'everyone, if it is public and the app lets all users write to public buckets',
} as const

export type Role = keyof typeof ROLES

/** Describes roles in words: `owner of the organisation, or administrator of the platform`. */
export function describeRoles(roles: readonly Role[]): string {
  const phrases = roles.map((role) => ROLES[role])
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')}, or ${phrases.at(-1)}`
}

/** Tells whether at least one of the held roles is allowed. */
export const holdsAny = (held: Partial<Record<Role, boolean>>, allowed: readonly Role[]): boolean =>
  allowed.some((role) => held[role] === true)
