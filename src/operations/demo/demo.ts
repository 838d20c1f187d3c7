import { removeAnonymousOf } from '../../apps/anonymous/anonymous.ts'
import { listApps, makeClientId, removeApp, setAppStatus } from '../../apps/apps/apps.ts'
import { removeOrganisations } from '../../apps/organisations/organisations.ts'
import { removePerson } from '../../identity/people/removal.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { forgetting } from '../../kernel/forget.ts'
import { finishImports, type ImportTarget } from '../../kernel/imports/imports.ts'
import { keepFacts } from '../../kernel/installation/installation.ts'
import { dropJoinCodes, removeClasses } from '../../learning/classes/classes.ts'
import { removeCourses } from '../../learning/courses/courses.ts'
import { credentialSection } from '../../records/credentials/import.ts'
import { makeKey } from '../../records/credentials/keys.ts'
import { revokeCredential } from '../../records/credentials/managing.ts'
import { markOf } from './import.ts'
import * as store from './store.ts'

/** What the demo file brings besides people, by key. */
export interface DemoKeys {
  readonly apps: readonly string[]
  readonly organisations: readonly string[]
  readonly courses: readonly string[]
  readonly classes: readonly string[]
  readonly credentials: readonly string[]
}

export interface RemovedDemo {
  readonly people: number
  /** Client IDs. */
  readonly apps: readonly string[]
  /** Keys. */
  readonly organisations: readonly string[]
  readonly courses: readonly string[]
  readonly classes: readonly string[]
  /** Keys of the record store that are revoked now. */
  readonly credentials: readonly string[]
  /** Apps that demo people registered: they are now without an owner. */
  readonly appsLeft: readonly string[]
  /** Organisations that others belong to. */
  readonly organisationsLeft: readonly string[]
  /** Classes that others learn in, without their join codes, which everybody knows; and the courses of classes that stay. */
  readonly classesLeft: readonly string[]
  readonly coursesLeft: readonly string[]
}

const NOTHING: RemovedDemo = {
  people: 0,
  apps: [],
  organisations: [],
  courses: [],
  classes: [],
  credentials: [],
  appsLeft: [],
  organisationsLeft: [],
  classesLeft: [],
  coursesLeft: [],
}

/** Whether there are people whose passwords everybody knows, or will be. A new password does not make somebody real. */
export const hasDemoPeople = async (db: Db): Promise<boolean> => (await db.first(store.findAny, {}))!.any

/** Demo people of versions that kept no mark: they came with the demo app. */
export async function markEarlier(db: Db, who: Caller, what: { environment: EnvironmentName; keys: DemoKeys }) {
  for (const key of what.keys.apps) {
    const people = await db.all(store.listMadeWith, { client: makeClientId(what.environment, key) })
    await keepFacts(
      db,
      people.map(({ id }) => markOf(id)),
      who.at.toISOString(),
    )
  }
}

/** Removes everything that the demo brought. People go last: while one is left, a removal that was interrupted can be repeated. */
export async function removeDemo(
  target: ImportTarget,
  who: Caller,
  { keys }: { keys: DemoKeys },
): Promise<RemovedDemo> {
  const { db, name } = target
  await finishImports([target])
  await markEarlier(db, who, { environment: name, keys })
  const people = (await db.all(store.listPeople, {})).map(({ id }) => id)
  if (people.length === 0) return NOTHING

  const forget = target.get(forgetting)
  const clients = keys.apps.map((key) => makeClientId(name, key))
  const appsLeft = (await db.all(store.listAppsLeft, { people, clients })).map(({ client_id }) => client_id)
  const apps: string[] = []
  for (const { client_id: clientId } of await listApps(db)) {
    if (!clients.includes(clientId)) continue
    // So that nobody comes to it meanwhile.
    await setAppStatus(db, who, { clientId, status: 'suspended' })
    await removeAnonymousOf(db, who, { clientId, forget })
    if (await removeApp(db, who, { clientId })) apps.push(clientId)
  }
  // An older demo had none.
  const found = await credentialSection.find(db, [...keys.credentials], name)
  const credentials = found.map(({ key }) => makeKey(name, key))
  for (const key of credentials) await revokeCredential(db, who, { key })
  const classes = await removeClasses(db, { keys: keys.classes, without: people })
  const classesLeft = await dropJoinCodes(db, { keys: keys.classes })
  const courses = await removeCourses(db, { keys: keys.courses })
  const coursesLeft = (await db.all(store.listCourses, { keys: [...keys.courses] })).map(({ key }) => key)
  const organisations = await removeOrganisations(db, { keys: keys.organisations, without: people })
  for (const personId of people)
    await removePerson(db, who, { personId, reason: 'the demo was removed', forget, isHandleFree: true })
  return {
    people: people.length,
    apps,
    appsLeft,
    organisations: organisations.gone,
    courses,
    classes,
    credentials,
    organisationsLeft: organisations.left,
    classesLeft,
    coursesLeft,
  }
}
