import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { ensureAppUser } from '../../apps/apps/apps.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { type Operation, scopeOf, securityOf } from '../../kernel/http/operation.ts'
import { SCOPES, type Scope } from '../../kernel/scopes.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { sharedApp } from '../testing/testing.ts'

/**
 * The scope of every operation that accepts access tokens, written down by hand. Whoever changes it decides what apps
 * may do with the scopes that people have allowed.
 */
const TABLE: Readonly<Record<Scope | 'none', string>> = {
  none: 'validateToken reportAtoStatus reportAtoAlert',
  openid: 'readUserInfo postUserInfo',
  profile: 'readOwnProfile readMyPicture readMyCover readImage listKids',
  email: '',
  'people:search': `readProfile searchUsers sampleUsers listFriends readFriendRequests listBlockedUsers requestFriend
    acceptFriend declineFriend cancelFriendRequest removeFriend blockUser unblockUser`,
  buckets: `readBucket createBucket setBucketValue deleteBucket addBucketUser removeBucketUser listBuckets watchBucket`,
  lessons: `readLesson readLessonContent listLessonsOfCourse listLessonsOfApp readCourse listCourses listObjectives
    listClasses listStudents joinClass readAssessment`,
  progress: `readProgress listAttempts readLocks readLockReason startLesson pauseLesson resumeLesson idleLesson
    activateLesson updateProgress scoreObjective watchClass listGradeChanges readAssessmentProgress readResults
    readTimeline listOwnBadges`,
  notes: 'listNotes readNote createNote removeNote',
  statements: `captureStatement captureSimpleStatement listVerbs sendStatements putStatement getStatements getActivity
    getAgent putState mergeState readState deleteState putActivityProfile mergeActivityProfile readActivityProfile
    deleteActivityProfile putAgentProfile mergeAgentProfile readAgentProfile deleteAgentProfile readStoreIdentity
    countStatements aggregateStatements streamStatements exportStatements validateStatements removeOldStatements`,
  offline_access: '',
}

/** Operations that take an access token as an input of their own, and check nothing but the token. */
const OWN_TOKENS = ['logOut', 'validateSession']

const takesTokens = (operation: Operation): boolean =>
  securityOf(operation).includes('bearer') && !OWN_TOKENS.includes(operation.name)

test('every operation that accepts access tokens declares its scope, and the table says the same', () => {
  const declared = operations.filter(takesTokens)
  const undeclared = declared.filter(({ scope }) => scope === undefined)
  assert.deepEqual(
    undeclared.map(({ name }) => name),
    [],
  )
  const written = Object.entries(TABLE).flatMap(([scope, names]) =>
    names.split(/\s+/).flatMap((name) => (name === '' ? [] : [`${name} ${scope}`])),
  )
  const found = declared.map((operation) => `${operation.name} ${scopeOf(operation) ?? 'none'}`)
  assert.deepEqual(found.sort(), written.sort())
})

test('a token without the scope of an operation gets 401/4017, and one with nothing else does not', async () => {
  const app = await sharedApp(UNLIMITED)
  const { db, get, clock } = app.environment()
  const [row] = await app.sql(
    `select a.id::int as app, p.id::int as person from apps a, people p where a.name = 'first' and p.handle_key = 'avery'`,
  )
  const parties = { appId: Number(row?.app), personId: Number(row?.person) }
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const userId = await ensureAppUser(db, who, parties)
  const tokenWith = async (scopes: readonly Scope[] | undefined): Promise<string> => {
    const what = { ...parties, userId, door: 'code' as const, device: 'test', scopes }
    return (await openSession(db, who, what, get(tokenPolicy))).accessToken
  }
  const sendEmpty = async ({ method, path }: Operation, token: string) => {
    const response = await fetch(`${app.address}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
    })
    await response.body?.cancel()
    const { status, headers } = response
    return { status, code: Number(headers.get('errorcode')), challenge: headers.get('www-authenticate') }
  }
  const tokens = new Map<Scope | undefined, { only: string; without: string }>()
  for (const scope of [undefined, ...SCOPES])
    tokens.set(scope, {
      only: await tokenWith(scope ? [scope] : []),
      without: await tokenWith(SCOPES.filter((one) => one !== scope)),
    })
  const free = await tokenWith(undefined)
  for (const operation of operations.filter(takesTokens)) {
    const { name } = operation
    const scope = scopeOf(operation)
    const { only, without } = tokens.get(scope)!
    assert.notEqual((await sendEmpty(operation, only)).code, 4017, name)
    assert.notEqual((await sendEmpty(operation, free)).code, 4017, name)
    if (scope === undefined) continue
    const refusal = await sendEmpty(operation, without)
    assert.deepEqual([refusal.status, refusal.code], [401, 4017], name)
    assert.match(String(refusal.challenge), /^Bearer .*error="insufficient_scope"/, name)
  }
})
