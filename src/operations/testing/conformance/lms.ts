import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { call } from '../../../apps/account/testing.ts'
import { importContent } from '../../../kernel/imports/imports.ts'
import { uploadPackage } from '../../../learning/packages/testing.ts'
import { TestBrowser } from '../browser.ts'
import type { Answer } from '../testing.ts'
import { caller, type SuitePlatform } from './platform.ts'

const OWNER = 'owner'
const PASSWORD = 'a-password-of-the-suite'
const ORGANISATION = 'school'

/** The platform refuses the package that the suite imports. The suite expects it of most packages. */
export class RefusedPackage extends Error {}

/** A course that was made of an imported package, and the class in which its students are enrolled. */
interface SuiteCourse {
  readonly classId: string
  /** Ids of the lessons, in the order of the units of the package. */
  readonly lessons: readonly string[]
}

/** The one student of a registration. */
interface Learner {
  readonly course: SuiteCourse
  readonly studentId: string
  readonly browser: TestBrowser
}

/** Returns the body of a response, or throws the error that the platform returned. */
function bodyOf(answer: Answer, what: string) {
  if (answer.status === 200) return answer.body
  throw new Error(`${what} returned ${answer.status}: ${answer.body?.error_description ?? answer.text}`)
}

/** The functions that CATAPULT's suite expects of an LMS, done with the operations that pages use. */
export class SuiteLms {
  readonly #platform: SuitePlatform
  readonly #courses = new Map<string, SuiteCourse>()
  readonly #learners = new Map<string, Learner>()
  #owner: TestBrowser | undefined
  #made = 0

  constructor(platform: SuitePlatform) {
    this.#platform = platform
  }

  async open(): Promise<void> {
    await this.#importPerson(OWNER, 'owner')
    this.#owner = await this.#signIn(OWNER)
  }

  async importCourse({ type, name }: Record<string, string>, file: Buffer): Promise<string> {
    const owner = this.#owner!
    const uploaded = await uploadPackage(owner, file, { organisation: ORGANISATION, name: name!, type: type! })
    if (uploaded.status === 400) throw new RefusedPackage(uploaded.body.error_description)
    const { packageId } = bodyOf(uploaded, 'uploadPackage')
    const courseId = `course-${++this.#made}`
    const send = async (method: 'PUT' | 'POST', path: string, body: object) =>
      bodyOf(await call(owner, method, path, body), path)
    await send('PUT', '/edu/v1/course', { courseId, organisation: ORGANISATION, name: name!, lessons: [] })
    await send('POST', '/edu/v1/course/package', { courseId, packageId })
    await send('POST', '/edu/v1/course/publish', { courseId })
    const classId = `class-of-${courseId}`
    await send('PUT', '/edu/v1/class', { courseId, classId, name: name! })
    const document = bodyOf(
      await call(owner, 'GET', `/edu/v1/course/document?courseId=${courseId}`),
      'readCourseDocument',
    )
    this.#courses.set(courseId, { classId, lessons: unitsOf(document.lessons) })
    return courseId
  }

  async getLaunchUrl({ courseId, unit, registration, mode }: Record<string, string>): Promise<string> {
    const learner = registration ? this.#findLearner(registration) : await this.#enrol(this.#courses.get(courseId!)!)
    const { classId, lessons } = learner.course
    const launched = await call(learner.browser, 'POST', '/edu/v1/package/launch', {
      classId,
      lessonId: lessons[Number(unit)],
      ...(mode && { mode }),
    })
    const { url } = bodyOf(launched, 'launchPackageLesson')
    this.#learners.set(new URL(url).searchParams.get('registration')!, learner)
    return url
  }

  async waiveAU({ registration, unit, reason }: Record<string, string>): Promise<void> {
    const { course, studentId } = this.#findLearner(registration!)
    const lessonId = course.lessons[Number(unit)]
    const what = { classId: course.classId, lessonId, studentId, reason }
    bodyOf(await call(this.#owner!, 'POST', '/edu/v1/package/waive', what), 'waivePackageLesson')
  }

  async abandonSession({ sessionId }: Record<string, string>): Promise<void> {
    bodyOf(await call(this.#owner!, 'POST', '/edu/v1/package/session/end', { sessionId }), 'endPackageSession')
  }

  /** Says how many lessons of a course its student has passed, with the scores that the content reported. */
  async sayResults(courseId: string): Promise<string> {
    const { classId, lessons } = this.#courses.get(courseId)!
    const { studentId } = [...this.#learners.values()].find(({ course }) => course.classId === classId)!
    const query = (lessonId: string) => new URLSearchParams({ classId, lessonId, studentId })
    const states = await Promise.all(
      lessons.map(async (lessonId) =>
        bodyOf(await call(this.#owner!, 'GET', `/edu/v1/package/lesson?${query(lessonId)}`), 'readPackageLesson'),
      ),
    )
    const scores = states.flatMap(({ score }) => score ?? [])
    const passed = states.filter(({ satisfied }) => satisfied).length
    return `${passed} of ${states.length} lessons passed${scores.length > 0 ? `, scores ${scores.join(' ')}` : ''}`
  }

  #findLearner(registration: string): Learner {
    const learner = this.#learners.get(registration)
    if (!learner) throw new Error(`There was no launch with the registration ${registration}`)
    return learner
  }

  async #enrol(course: SuiteCourse): Promise<Learner> {
    const handle = `student-${++this.#made}`
    await this.#importPerson(handle, 'member')
    const enrolment = { classId: course.classId, handle }
    const enrolled = await call(this.#owner!, 'PUT', '/edu/v1/class/student', enrolment)
    const { studentId } = bodyOf(enrolled, 'enrolStudent')
    return { course, studentId, browser: await this.#signIn(handle) }
  }

  /** Makes a person as an operator's import does, because people cannot make an account with a password alone. */
  async #importPerson(handle: string, role: string): Promise<void> {
    const content = {
      organisations: [{ key: ORGANISATION, name: 'School' }],
      people: [{ handle, firstName: handle, password: PASSWORD, organisations: { [ORGANISATION]: role } }],
    }
    await importContent([this.#platform.environment], caller(), { content })
  }

  async #signIn(handle: string): Promise<TestBrowser> {
    const browser = new TestBrowser(this.#platform.address)
    const seen = await browser.submit(await browser.get('/account/signin'), { handle, password: PASSWORD })
    if (seen.status !== 303) throw new Error(`${handle} could not sign in (${seen.status})`)
    return browser
  }
}

interface Lesson {
  readonly id: string
  readonly item?: number
  readonly childLessons?: readonly Lesson[]
}

/** Lists the lessons of units, in the order of the package. A block is a lesson with children. */
const unitsOf = (lessons: readonly Lesson[]): string[] =>
  lessons
    .flatMap((lesson) => (lesson.childLessons?.length ? lesson.childLessons : [lesson]))
    .sort((one, other) => (one.item ?? 0) - (other.item ?? 0))
    .map(({ id }) => id)

const ACTIONS = ['importCourse', 'getLaunchUrl', 'waiveAU', 'abandonSession'] as const

/**
 * Serves the LMS to `catapult-adapter.cjs`, which the suite loads in processes of its own. `log` gets a line for each
 * action, with its result or the reason of its refusal.
 */
export async function serveLms(platform: SuitePlatform, log: (line: string) => void) {
  const lms = new SuiteLms(platform)
  await lms.open()
  const run = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
    const { pathname, searchParams } = new URL(request.url!, platform.address)
    const action = ACTIONS.find((one) => `/${one}` === pathname)
    if (!action) return { failed: `There is no action ${pathname}` }
    const fields = Object.fromEntries(searchParams)
    const outcome = await lms[action](fields, await buffer(request)).then(
      (result) => ({ result }),
      (error: Error) => ({ [error instanceof RefusedPackage ? 'refused' : 'failed']: error.message }),
    )
    log(`${action} ${JSON.stringify(fields)} ${JSON.stringify(outcome)}`)
    return outcome
  }
  const server = createServer((request, response) => {
    run(request).then(
      (outcome) => response.end(JSON.stringify(outcome)),
      (error: Error) => response.destroy(error),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
