import { anyone, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { JSON_TYPE } from '../../kernel/http/output/media-types.ts'
import { json, raw, success } from '../../kernel/http/output/output.ts'
import type { Protocol } from '../../kernel/http/request.ts'
import { FETCH_TOKEN, PACKAGE_ID, SESSION_ID } from '../../kernel/samples.ts'
import { MAY } from '../../learning/classes/roles.ts'
import { FILE_ROLES } from '../../learning/content/roles.ts'
import { fetchCredential } from '../registrations/fetching.ts'
import { launchPackageLesson, previewPackageItem } from './launches.ts'
import { endPackageSession, listPackageSessions, readPackageLesson, waivePackageLesson } from './reporting.ts'
import {
  EndPackageSession,
  FetchCredential,
  LaunchPackageLesson,
  ListPackageSessions,
  PackageLaunch,
  PackageLesson,
  PackageSessionPage,
  PreviewPackageItem,
  ReadPackageLesson,
  WaivePackageLesson,
} from './schema.ts'

const op = operationsIn({ area: 'Packages', who: person })

const LESSON = { lessonId: 'A lesson that shows an item of a package', classId: 'The id of the class' }
const REFUSED = ['forbidden', 'notFound', 'validationFailed'] as const

/** Content runs on other origins, so every origin may send the request. */
const forAnyOrigin: Protocol = (_environment, rows) =>
  rows.map((row) => ({ ...row, route: { ...row.route, isForAnyOrigin: true } }))

export const launchOperations: readonly Operation[] = [
  op('POST /edu/v1/package/launch', {
    name: 'launchPackageLesson',
    summary: 'Launch a lesson of a content package',
    description:
      'Returns the URL that opens the content of a lesson for the caller, a student of the class. An earlier session of the same package ends as abandoned. The lesson must be open: not locked, with attempts left, and with the units that it requires satisfied.',
    example: { request: { lessonId: 'lesson-fuel', classId: 'class-alpha' }, fill: LESSON, isLive: true },
    roles: ['student'],
    input: LaunchPackageLesson,
    output: json(PackageLaunch),
    refusesIdempotencyKey: true,
    errors: [...REFUSED, 'impossibleNow', 'storageFull', 'parameterMissing'],
    run: ({ db, who, environment }, input) => launchPackageLesson(db, who, input, environment),
  }),
  op('POST /edu/v1/package/preview', {
    name: 'previewPackageItem',
    summary: 'Preview a unit of a content package',
    description:
      'Returns the URL that opens a unit of a package for an author, in the mode `Browse`. What the content reports moves no attempt.',
    example: {
      request: { packageId: PACKAGE_ID, item: 0 },
      as: 'casey',
      after: 'uploadPackage',
      fill: { packageId: 'The id of a package that was uploaded' },
      isLive: true,
    },
    roles: FILE_ROLES,
    input: PreviewPackageItem,
    output: json(PackageLaunch),
    refusesIdempotencyKey: true,
    errors: ['forbidden', 'notFound', 'impossibleNow', 'storageFull'],
    run: ({ db, who, environment }, input) => previewPackageItem(db, who, input, environment),
  }),
  op('GET /edu/v1/package/lesson', {
    name: 'readPackageLesson',
    summary: 'Get what content has reported',
    description:
      'Returns what the content of a lesson has reported for a student: whether it is completed, passed, failed or waived, its progress and score, and the sessions. The lesson counts as passed once it is satisfied by the rule of its package.',
    example: { request: { lessonId: 'lesson-fuel', classId: 'class-alpha' }, fill: LESSON, isLive: true },
    roles: MAY.readStudent,
    input: ReadPackageLesson,
    output: json(PackageLesson),
    errors: [...REFUSED, 'parameterMissing'],
    run: ({ db, who }, input) => readPackageLesson(db, who, input),
  }),
  op('GET /edu/v1/package/sessions', {
    name: 'listPackageSessions',
    summary: 'List sessions with content packages',
    description:
      'Returns the sessions of the students of a class with content packages, open ones first and then the newest. Staff see when the content last called, its progress and its score.',
    example: { request: { classId: 'class-alpha' }, as: 'casey', isLive: true },
    roles: MAY.readClass,
    input: ListPackageSessions,
    output: json(PackageSessionPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listPackageSessions(db, who, input),
  }),
  op('POST /edu/v1/package/waive', {
    name: 'waivePackageLesson',
    summary: 'Waive a lesson of a content package',
    description:
      'Waives a unit for a student, with a reason that is kept in the record. The lesson counts as passed, and what follows from it, such as a satisfied course, is recorded too. It cannot be undone.',
    example: {
      request: {
        lessonId: 'lesson-fuel',
        classId: 'class-alpha',
        studentId: 'student-avery',
        reason: 'Took the same course elsewhere',
      },
      as: 'casey',
      fill: { ...LESSON, studentId: 'The id of a student of the class' },
    },
    roles: MAY.grade,
    input: WaivePackageLesson,
    output: success(),
    errors: [...REFUSED, 'conflict', 'impossibleNow'],
    run: ({ db, who, environment }, input) => waivePackageLesson(db, who, input, environment),
  }),
  op('POST /edu/v1/package/session/end', {
    name: 'endPackageSession',
    summary: 'End a session with a content package',
    description:
      'Ends an open session of a student as abandoned; its content can record nothing more. The student can launch the lesson again. If the session has already ended, nothing changes.',
    example: {
      request: { sessionId: SESSION_ID },
      as: 'casey',
      fill: { sessionId: 'The id of an open session' },
    },
    roles: MAY.grade,
    input: EndPackageSession,
    output: success(),
    errors: REFUSED,
    run: ({ db, who, environment }, input) => endPackageSession(db, who, input, environment),
  }),
  op('POST /cmi5/v1/fetch', {
    name: 'fetchLaunchCredential',
    summary: 'Fetch the credential of a launch',
    description:
      'Returns the credential with which content calls the record store: the fetch URL of cmi5 8.2. It works once. After that, and if the session has ended, the response has the status 200 and an `error-code`.',
    example: {
      request: { token: FETCH_TOKEN },
      fill: { token: 'The token in the fetch URL of a launch' },
      isLive: true,
    },
    who: anyone,
    protocol: forAnyOrigin,
    input: FetchCredential,
    from: 'query',
    refusesIdempotencyKey: true,
    output: raw({ 200: { about: '`auth-token`, or `error-code` and `error-text`', mediaTypes: ['application/json'] } }),
    run: async ({ db, who, environment }, { token }) => ({
      status: 200,
      headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
      body: JSON.stringify(await fetchCredential(db, who, token, environment)),
    }),
  }),
]
