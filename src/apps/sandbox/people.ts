import { randomBytes } from 'node:crypto'
import { changePeople } from '../../identity/people/changes.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { addPerson, confirmPerson, holdAccount } from '../../identity/people/people.ts'
import { removePerson } from '../../identity/people/removal.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { type OpenedBrowser, openBrowser } from '../../kernel/browsers/browsers.ts'
import { type PersonCaller, upkeepAt } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Forget, forgetting } from '../../kernel/forget.ts'
import { readRights } from '../organisations/organisations.ts'
import type { SignInAsTester, Testers } from './schema.ts'
import * as store from './store.ts'

/** The test people that each developer gets. */
const NAMES = [
  ...[
    ['Alex', 'Abara'],
    ['Bo', 'Bergström'],
    ['Charlie', 'Chen'],
    ['Dana', 'Dubois'],
    ['Emery', 'Esposito'],
  ],
  ...[
    ['Frankie', 'Fujita'],
    ['Gray', 'García'],
    ['Harper', 'Hassan'],
    ['Indigo', 'Ivanova'],
    ['Jules', 'Jensen'],
  ],
] as const

type SandboxContext = Pick<Environment, 'name' | 'config'>

/** Throws outside the sandbox, because nobody may sign in as another person in production, and for non-developers. */
async function checkDeveloper(db: Db, who: PersonCaller, { name, config }: SandboxContext): Promise<void> {
  if (name !== 'sandbox') throw fail('impossibleNow', `Test users exist only in the sandbox: ${config.SANDBOX_URL}`)
  const { develops } = await readRights(db, who)
  if (!develops)
    throw fail('forbidden', 'Only developers can have test users: become a developer of an organisation first')
}

export async function listTesters(db: Db, who: PersonCaller, where: SandboxContext): Promise<Testers> {
  await checkDeveloper(db, who, where)
  return readTesters(db, who)
}

async function readTesters(db: Db, who: PersonCaller): Promise<Testers> {
  const rows = await db.all(store.listOf, { maker: who.personId })
  const docs = rows.map((row) => ({
    handle: row.handle,
    name: `${row.first_name} ${row.last_name}`,
    createdDate: row.created_at,
    apps: row.apps,
  }))
  return { docs }
}

/** Creates the missing test people. Concurrent calls are serialised, so a developer never has more than ten. */
export async function makeTesters(db: Db, who: PersonCaller, where: SandboxContext): Promise<Testers> {
  await checkDeveloper(db, who, where)
  return db.transaction(async (tx) => {
    await holdAccount(tx, { id: who.personId, epoch: who.epoch })
    const had = (await tx.all(store.listOf, { maker: who.personId })).map(({ last_name }) => last_name)
    const missing = NAMES.filter(([, lastName]) => !had.includes(lastName))
    const mark = randomBytes(4).toString('hex')
    const people: number[] = []
    for (const [firstName, lastName] of missing) {
      const handle = `@${firstName.toLowerCase()}-${mark}`
      people.push((await addPerson(tx, who, { handle, firstName, lastName, dateOfBirth: '1990-05-01' })).id)
    }
    // Turn public search on, so that the user search of apps finds the test people.
    await changePeople(
      tx,
      people.map((id) => ({ id, public_search: true })),
    )
    if (people.length > 0) await tx.all(store.insertTesters, { people, maker: who.personId })
    return readTesters(tx, who)
  })
}

/** Deletes all test people of the developer with their data, and creates new ones. */
export async function resetTesters(
  db: Db,
  who: PersonCaller,
  where: SandboxContext,
  forget: readonly Forget[],
): Promise<Testers> {
  await checkDeveloper(db, who, where)
  await removeAll(
    db,
    who,
    (await db.all(store.listOf, { maker: who.personId })).map(({ id }) => id),
    forget,
  )
  await recordAudit(db, who, { action: 'test-people.reset', personId: who.personId })
  return makeTesters(db, who, where)
}

async function removeAll(db: Db, who: Parameters<typeof removePerson>[1], people: number[], forget: readonly Forget[]) {
  for (const personId of people)
    await removePerson(db, who, { personId, reason: 'a test person', forget, isHandleFree: true })
}

/** Signs the developer in as one of their test people, without a password, because test people have none. */
export async function signInAsTester(
  db: Db,
  who: PersonCaller,
  what: SignInAsTester,
  where: SandboxContext,
): Promise<OpenedBrowser> {
  await checkDeveloper(db, who, where)
  const person = await db.first(store.findSignIn, { maker: who.personId, handle: normaliseHandle(what.handle) })
  if (!person) throw fail('notFound', 'You have no test user with this handle')
  return db.transaction(async (tx) => {
    await confirmPerson(tx, person)
    return openBrowser(tx, who, { personId: person.id, epoch: person.epoch, door: 'test', isKept: false }, where.name)
  })
}

const SWEPT_AT_ONCE = 100

/** Deletes test people whose developer has been deleted. */
export async function sweepTesters({ db, clock, get }: Environment): Promise<void> {
  const orphans = await db.all(store.listOrphans, { limit: SWEPT_AT_ONCE })
  await removeAll(
    db,
    upkeepAt(clock()),
    orphans.map(({ person_id }) => person_id),
    get(forgetting),
  )
}
