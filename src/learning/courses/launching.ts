import { findConsent, makeClientId } from '../../apps/apps/apps.ts'
import { launchApp } from '../../apps/oauth/launch.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import { type EnvironmentName, isLoopbackHost } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { outbound, send } from '../../kernel/outbound/outbound.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { editedCourse } from './authoring.ts'
import * as store from './launching-store.ts'
import { findAppMistakes, findLaunchMistakes } from './mistake-rules.ts'
import type {
  LaunchCheck,
  LaunchDraftLesson,
  LessonApp,
  LessonAppDetails,
  ListLessonApps,
  ReadLessonApp,
  TestLaunch,
} from './schema.ts'

const keyOf = (clientId: string) => clientId.replace(/^gs-(sbx-)?/, '')
const clientOf = (environment: EnvironmentName, app: string) => makeClientId(environment, keyOf(app))

/** Lists the apps that can deliver lessons of a course: approved ones, and all of its organisation. */
export async function listLessonApps(db: Db, who: PersonCaller, what: ListLessonApps): Promise<Page<LessonApp>> {
  const { organisation } = await editedCourse.read(db, who, what.courseId)
  const rows = await db.all(store.listApps, { organisation, words: wordsIn(what.query), ...spanOf(what) })
  return pageOf(rows.map(toApp), rows[0]?.total ?? 0, what)
}

/** Reads one of these apps, with the URLs at which it can open lessons. */
export async function readLessonApp(
  db: Db,
  who: PersonCaller,
  what: ReadLessonApp,
  environment: EnvironmentName,
): Promise<LessonAppDetails> {
  const { organisation } = await editedCourse.read(db, who, what.courseId)
  const row = await db.first(store.findApp, { organisation, client: clientOf(environment, what.app) })
  if (!row) throw fail('notFound', 'There is no app with this key, or it cannot deliver lessons of this course')
  return { ...toApp(row), redirectUris: row.uris }
}

const toApp = (row: { client_id: string; name: string; owner: string | null; is_public: boolean; status: string }) => ({
  app: keyOf(row.client_id),
  name: row.name,
  owner: row.owner,
  publicClient: row.is_public,
  status: row.status as LessonApp['status'],
})

const TEST_TIMEOUT_MS = 5_000

/** Checks, as far as the platform can, whether students will be able to open a lesson in its app. */
export async function testLaunch(
  db: Db,
  who: PersonCaller,
  what: TestLaunch,
  environment: Environment,
): Promise<{ checks: LaunchCheck[] }> {
  const { organisation } = await editedCourse.read(db, who, what.courseId)
  const { app, launchUri, passCode = false } = what
  const found = await db.first(store.findApp, { organisation, client: clientOf(environment.name, app) })
  if (!found)
    return {
      checks: [
        problem('app', `There is no app ${app} that can deliver lessons of this course.`, 'Choose another app.'),
      ],
    }
  const name = found.name
  const lesson = { id: 'lesson', name: '', ...what }
  const mistakes = [
    ...findLaunchMistakes(lesson, ''),
    ...findAppMistakes(lesson, '', { isPublic: found.is_public, uris: found.uris }),
  ].map(({ pointer, message }) => problem(CHECK_OF[pointer.split('/')[1]!] ?? 'launchUri', message, ''))
  const has = (check: LaunchCheck['check']) => mistakes.some((one) => one.check === check)
  const isApproved = found.status === 'approved'
  const checks: LaunchCheck[] = [
    isApproved
      ? ok('app', `${name} can deliver this lesson.`)
      : problem(
          'app',
          `${name} is ${found.status === 'pending' ? 'not approved yet' : 'suspended'}.`,
          ASK_ADMINISTRATOR,
        ),
    ...mistakes,
  ]
  if (launchUri === undefined)
    return {
      checks: [...checks, note('launchUri', `Students open ${name} themselves, because there is no launch URL.`)],
    }
  if (!has('launchUri')) checks.push(ok('launchUri', 'The launch URL is one of the app’s redirect URIs.'))
  if (!has('launchParameters') && what.launchParameters?.length)
    checks.push(ok('launchParameters', 'The launch parameters can be used.'))
  if (!has('passCode')) {
    checks.push(
      passCode
        ? ok('passCode', `${name} gets a code with which it can sign the student in.`)
        : note('passCode', `Students sign in to ${name} themselves.`),
    )
    if (passCode) {
      const hasAllowed = (await findConsent(db, { appId: found.id, personId: who.personId })) !== undefined
      checks.push(
        note(
          'consent',
          `Each student is asked once whether they allow ${name}.${hasAllowed ? ' You have allowed it.' : ''}`,
        ),
      )
    }
  }
  if (isApproved && !has('launchUri') && !has('launchParameters'))
    checks.push(await findResponse(withQuery(launchUri, what.launchParameters ?? [], {}), environment))
  return { checks }
}

const CHECK_OF: Readonly<Record<string, LaunchCheck['check']>> = {
  app: 'app',
  launchParameters: 'launchParameters',
  passCode: 'passCode',
}
const ASK_ADMINISTRATOR = 'Ask an administrator of the platform to approve it.'

const ok = (check: LaunchCheck['check'], message: string): LaunchCheck => ({ check, result: 'ok', message, advice: '' })
const note = (check: LaunchCheck['check'], message: string): LaunchCheck => ({
  check,
  result: 'note',
  message,
  advice: '',
})
const problem = (check: LaunchCheck['check'], message: string, advice: string): LaunchCheck => ({
  check,
  result: 'problem',
  message,
  advice,
})

/** Checks whether the app responds at its launch URL. A redirect counts as a response and is not followed. */
async function findResponse(uri: string, environment: Environment): Promise<LaunchCheck> {
  const url = URL.parse(uri)
  if (!url || !/^https?:$/.test(url.protocol))
    return note('response', 'The URL opens an installed app, so it can’t be checked from here.')
  const isLoopback = isLoopbackHost(url.hostname)
  if (isLoopback && !environment.get(outbound).allowsLoopback) return note('response', LOOPBACK)
  const sent = {
    uri,
    method: 'GET',
    headers: { accept: 'text/html,*/*' },
    body: '',
    timeoutMs: TEST_TIMEOUT_MS,
  } as const
  const response = await send(sent, environment)
  const { status } = response
  if (status === undefined) {
    // The platform connects to no private address, and another computer may run the app at a loopback address.
    if (isLoopback) return note('response', LOOPBACK)
    if (response.failure === 'address') return note('response', PRIVATE)
    const why = response.failure === undefined ? '' : response.problem
    return problem('response', `The app can’t be reached: ${why}.`, ASK_DEVELOPER)
  }
  if (status < 400) return ok('response', `The app responds at the launch URL (status ${status}).`)
  if ([401, 403].includes(status))
    return note('response', `The app responds, but refuses people who are not signed in (status ${status}).`)
  return problem('response', `The app responds with an error (status ${status}).`, ASK_DEVELOPER)
}

const LOOPBACK =
  'The URL leads to the computer on which it is opened, so it can’t be checked from here. Students can open it only on the computer on which the app runs.'
const PRIVATE =
  'The URL leads to a private network, so it can’t be checked from here. Students can open it only from the same network.'
const ASK_DEVELOPER = 'Check the URL, or contact the app’s developer.'

/** Returns the URL that opens the app with the settings of a lesson, for its author. */
export async function launchDraftLesson(
  db: Db,
  who: PersonCaller,
  what: LaunchDraftLesson,
  policy: TokenPolicy,
): Promise<{ uri: string }> {
  const { key: courseId } = await editedCourse.read(db, who, what.courseId)
  const [mistake] = findLaunchMistakes({ id: what.lessonId, name: '', ...what }, '')
  if (mistake) throw fail('validationFailed', mistake.message)
  const ids = { lessonId: what.lessonId, courseId }
  return launchApp(
    db,
    who,
    {
      clientId: clientOf(policy.environment, what.app),
      launchUri: withQuery(what.launchUri, what.launchParameters ?? [], ids),
      passesCode: what.passCode ?? false,
      isAllowed: what.allow ?? false,
    },
    policy,
  )
}

/** Adds parameters to a URL. The platform's parameters replace the author's parameters of the same name. */
export function withQuery(uri: string, parameters: readonly string[], ids: Readonly<Record<string, string>>): string {
  const own = parameters.map((text): [string, string] => {
    const equals = text.indexOf('=')
    return [text.slice(0, equals), text.slice(equals + 1)]
  })
  const fields = [
    ...own.filter(([name]) => !['lessonId', 'classId', 'courseId', 'studentId'].includes(name)),
    ...Object.entries(ids),
  ]
  if (fields.length === 0) return uri
  const query = fields.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const start = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${start}${query}`
}
