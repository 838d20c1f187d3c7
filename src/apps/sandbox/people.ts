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
import { readParts } from '../organisations/organisations.ts'
import type { SignInAsTester, Testers } from './schema.ts'
import * as store from './store.ts'

/** As many as a developer has. */
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

type Where = Pick<Environment, 'name' | 'config'>

/** Test people are for developers, in the sandbox: who signs in as somebody else has no place in production. */
async function checkMaker(db: Db, who: PersonCaller, { name, config }: Where): Promise<void> {
  if (name !== 'sandbox') throw fail('impossibleNow', `Test people exist only in the sandbox: ${config.SANDBOX_URL}`)
  const { develops } = await readParts(db, who)
  if (!develops) throw fail('forbidden', 'Test people are for developers: become a developer of an organisation first')
}

export async function listTesters(db: Db, who: PersonCaller, where: Where): Promise<Testers> {
  await checkMaker(db, who, where)
  return readTesters(db, who)
}

async function readTesters(db: Db, who: PersonCaller): Promise<Testers> {
  const rows = await db.all(store.listOf, { maker: who.personId })
  const docs = rows.map((row) => ({
    handle: row.handle,
    name: `${row.first_name} ${row.last_name}`,
    createdDate: row.created_at.toISOString(),
    apps: row.apps,
  }))
  return { docs }
}

/** Makes those that are missing. Whoever asks twice at once has ten all the same. */
export async function makeTesters(db: Db, who: PersonCaller, where: Where): Promise<Testers> {
  await checkMaker(db, who, where)
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
    // So that apps find them as they find people who want to be found.
    await changePeople(
      tx,
      people.map((id) => ({ id, public_search: true })),
    )
    if (people.length > 0) await tx.all(store.insertTesters, { people, maker: who.personId })
    return readTesters(tx, who)
  })
}

/** Removes them with everything that they did, and makes new ones. */
export async function resetTesters(
  db: Db,
  who: PersonCaller,
  where: Where,
  forget: readonly Forget[],
): Promise<Testers> {
  await checkMaker(db, who, where)
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

/** Signs the developer in as one whom they have made. They have no password: this is the only way in. */
export async function signInAsTester(
  db: Db,
  who: PersonCaller,
  what: SignInAsTester,
  where: Where,
): Promise<OpenedBrowser> {
  await checkMaker(db, who, where)
  const person = await db.first(store.findSignIn, { maker: who.personId, handle: normaliseHandle(what.handle) })
  if (!person) throw fail('notFound', 'You have no test person with that handle')
  return db.transaction(async (tx) => {
    await confirmPerson(tx, person)
    return openBrowser(tx, who, { personId: person.id, epoch: person.epoch, door: 'test', isKept: false }, where.name)
  })
}

const SWEPT_AT_ONCE = 100

/** Removes those whose maker is gone. */
export async function sweepTesters({ db, clock, get }: Environment): Promise<void> {
  const orphans = await db.all(store.listOrphans, { limit: SWEPT_AT_ONCE })
  await removeAll(
    db,
    upkeepAt(clock()),
    orphans.map(({ person_id }) => person_id),
    get(forgetting),
  )
}
