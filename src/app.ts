import answers from '../docs/examples.json' with { type: 'json' }
import { account } from './apps/account/room.ts'
import { anonymous } from './apps/anonymous/room.ts'
import { apps } from './apps/apps/room.ts'
import { buckets } from './apps/buckets/room.ts'
import { devices } from './apps/devices/room.ts'
import { finder } from './apps/finder/room.ts'
import { invitations } from './apps/invitations/room.ts'
import { oauth } from './apps/oauth/room.ts'
import { openid } from './apps/openid/room.ts'
import { organisations } from './apps/organisations/room.ts'
import { providers } from './apps/providers/room.ts'
import { requests } from './apps/requests/room.ts'
import { sandbox } from './apps/sandbox/room.ts'
import { signing } from './apps/signing/room.ts'
import { signout } from './apps/signout/room.ts'
import { ato } from './extensions/ato/room.ts'
import { badges } from './extensions/badges/room.ts'
import { deliveries } from './extensions/deliveries/room.ts'
import { planner } from './extensions/planner/room.ts'
import { plugins } from './extensions/plugins/room.ts'
import { records } from './extensions/records/room.ts'
import { exports } from './identity/exports/room.ts'
import { families } from './identity/families/room.ts'
import { friends } from './identity/friends/room.ts'
import { notifications } from './identity/notifications/room.ts'
import { passkeys } from './identity/passkeys/room.ts'
import { people } from './identity/people/room.ts'
import { pictures } from './identity/pictures/room.ts'
import { profiles } from './identity/profiles/room.ts'
import { search } from './identity/search/room.ts'
import { skills } from './identity/skills/room.ts'
import { audit } from './kernel/audit/room.ts'
import { browsers } from './kernel/browsers/room.ts'
import { events } from './kernel/events/room.ts'
import { files } from './kernel/files/room.ts'
import type { Interface } from './kernel/http/interface.ts'
import { idempotency } from './kernel/idempotency/room.ts'
import { imports } from './kernel/imports/room.ts'
import { jobs } from './kernel/jobs/room.ts'
import { limits } from './kernel/limits/room.ts'
import { lockouts } from './kernel/lockouts/room.ts'
import { logouts } from './kernel/logouts/room.ts'
import { messages } from './kernel/messages/room.ts'
import type { Room } from './kernel/room.ts'
import { sessions } from './kernel/sessions/room.ts'
import { shares } from './kernel/shares/room.ts'
import { announcements } from './learning/announcements/room.ts'
import { calendar } from './learning/calendar/room.ts'
import { classes } from './learning/classes/room.ts'
import { content } from './learning/content/room.ts'
import { courses } from './learning/courses/room.ts'
import { dates } from './learning/dates/room.ts'
import { evaluations } from './learning/evaluations/room.ts'
import { notes } from './learning/notes/room.ts'
import { packages } from './learning/packages/room.ts'
import { progress } from './learning/progress/room.ts'
import { quizzes } from './learning/quizzes/room.ts'
import { administration } from './operations/administration/room.ts'
import { demo } from './operations/demo/room.ts'
import { credentials } from './records/credentials/room.ts'
import { documents } from './records/documents/room.ts'
import { launches } from './records/launches/room.ts'
import { lrs } from './records/lrs/room.ts'
import { registrations } from './records/registrations/room.ts'
import { results } from './records/results/room.ts'
import { scorm } from './records/scorm/room.ts'
import { statements } from './records/statements/room.ts'
import { xapi } from './records/xapi/room.ts'

/** All rooms of the platform, grouped by their folder in `src`. */
export const rooms: readonly Room[] = [
  // apps: sign-in, organisations, and what developers use
  oauth, // /oauth, /oauth/v2: sign-in for apps, and the tokens of apps
  openid, // /oauth/v2/userinfo: ID tokens, and claims about users
  signing, // /oauth/v2/jwks: the keys that sign ID tokens
  signout, // /oauth/v2/logout: signs people out for apps, and tells apps that a person was signed out
  devices, // /device: sign-in for devices without a browser
  account, // /account: sign-in, sign-up, passwords, sessions, and the apps that a person has allowed
  finder, // /account/v1/find: search by name over everything that the caller may see
  invitations, // /edu/v1/invitation: invitations to organisations and classes
  organisations, // /edu/v1/organisation: schools, companies and units, and their members
  providers, // /edu/v1/organisation/provider: sign-in with an organisation's own provider
  anonymous, // /user/v1/my/profile: users without an account
  buckets, // /app/v1/bucket: JSON documents of an app
  apps, // /app/v1/app: registered apps and the users of each app
  requests, // /app/v1/app/requests: recent requests of an app, for its developers
  sandbox, // /sandbox/v1/people: test people of developers
  // identity: people and what belongs to them
  exports, // /account/v1/export: a download of everything that is stored about a person
  passkeys, // /account/v1/passkey: passkeys as a second way to sign in
  profiles, // /user/v1: profiles
  pictures, // /user/v1/my/profile/picture, /image/v1: pictures and cover photos
  search, // /user/v1/search: search for users of the app
  people, // accounts, passwords and password resets
  families, // /account/v1/children: accounts of children, managed by their parents
  friends, // /user/v1/my/friends: friends, requests and blocks
  skills, // /account/v1/skills: hobbies and skills
  notifications, // /account/v1/notifications: the bell, e-mail about what happened, and its settings
  // learning: courses, classes, students and their progress
  courses, // /edu/v1/course, /edu/v1/lesson: courses, lessons and objectives
  classes, // /edu/v1/class: classes, enrolments and rosters
  progress, // /edu/v1/lesson/progress: attempts, locks and grading
  dates, // /edu/v1/class/dates: when classes and lessons open, are due and close
  evaluations, // /edu/v1/evaluation: what instructors record about instructor-led lessons
  notes, // /edu/v1/note: notes about students
  announcements, // /edu/v1/announcement: announcements to classes and organisations
  calendar, // /edu/v1/agenda, /edu/v1/calendar: dates of lessons, and the address that calendar programs read
  content, // /edu/v1/file: uploaded files, and the origin that serves them
  packages, // /edu/v1/package: content packages of organisations
  quizzes, // /edu/v1/question, /edu/v1/quiz: question banks, quizzes and their results
  // records: the record store, and the results of students
  statements, // /edu/v1/xapi, /edu/v2/xapi: stores the statements that apps send
  results, // /edu/v1/class/result, gradebook and timeline: results of students
  xapi, // /xapi: statements, activities and agents, as the xAPI specification defines them
  documents, // /xapi/activities/state, /xapi/*/profile: documents of activities and agents
  credentials, // /lrs/v1/credentials: credentials for the record store and their scopes
  registrations, // registrations for content packages, and what their content may record
  launches, // /edu/v1/package/launch, /cmi5/v1/fetch: opens content packages, and shows what they report
  scorm, // /scorm/v1: what the player of SCORM packages reads and saves
  lrs, // /lrs/v1: figures, live stream, export and retention of the record store
  // extensions: plugins, and features for plugins
  plugins, // /plugin/v1/plugin: plugins and their permissions
  ato, // /plugin/v1/ato: packages, and requests to plugins about packages
  records, // /plugin/v2/ai: records about people, which AI plugins read and add to
  badges, // /plugin/v2/ai/badge, /edu/v1/badge: badges and the people who have earned them
  planner, // /planner/v1: the mission planner
  deliveries, // /plugin/v1/delivery: events that are sent to plugins
  // operations: running the platform
  administration, // /admin/v1: people, the audit log, and the state of the platform
  demo, // demo data
  // kernel: what all other rooms build on
  sessions, // app sessions and their tokens
  logouts, // messages to apps that a person was signed out
  browsers, // browsers that are signed in to the platform
  limits, // rate limits that all processes apply together
  lockouts, // counts failed sign-ins and delays further tries
  messages, // e-mail to people
  imports, // imports data from a file
  events, // the event log and its consumers
  jobs, // background jobs
  files, // the folder or the S3-compatible store of files
  shares, // storage of records: a share for each person, app and key
  audit, // the audit log
  idempotency, // makes repeated requests safe (Idempotency-Key)
]

/** The operations, pages and gauges of all rooms. */
export const everything: Interface = {
  operations: rooms.flatMap(({ operations = [] }) => operations),
  pages: rooms.flatMap(({ pages = [] }) => pages),
  contentRoutes: rooms.flatMap(({ contentRoutes = [] }) => contentRoutes),
  areas: Object.assign({}, ...rooms.map(({ areas }) => areas)),
  gauges: rooms.flatMap(({ gauges = [] }) => gauges),
  answers,
}

export const { operations, pages } = everything
