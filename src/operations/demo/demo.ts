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

/** Keys of everything in the demo file except people. */
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
  /** Record store keys that are now revoked. */
  readonly credentials: readonly string[]
  /** Apps that demo people registered. They remain without an owner. */
  readonly appsLeft: readonly string[]
  /** Organisations that remain, because other people belong to them. */
  readonly organisationsLeft: readonly string[]
  /**
   * Classes that remain, because other people learn in them; their join codes, which are public, are removed. Courses
   * of remaining classes remain too.
   */
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

/**
 * Tells whether there are, or soon will be, people with public passwords. A changed password does not make a demo
 * person real.
 */
export const hasDemoPeople = async (db: Db): Promise<boolean> => (await db.first(store.findAny, {}))!.any

/** Marks demo people of earlier versions, which stored no mark. They were imported together with the demo app. */
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

/** Removes all demo data. People are removed last: while one is left, an interrupted removal can be repeated. */
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
    // Suspended first, so that no user can join meanwhile.
    await setAppStatus(db, who, { clientId, status: 'suspended' })
    await removeAnonymousOf(db, who, { clientId, forget })
    if (await removeApp(db, who, { clientId })) apps.push(clientId)
  }
  // Earlier demo files had no credentials.
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
