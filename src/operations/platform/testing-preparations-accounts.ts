import { call } from '../../apps/account/testing.ts'
import type { FriendVerb } from '../../identity/friends/schema.ts'
import { actByHandle, expectDone } from '../../identity/friends/testing.ts'
import {
  Authenticator,
  call as callPasskey,
  expectDone as expectAnswer,
  PROOF,
  register,
} from '../../identity/passkeys/testing.ts'
import { makeResetLink } from '../../identity/people/resets.ts'
import { SEARCH_VERSION } from '../../identity/people/search-keys.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import {
  BROWSER_ID,
  CLIENT_ID,
  REQUEST_ID as LOGGED_ID,
  ORGANISATION_CODE,
  PASSKEY_ID,
  RESET_CODE,
  SESSION_ID,
  SIGN_UP_CODE,
} from '../../kernel/samples.ts'
import { hashToken, mintToken } from '../../kernel/sessions/tokens.ts'
import type { TestApp } from '../testing/testing.ts'
import { type Addition, type Prepare, signIn } from './testing-scene.ts'

/** Adds children of Casey and Drew as users of the app. */
const addChildren = (app: TestApp) =>
  app.sql(
    `update people set public_search = false, email = null where handle in ('@noa.okafor', '@sam.okafor');
     insert into guardians (child_id, parent_id, created_at)
     select c.id, p.id, now() from people c, people p where c.last_name = 'Okafor' and c.handle <> '@casey' and p.handle in ('@casey', '@drew');
     insert into app_users (user_id, app_id, person_id, consented_at)
     select case p.first_name when 'Noa' then 'i4NfS0xJpU7gEc2AyT9vOw' else 'k6PhU2zLrW9iGe4CaV1xQy' end, a.id, p.id, now()
       from people p, apps a where p.handle in ('@noa.okafor', '@sam.okafor') and a.client_id = '${CLIENT_ID}'`,
  )

const addLaptop: Prepare = async (scene) => {
  const authenticator = new Authenticator(scene.app.environment().url)
  const passkey = await register(scene.browser, authenticator, 'Laptop')
  scene.real[PASSKEY_ID] = passkey.passkeyId
  return authenticator
}

/** Inserts a friend request from one person to another; with `isAccepted` they become friends. */
const tie = (app: TestApp, asker: string, asked: string, isAccepted = false) =>
  app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
     select a.id, b.id, now(), ${isAccepted ? 'now()' : 'null'} from people a, people b where a.handle = '@${asker}' and b.handle = '@${asked}'`,
  )

/** Inserts the friend request or the friendship that must exist before the verb can be applied. */
const beforeVerb = (app: TestApp, verb: FriendVerb, asker: string, asked: string): Promise<unknown> =>
  tie(app, asker, asked, verb === 'remove')

const FRIEND_VERBS: Readonly<Record<string, FriendVerb>> = {
  acceptFriend: 'accept',
  declineFriend: 'decline',
  cancelFriendRequest: 'cancel',
  removeFriend: 'remove',
}
const verbPreparations = Object.fromEntries(
  Object.entries(FRIEND_VERBS).flatMap(([name, verb]): [string, Prepare][] => [
    [name, async ({ app }) => beforeVerb(app, verb, 'avery', 'casey')],
    [`${name}ByHandle`, async ({ app }) => beforeVerb(app, verb, 'casey', 'ellis')],
    [`${name}ForChild`, async ({ app }) => beforeVerb(app, verb, 'noa.okafor', 'sam.okafor')],
  ]),
)

const seeFriends: Prepare = async ({ app, browser }) => {
  await tie(app, 'blake', 'avery', true)
  await tie(app, 'casey', 'avery')
  await tie(app, 'avery', 'drew')
  await expectDone(actByHandle(browser, 'block', '@ellis'))
}

/** Marks a person as a demo person, as the import does. */
const markDemo = (app: TestApp, handle: string) =>
  app.sql(
    `delete from installation where name like 'demo-person-%';
     insert into installation (name, value) select 'demo-person-' || id, 'test' from people where handle = '${handle}'`,
  )

const sendSignUp = async ({ app, real }: Parameters<Prepare>[0], organisation: string): Promise<void> => {
  real[SIGN_UP_CODE] = mintToken('sign-up', 'production')
  await app.sql(
    `delete from sign_ups; insert into sign_ups (code_hash, email, created_at, expires_at, organisation_id, organisation_code)
     select '\\x${hashToken(real[SIGN_UP_CODE]).toString('hex')}', 'robin@example.org', now(), now() + interval '1 hour', o.id, '${ORGANISATION_CODE}'
       from (select ${organisation}::bigint as id) o`,
  )
}
const openSandhills: Prepare = ({ app }) =>
  app.sql(`update organisations set sign_up_code = '${ORGANISATION_CODE}' where key = 'sandhills'`)

const makeLink = async ({ app, real }: Parameters<Prepare>[0], handle: string): Promise<void> => {
  const { db, get, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const link = await makeResetLink(db, who, { handle }, get(messagePolicy))
  real[RESET_CODE] = new URL(link).searchParams.get('code')!
}
/** Makes the link of an account that nobody has set up. */
const linkOfNew: Prepare = async (scene) => {
  await scene.app.sql(
    `delete from people where handle = '@noor';
     insert into people (handle, handle_key, first_name, last_name, created_at, search_version, unclaimed)
     values ('@noor', 'noor', 'Noor', 'Haddad', now(), ${SEARCH_VERSION}, true)`,
  )
  await makeLink(scene, '@noor')
}

/** The data that the examples about families need. */
export const ACCOUNT_ADDITIONS: readonly Addition[] = [
  { name: 'children', isFor: (area) => area === 'Families', add: (app) => addChildren(app) },
]

/** Preparations that the examples about people, their accounts and their friends need. */
export const ACCOUNT_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  readHere: async ({ app, real }) => {
    real['http://localhost:4001'] = app.environment('sandbox').url
    await markDemo(app, '@avery')
  },
  signInAsDemo: ({ app }) => markDemo(app, '@casey'),
  signUp: (scene) => sendSignUp(scene, 'null'),
  askToJoin: openSandhills,
  joinOrganisation: openSandhills,
  joinWithLink: async (scene) => {
    await openSandhills(scene)
    await sendSignUp(scene, `(select id from organisations where key = 'sandhills')`)
  },
  listAudit: async ({ app, real }) => {
    const [entry] = await app.sql(
      `select request_id from audit_entries where action = 'sign-in.password' order by id desc limit 1`,
    )
    real[LOGGED_ID] = String(entry?.request_id)
  },
  ...verbPreparations,
  endBrowser: async ({ app, browser, real }) => {
    await signIn(app, 'avery')
    const { body } = await call(browser, 'GET', '/account/v1/browsers')
    real[BROWSER_ID] = body.find((one: { isCurrent: boolean }) => !one.isCurrent).browserId
  },
  endSession: async ({ browser, real }) => {
    const { body } = await call(browser, 'GET', '/account/v1/apps')
    real[SESSION_ID] = body[0].sessions[0].sessionId
  },
  resetPassword: (scene) => makeLink(scene, '@avery'),
  startFirstPasskey: linkOfNew,
  addFirstPasskey: async (scene) => {
    await linkOfNew(scene)
    const code = scene.real[RESET_CODE]!
    const options = await expectAnswer(callPasskey(scene.visitor, '/link/options', { code }))
    scene.request = { response: new Authenticator(scene.app.environment().url).create(options) }
  },
  listPasskeys: addLaptop,
  endEverythingElse: addLaptop,
  renamePasskey: addLaptop,
  removePasskey: addLaptop,
  addPasskey: async (scene) => {
    const options = await expectAnswer(callPasskey(scene.browser, '/options', PROOF))
    scene.request = { response: new Authenticator(scene.app.environment().url).create(options) }
  },
  signInWithPasskey: async (scene) => {
    const authenticator = (await addLaptop(scene)) as Authenticator
    const options = await expectAnswer(callPasskey(scene.visitor, '/signin/options'))
    scene.request = { response: authenticator.get(options) }
  },
  sampleUsers: ({ app }) => app.sql(`update people set public_search = false where handle <> '@blake'`),
  listKids: ({ app }) => addChildren(app),
  listFriends: seeFriends,
  readFriendRequests: seeFriends,
  readOwnFriends: seeFriends,
  readKnownPicture: seeFriends,
  readChildFriends: ({ app }) => tie(app, 'noa.okafor', 'sam.okafor', true),
}
