import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { call } from '../../apps/account/testing.ts'
import { uploadItems } from '../../learning/packages/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, Client, type TestApp } from '../../operations/testing/testing.ts'
import { CATEGORY, EXTENSION, VERB } from '../registrations/names.ts'

/** Uploads a package, and publishes a course whose lessons show its units, in this order. */
export async function makePackageCourse(
  owner: TestBrowser,
  what: {
    readonly course: string
    readonly items: string
    /** The page of all units; by default one without a script. */
    readonly page?: string
    readonly lessons: (lesson: (id: string, item: number, more?: object) => object) => readonly object[]
  },
): Promise<string> {
  const { items, page } = what
  const packageId = await uploadItems(owner, items, { id: `urn:course:${what.course}`, ...(page && { page }) })
  const lesson = (id: string, item: number, more: object = {}) => ({
    ...{ id, name: id, kind: 'package', package: packageId, item },
    ...more,
  })
  const course = { courseId: what.course, organisation: 'school', name: what.course, lessons: what.lessons(lesson) }
  const saved = await call(owner, 'PUT', '/edu/v1/course', course)
  assert.equal(saved.status, 200, saved.text)
  const published = await call(owner, 'POST', '/edu/v1/course/publish', { courseId: what.course })
  assert.equal(published.status, 200, published.text)
  return packageId
}

/** Makes a class of a course, with the same id, in which Avery is a student and Casey the instructor. */
export const openPackageClass = (app: TestApp, key: string) =>
  app.sql(`
    insert into classes (key, name, course_id, version_id, is_sequential, created_at)
    select '${key}', '${key}', c.id, (select v.id from course_versions v where v.course_id = c.id order by v.id desc limit 1), false, now() from courses c where c.key = '${key}';
    insert into class_staff (class_id, person_id, role) select c.id, p.id, 'instructor' from classes c, people p where c.key = '${key}' and p.handle = '@casey';
    insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at) select 'avery-${key}', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = '${key}' and p.handle = '@avery'`)

/** The parameters of a launch URL, as content reads them. */
export interface LaunchParameters {
  readonly endpoint: string
  readonly fetch: string
  readonly actor: { account: { homePage: string; name: string } }
  readonly registration: string
  readonly activityId: string
}

const readLaunch = (url: string): LaunchParameters => {
  const query = new URL(url).searchParams
  const [endpoint, fetchUrl, registration, activityId] = ['endpoint', 'fetch', 'registration', 'activityId'].map(
    (name) => query.get(name)!,
  )
  return {
    ...{ endpoint: endpoint!, fetch: fetchUrl!, registration: registration!, activityId: activityId! },
    actor: JSON.parse(query.get('actor')!),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: documents and statements as JSON, whose properties tests read at will
type Json = Record<string, any>

/** Content of a package that follows cmi5. It speaks HTTP, and knows only its launch URL. */
export class Content {
  readonly launch: LaunchParameters
  readonly client: Client
  token = ''
  data: Json = {}

  constructor(app: TestApp, url: string) {
    this.client = new Client(app.address)
    this.launch = readLaunch(url)
  }

  async fetch(): Promise<Answer> {
    const { pathname, search } = new URL(this.launch.fetch)
    const answer = await this.client.send('POST', `${pathname}${search}`)
    if (answer.body['auth-token'] !== undefined) this.token = answer.body['auth-token']
    return answer
  }

  send = (method: string, path: string, more: { query?: object; body?: unknown; version?: string } = {}) => {
    const { version = '1.0.3', ...rest } = more
    return this.client.send(method, `/xapi/${path}`, {
      ...(rest as object),
      headers: { authorization: `Basic ${this.token}`, 'x-experience-api-version': version },
    })
  }

  state = (method: string, stateId: string | undefined, more: { body?: unknown; query?: object } = {}) => {
    const { activityId, registration, actor } = this.launch
    const query = { activityId, registration, agent: JSON.stringify(actor), ...(stateId && { stateId }), ...more.query }
    return this.send(method, 'activities/state', { ...more, query })
  }

  preferences = (method = 'GET', more: { body?: unknown; query?: object } = {}) =>
    this.send(method, 'agents/profile', {
      ...more,
      query: { profileId: 'cmi5LearnerPreferences', agent: JSON.stringify(this.launch.actor), ...more.query },
    })

  /** Does what content has to do before its first statement. */
  async open(): Promise<this> {
    assert.equal((await this.fetch()).status, 200)
    const data = await this.state('GET', 'LMS.LaunchData')
    assert.equal(data.status, 200, data.text)
    this.data = data.body
    await this.preferences()
    return this
  }

  /** Makes a statement that cmi5 defines. */
  make(verb: keyof typeof VERB, more: Json = {}): Json {
    const { contextTemplate } = this.data
    const { result, context, ...others } = more
    const isJudged = verb === 'completed' || verb === 'passed' || verb === 'failed'
    const own = {
      ...(verb === 'completed' && { completion: true }),
      ...(verb === 'passed' && { success: true }),
      ...(verb === 'failed' && { success: false }),
      ...((isJudged || verb === 'terminated') && { duration: 'PT1M' }),
      ...result,
    }
    return {
      id: randomUUID(),
      actor: this.launch.actor,
      verb: { id: VERB[verb] },
      object: { id: this.launch.activityId },
      timestamp: new Date().toISOString(),
      ...(Object.keys(own).length > 0 && { result: own }),
      context: {
        registration: this.launch.registration,
        contextActivities: {
          ...contextTemplate.contextActivities,
          category: [{ id: CATEGORY.cmi5 }, ...(isJudged ? [{ id: CATEGORY.moveOn }] : [])],
        },
        extensions: {
          ...contextTemplate.extensions,
          ...(this.data.masteryScore !== undefined &&
            own.score && { [EXTENSION.masteryScore]: this.data.masteryScore }),
        },
        ...context,
      },
      ...others,
    }
  }

  /** Makes a statement that cmi5 merely allows. */
  allow(verb: string, more: object = {}): Json {
    const { contextTemplate } = this.data
    return {
      ...{
        id: randomUUID(),
        actor: this.launch.actor,
        verb: { id: verb },
        object: { id: `${this.launch.activityId}/x` },
      },
      timestamp: new Date().toISOString(),
      context: { registration: this.launch.registration, ...contextTemplate },
      ...more,
    }
  }

  say = (...statements: readonly object[]) => this.send('POST', 'statements', { body: statements })
  tell = (verb: keyof typeof VERB, more: Record<string, unknown> = {}) => this.say(this.make(verb, more))
}
