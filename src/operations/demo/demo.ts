import { removeAnonymousOf } from '../../apps/anonymous/anonymous.ts'
import { listApps, makeClientId, removeApp, setAppStatus } from '../../apps/apps/apps.ts'
import { removeOrganisations } from '../../apps/organisations/organisations.ts'
import { removePerson } from '../../identity/people/removal.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { forgetting } from '../../kernel/forget.ts'
import { finishImports, type ImportTarget } from '../../kernel/imports/imports.ts'
import { dropFact, findValue, keepFacts } from '../../kernel/installation/installation.ts'
import { dropJoinCodes, removeClasses } from '../../learning/classes/classes.ts'
import { removeCourses } from '../../learning/courses/courses.ts'
import { credentialSection } from '../../records/credentials/import.ts'
import { makeKey } from '../../records/credentials/keys.ts'
import { revokeCredential } from '../../records/credentials/managing.ts'
import { markOf } from './import.ts'
import { moveDemo } from './moving.ts'
import * as store from './store.ts'

/** Keys of all entries in the demo file except people. */
export interface DemoKeys {
  readonly apps: readonly string[]
  readonly organisations: readonly string[]
  readonly courses: readonly string[]
  readonly classes: readonly string[]
  readonly credentials: readonly string[]
}

export interface RemovedDemo {
  readonly people: number
  /** Client IDs of the removed apps. */
  readonly apps: readonly string[]
  /** Keys of the removed organisations. */
  readonly organisations: readonly string[]
  readonly courses: readonly string[]
  readonly classes: readonly string[]
  /** Credentials for the record store that were revoked. */
  readonly credentials: readonly string[]
  /** Client IDs of apps that demo people registered. The apps remain, without an owner. */
  readonly appsLeft: readonly string[]
  /** Organisations that remain, because other people are members. */
  readonly organisationsLeft: readonly string[]
  /**
   * Classes that remain, because other people are enrolled in them. Their join codes are removed, because they are
   * public. The courses of these classes remain too.
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
 * Tells whether there are demo people, or whether an accepted import is still going to create some. Their passwords are
 * public. A demo person remains one after a change of the password.
 */
export const hasDemoPeople = async (db: Db): Promise<boolean> => (await db.first(store.findAny, {}))!.any

/**
 * Marks the demo people that earlier versions imported without a mark. They are found by the demo app, which was
 * imported together with them.
 */
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

/** Name of the fact that says when the demo data was first imported. */
const IMPORTED = 'demo-imported'

/**
 * Returns the demo data with current times. If it was imported before, the times are those of the first import, so that
 * importing it again changes nothing.
 */
export async function currentDemo(targets: readonly ImportTarget[], who: Caller, content: unknown): Promise<unknown> {
  const known = await Promise.all(targets.map(({ db }) => findValue(db, IMPORTED)))
  const first = known.filter((time) => time !== undefined).sort()[0] ?? who.at.toISOString()
  for (const { db } of targets) await keepFacts(db, [IMPORTED], first)
  return moveDemo(content, new Date(first))
}

/**
 * Removes all demo data. People are removed last, so that an interrupted removal can be repeated while any of them is
 * left.
 */
export async function removeDemo(
  target: ImportTarget,
  who: Caller,
  { keys }: { keys: DemoKeys },
): Promise<RemovedDemo> {
  const { db, name } = target
  await finishImports([target])
  await markEarlier(db, who, { environment: name, keys })
  const people = (await db.all(store.listPeople, {})).map(({ id }) => id)
  await dropFact(db, IMPORTED)
  if (people.length === 0) return NOTHING

  const forget = target.get(forgetting)
  const clients = keys.apps.map((key) => makeClientId(name, key))
  const appsLeft = (await db.all(store.listAppsLeft, { people, clients })).map(({ client_id }) => client_id)
  const apps: string[] = []
  for (const { client_id: clientId } of await listApps(db)) {
    if (!clients.includes(clientId)) continue
    // The app is suspended first, so that it gets no new users while its anonymous users are being removed.
    await setAppStatus(db, who, { clientId, status: 'suspended' })
    await removeAnonymousOf(db, who, { clientId, forget })
    if (await removeApp(db, who, { clientId })) apps.push(clientId)
  }
  // Only existing credentials are revoked, because earlier demo files had none.
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
