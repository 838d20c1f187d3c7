import { account } from './apps/account/room.ts'
import { anonymous } from './apps/anonymous/room.ts'
import { apps } from './apps/apps/room.ts'
import { buckets } from './apps/buckets/room.ts'
import { devices } from './apps/devices/room.ts'
import { finder } from './apps/finder/room.ts'
import { oauth } from './apps/oauth/room.ts'
import { organisations } from './apps/organisations/room.ts'
import { requests } from './apps/requests/room.ts'
import { sandbox } from './apps/sandbox/room.ts'
import { ato } from './extensions/ato/room.ts'
import { badges } from './extensions/badges/room.ts'
import { deliveries } from './extensions/deliveries/room.ts'
import { planner } from './extensions/planner/room.ts'
import { plugins } from './extensions/plugins/room.ts'
import { records } from './extensions/records/room.ts'
import { exports } from './identity/exports/room.ts'
import { families } from './identity/families/room.ts'
import { friends } from './identity/friends/room.ts'
import { passkeys } from './identity/passkeys/room.ts'
import { people } from './identity/people/room.ts'
import { pictures } from './identity/pictures/room.ts'
import { profiles } from './identity/profiles/room.ts'
import { search } from './identity/search/room.ts'
import { skills } from './identity/skills/room.ts'
import { audit } from './kernel/audit/room.ts'
import { browsers } from './kernel/browsers/room.ts'
import { events } from './kernel/events/room.ts'
import type { Interface } from './kernel/http/interface.ts'
import { idempotency } from './kernel/idempotency/room.ts'
import { imports } from './kernel/imports/room.ts'
import { jobs } from './kernel/jobs/room.ts'
import { lockouts } from './kernel/lockouts/room.ts'
import { messages } from './kernel/messages/room.ts'
import type { Room } from './kernel/room.ts'
import { sessions } from './kernel/sessions/room.ts'
import { classes } from './learning/classes/room.ts'
import { courses } from './learning/courses/room.ts'
import { notes } from './learning/notes/room.ts'
import { progress } from './learning/progress/room.ts'
import { administration } from './operations/administration/room.ts'
import { demo } from './operations/demo/room.ts'
import { credentials } from './records/credentials/room.ts'
import { documents } from './records/documents/room.ts'
import { lrs } from './records/lrs/room.ts'
import { results } from './records/results/room.ts'
import { statements } from './records/statements/room.ts'
import { xapi } from './records/xapi/room.ts'

/** The product's table of contents: every room, in the order in which a newcomer meets them. */
export const rooms: readonly Room[] = [
  oauth, // /oauth: how an app gets its tokens, and the same by the book
  devices, // /device: type the code that a device shows
  account, // /account: one's own apps, browsers and password
  finder, // /account/v1/find: whatever one may see, by its name
  exports, // /account/v1/export: everything that is kept about oneself
  passkeys, // /account/v1/passkey: passkeys as a second way to sign in
  profiles, // /user/v1: who a user is
  pictures, // /user/v1/my/profile/picture, /image/v1: what people look like
  search, // /user/v1/search: other users of the app
  organisations, // /edu/v1/organisation: schools, companies, units, and who is in them
  anonymous, // /user/v1/my/profile: users without an account
  people, // accounts
  families, // /account/v1/children: parents, and the accounts of their children
  friends, // /user/v1/my/friends: friends, requests and blocks
  skills, // /account/v1/skills: what people can do
  buckets, // /app/v1/bucket: small JSON documents of an app
  apps, // /app/v1/app: registered apps and their users
  requests, // /app/v1/app/requests: what apps asked for lately
  courses, // /edu/v1/course, /edu/v1/lesson: what is taught
  classes, // /edu/v1/class: who learns and teaches what
  progress, // /edu/v1/lesson/progress: how far students are
  notes, // /edu/v1/note: what is written down about students
  statements, // /edu/v1/xapi, /edu/v2/xapi: what apps say that people do
  results, // /edu/v1/class/result, gradebook and timeline: how students stand
  xapi, // /xapi: statements, activities and agents, for any tool that speaks xAPI
  documents, // /xapi/activities/state, /xapi/activities/profile, /xapi/agents/profile: what activities keep
  credentials, // /lrs/v1/credentials: keys of the record store, and what they may do
  lrs, // /lrs/v1: figures, the stream, the export and the retention of the record store
  plugins, // /plugin/v1/plugin: what extends the platform
  ato, // /plugin/v1/ato: packages of apps, and requests to plugins about them
  records, // /plugin/v2/ai: what AI plugins read and write of people
  badges, // /plugin/v2/ai/badge, /edu/v1/badge: what people have earned
  planner, // /planner/v1: who could take a mission on
  deliveries, // /plugin/v1/delivery: what is sent to plugins
  administration, // /admin/v1: people, and how the platform is doing
  sessions, // tokens
  browsers, // who is signed in to the platform where
  lockouts, // failed tries
  messages, // mail
  imports, // files of people and apps
  demo, // people who are made up
  sandbox, // /sandbox/v1/people: people whom developers make up
  events, // what has happened, for those who want to know
  jobs, // what is done later
  audit, // who did what
  idempotency, // requests that are repeated
]

/** What all of them serve together. */
export const everything: Interface = {
  operations: rooms.flatMap(({ operations = [] }) => operations),
  pages: rooms.flatMap(({ pages = [] }) => pages),
  areas: Object.assign({}, ...rooms.map(({ areas }) => areas)),
  gauges: rooms.flatMap(({ gauges = [] }) => gauges),
}

export const { operations, pages } = everything
