import { account } from './account/room.ts'
import { administration } from './administration/room.ts'
import { anonymous } from './anonymous/room.ts'
import { apps } from './apps/room.ts'
import { ato } from './ato/room.ts'
import { audit } from './audit/room.ts'
import { badges } from './badges/room.ts'
import { browsers } from './browsers/room.ts'
import { buckets } from './buckets/room.ts'
import { classes } from './classes/room.ts'
import { courses } from './courses/room.ts'
import { credentials } from './credentials/room.ts'
import { deliveries } from './deliveries/room.ts'
import { demo } from './demo/room.ts'
import { devices } from './devices/room.ts'
import { documents } from './documents/room.ts'
import { events } from './events/room.ts'
import { exports } from './exports/room.ts'
import { families } from './families/room.ts'
import { finder } from './finder/room.ts'
import { friends } from './friends/room.ts'
import type { Interface } from './http/interface.ts'
import { idempotency } from './idempotency/room.ts'
import { imports } from './imports/room.ts'
import { jobs } from './jobs/room.ts'
import { lockouts } from './lockouts/room.ts'
import { lrs } from './lrs/room.ts'
import { messages } from './messages/room.ts'
import { notes } from './notes/room.ts'
import { oauth } from './oauth/room.ts'
import { organisations } from './organisations/room.ts'
import { passkeys } from './passkeys/room.ts'
import { people } from './people/room.ts'
import { pictures } from './pictures/room.ts'
import { planner } from './planner/room.ts'
import { plugins } from './plugins/room.ts'
import { profiles } from './profiles/room.ts'
import { progress } from './progress/room.ts'
import { records } from './records/room.ts'
import { requests } from './requests/room.ts'
import { results } from './results/room.ts'
import type { Room } from './room.ts'
import { sandbox } from './sandbox/room.ts'
import { search } from './search/room.ts'
import { sessions } from './sessions/room.ts'
import { skills } from './skills/room.ts'
import { statements } from './statements/room.ts'
import { xapi } from './xapi/room.ts'

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
