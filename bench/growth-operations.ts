import type { GrowthCast, Student } from './growth-cast.ts'
import { endless, type Fields, type GrowthOperation, once, query } from './growth-loads.ts'
import { classNumberOf, courseNumberOf, lessonNumberOf, personIdOf } from './growth-school.ts'
import type { LoadPart } from './load.ts'
import { makeQueries } from './people-queries.ts'
import { makeCodes, openSessions, PASSWORD, REDIRECT_URI, VERIFIER } from './sign-in-cast.ts'

/** Number of requests of a round of an operation that can be done only once with each student and lesson. */
const ONCE = 250
/** Number of different queries. They are the same people at each size, who are found in different numbers of people. */
const QUERIES = 300
/** The smallest number of people for which there are that many queries. */
const QUERIED_PEOPLE = 1000
const WARM_CODES = 300

type Headers = Readonly<Record<string, string>>

/** Returns an operation that every measured student, or the instructor of every measured student, performs in turn. */
const forEach =
  (callers: (student: Student) => Headers) =>
  (
    group: string,
    name: string,
    path: string,
    fields: (student: Student, index: number) => Fields = () => ({}),
  ): GrowthOperation => ({
    ...{ group, name },
    plan: ({ students }) =>
      endless(
        'GET',
        path,
        students.map((student, index) => ({ path: query(path, fields(student, index)), headers: callers(student) })),
      ),
  })
const byStudent = forEach(({ headers }) => headers)
const onPages = forEach(({ cookie }) => cookie)
const byInstructor = forEach(({ instructor }) => instructor.headers)
const onInstructorPages = forEach(({ instructor }) => instructor.cookie)

const classOf = ({ n }: Student) => `class-${classNumberOf(n)}`
const studentOf = ({ n }: Student) => `student-${n}`
const lessonOf = ({ n }: Student) => `lesson-${lessonNumberOf(courseNumberOf(n), 1)}`
const studentFields = (student: Student) => ({ classId: classOf(student), studentId: studentOf(student) })

const clientFields = ({ signIn: { clientId, secret } }: GrowthCast) => ({ client_id: clientId, client_secret: secret })

/** Returns the part of the unstarted lessons that a round starts and completes. */
const fresh = ({ unstarted, students }: GrowthCast, round: number, fields: Fields): LoadPart[] =>
  unstarted.slice(round * ONCE, (round + 1) * ONCE).map(({ student, studentId, lessonId }) => ({
    headers: students[student]!.instructor.headers,
    body: { studentId, lessonId, ...fields },
  }))

/** All operations except those of the record store. */
export const platformOperations: readonly GrowthOperation[] = [
  {
    ...{ group: 'sign-in', name: 'sign in with a password' },
    plan: (cast) =>
      endless(
        'GET',
        '/auth/basic',
        cast.signIn.people.map(({ handle }) => ({
          headers: {
            clientid: 'gs-bench',
            authorization: `Basic ${Buffer.from(`${handle}:${PASSWORD}`).toString('base64')}`,
          },
        })),
      ),
  },
  {
    ...{ group: 'sign-in', name: 'exchange a code' },
    plan: async (cast) =>
      once(
        'POST',
        '/oauth/token',
        (await makeCodes(cast.signIn, WARM_CODES)).map((code) => ({
          body: {
            grant_type: 'authorization_code',
            ...clientFields(cast),
            code,
            code_verifier: VERIFIER,
            redirect_uri: REDIRECT_URI,
          },
        })),
      ),
  },
  {
    ...{ group: 'sign-in', name: 'refresh a token' },
    plan: async (cast) => {
      const [session] = await openSessions(cast.signIn, 1)
      const body = { grant_type: 'refresh_token', ...clientFields(cast), refresh_token: session!.refreshToken }
      return { method: 'POST', path: '/oauth/token', send: { kind: 'chain', bodies: [body], field: 'refresh_token' } }
    },
  },
  byStudent('apps', 'read a bucket', '/app/v1/bucket', ({ n }) => ({ id: `bucket-${n}` })),
  {
    ...{ group: 'apps', name: 'write a bucket' },
    plan: ({ students }, round) =>
      endless(
        'POST',
        '/app/v1/bucket',
        students.map(({ n, headers }) => ({ headers, body: { id: `bucket-${n}`, key: 'counter', value: round } })),
      ),
  },
  byStudent('apps', 'read the own profile', '/user/v1/my/profile'),
  byStudent('apps', 'read a profile', '/user/v1/profile', ({ n }) => ({ id: `cast-${personIdOf(n + 1)}` })),
  {
    ...{ group: 'apps', name: 'search people' },
    plan: ({ students }) =>
      endless(
        'GET',
        '',
        makeQueries(QUERIED_PEOPLE, QUERIES).map((term, index) => ({
          path: query('/user/v1/search', { term }),
          headers: students[index % students.length]!.headers,
        })),
      ),
  },
  byStudent('apps', 'draw 10 people', '/user/v1/search/random'),
  byStudent('apps', 'list friends', '/user/v1/my/friends'),
  onPages('pages', 'list notifications', '/account/v1/notifications'),
  onPages('pages', 'read the agenda', '/edu/v1/agenda'),
  onInstructorPages('pages', 'find anything', '/account/v1/find', ({ name }) => ({ text: name })),
  onInstructorPages('pages', 'list managed courses', '/edu/v1/course/managed'),
  onInstructorPages('pages', 'list managed classes', '/edu/v1/class/managed'),
  byInstructor('learning', 'list classes', '/edu/v1/class/list'),
  byInstructor('learning', 'list students', '/edu/v1/class/student/list', (student) => ({ classId: classOf(student) })),
  byStudent('learning', 'list lessons of a course', '/edu/v1/lesson/course', ({ n }) => ({
    courseId: `course-${courseNumberOf(n)}`,
  })),
  byStudent('learning', 'read a lesson', '/edu/v1/lesson', (student) => ({ lessonId: lessonOf(student) })),
  byStudent('learning', 'read progress', '/edu/v1/lesson/progress', (student) => ({ lessonId: lessonOf(student) })),
  byStudent('learning', 'read locks', '/edu/v1/lesson/progress/lock', (student) => ({ classId: classOf(student) })),
  {
    ...{ group: 'learning', name: 'start a lesson' },
    plan: (cast, round) => once('POST', '/edu/v1/lesson/progress/start', fresh(cast, round, {})),
  },
  {
    ...{ group: 'learning', name: 'complete a lesson' },
    plan: (cast, round) =>
      once('POST', '/edu/v1/lesson/progress', fresh(cast, round, { complete: true, pass: true, score: 90 })),
  },
  onInstructorPages('learning', 'read the gradebook', '/edu/v1/class/gradebook', (student) => ({
    classId: classOf(student),
  })),
  byInstructor('learning', 'read results', '/edu/v1/class/result', studentFields),
  byInstructor('learning', 'read the timeline', '/edu/v1/class/timeline', studentFields),
  byInstructor('learning', 'list notes of a student', '/edu/v1/note/list', studentFields),
  {
    ...{ group: 'learning', name: 'write a note' },
    // As many at each size, because the lists of notes become longer.
    plan: ({ students }) =>
      once(
        'PUT',
        '/edu/v1/note',
        students.map((student) => ({
          headers: student.instructor.headers,
          body: { text: 'Flew the circuit without a hint.', studentId: studentOf(student) },
        })),
      ),
  },
  {
    ...{ group: 'extensions', name: 'read records of 100 people' },
    plan: ({ plugin }) => endless('GET', '', [{ path: '/plugin/v2/ai/record-data?limit=100', headers: plugin }]),
  },
]
