import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { hashPassword } from '../../identity/people/passwords.ts'
import { type Config, findOpening } from '../../kernel/config.ts'
import type { Connection } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { importContent, isUntouched } from '../../kernel/imports/imports.ts'
import { isObject } from '../../kernel/imports/section.ts'
import { findReach, keepReach } from '../../kernel/installation/installation.ts'
import { currentDemo, type DemoKeys, hasDemoPeople, markEarlier, type RemovedDemo, removeDemo } from '../demo/demo.ts'
import { migrateAll } from '../platform/platform.ts'
import { type CommandGroup, command, print, tell } from './command.ts'
import { withDatabase, withEnvironments } from './database.ts'
import { readImportFile } from './import-file.ts'
import { operator } from './operator.ts'

const DEMO_FILE = fileURLToPath(new URL('../../../demo/demo.json', import.meta.url))

/** The demo data, with the hashes of its passwords if they were made ahead of the import. */
interface PreparedDemo {
  readonly content: unknown
  readonly hashes?: ReadonlyMap<string, string>
}

/** Reads the demo data. If the database is still to be created, hashes the public password of the demo people. */
export async function prepareDemo(config: Config, isNew: boolean): Promise<PreparedDemo | undefined> {
  if (!mayImport(config)) return undefined
  const content = atOwnAddress(await readImportFile(DEMO_FILE), config)
  if (!isNew) return { content }
  const { people } = content as { people: { password?: string }[] }
  const passwords = new Set(people.flatMap(({ password }) => password ?? []))
  const hashed = [...passwords].map(async (password) => [password, await hashPassword(password)] as const)
  return { content, hashes: new Map(await Promise.all(hashed)) }
}

const mayImport = ({ DEMO, DATABASE_URL, isLocal }: Config): boolean =>
  DEMO !== 'off' && isLocal && !(DEMO === 'auto' && DATABASE_URL)

/** Imports the demo data if it is due, and throws if demo people and the settings do not go together. */
export const settleDemo = (
  config: Config,
  connection: Connection,
  log: Logger,
  prepared: PreparedDemo | undefined,
): Promise<void> =>
  withEnvironments(
    config,
    connection,
    log,
    async (environments) => {
      if (prepared && (await importWhereDue(config, environments, prepared))) log.info('demo data imported')
      await refuseOpenDemo(config, environments)
    },
    { mayMakeKey: true },
  )

/**
 * Imports the demo data at the start of a platform that only this machine can reach: with DEMO=on always, with `auto`
 * only into an embedded database that was never used. The condition is "never used" and not "just created", so that the
 * data is also imported after an interrupted first start. Throws if DEMO is on and DATABASE_URL is the database of a
 * platform that was last started where others can reach it.
 */
async function importWhereDue(
  config: Config,
  environments: readonly Environment[],
  prepared: PreparedDemo,
): Promise<boolean> {
  const untouched = await Promise.all(environments.map(({ db }) => isUntouched(db)))
  if (config.DEMO === 'auto' && untouched.includes(false)) return false
  for (const { db } of environments) {
    if (config.DATABASE_URL) refuseReached(await findReach(db), 'DEMO cannot be on')
    // A value in an embedded database is from an earlier start, because no other platform can be running on it.
    await keepReach(db, undefined)
  }
  const keys = await readDemoKeys()
  for (const { db, name } of environments) await markEarlier(db, operator(), { environment: name, keys })
  const content = await currentDemo(environments, operator(), prepared.content)
  await importContent(environments, operator(), { ...prepared, content })
  return true
}

/** Replaces the addresses in the demo data with BASE_URL and SANDBOX_URL: the demo app is a page of this platform. */
function atOwnAddress(content: unknown, { PORT, BASE_URL, SANDBOX_URL }: Config): unknown {
  if (PORT === 0) return content
  const text = JSON.stringify(content)
    .replaceAll('http://localhost:4000/', `${BASE_URL}/`)
    .replaceAll('http://localhost:4001/', `${SANDBOX_URL}/`)
  return JSON.parse(text)
}

/**
 * Throws if other machines can reach a platform that has demo people: their passwords are public, and one of them is an
 * administrator.
 */
async function refuseOpenDemo(config: Config, environments: readonly Environment[]): Promise<void> {
  const opening = findOpening(config)
  // Before the check, store whether others can reach the platform. If they can, demo people can no longer be imported,
  // not even by a command with other settings, so none can be added after the check.
  for (const { db } of environments) await keepReach(db, opening)
  if (!opening) return
  const keys = await readDemoKeys()
  for (const { db, name } of environments) {
    await markEarlier(db, operator(), { environment: name, keys })
    if (!(await hasDemoPeople(db))) continue
    for (const environment of environments) await keepReach(environment.db, undefined)
    throw new StartupError(
      `This database has demo users, whose passwords are public, and others can reach this platform: ${opening}. ` +
        'Delete them first with: npx groundschool demo remove (or use another DATA_DIR or DATABASE_URL)',
    )
  }
}

/**
 * Throws if a file with demo people would be imported into a platform that other machines can reach, according to the
 * settings of this command or to those with which the platform was last started.
 */
export async function refuseOpenImport(
  config: Config,
  targets: readonly Environment[],
  content: unknown,
): Promise<void> {
  const people = isObject(content) && Array.isArray(content.people) ? content.people : []
  if (!people.some((person) => isObject(person) && person.demo === true)) return
  const opening = findOpening(config)
  if (opening)
    throw new StartupError(
      `Nothing was imported: the file has demo users, whose passwords are public, and others can reach this platform: ${opening}`,
    )
  for (const { db } of targets)
    refuseReached(await findReach(db), 'Nothing was imported: the file has demo users, whose passwords are public')
}

function refuseReached(reach: string | undefined, problem: string): void {
  if (reach !== undefined)
    throw new StartupError(
      `${problem}: the platform on this database was last started where others can reach it (${reach}). ` +
        'Start it once with DEMO=off and loopback addresses only, or use another DATA_DIR or DATABASE_URL',
    )
}

async function readDemoKeys(): Promise<DemoKeys> {
  const file = (await readImportFile(DEMO_FILE)) as Record<keyof DemoKeys, { key: string }[]>
  const keysOf = (name: keyof DemoKeys) => file[name].map(({ key }) => key)
  return {
    apps: keysOf('apps'),
    organisations: keysOf('organisations'),
    courses: keysOf('courses'),
    classes: keysOf('classes'),
    credentials: keysOf('credentials'),
  }
}

const remove = command({
  about: 'Delete the demo users from both environments, with their apps, course, classes and organisations.',
  args: [],
  options: {},
  notes: [
    'The passwords of demo users are public. While there are any, the platform starts only if nobody else can reach it.',
    'Demo users who changed their password are deleted too. This cannot be undone. The platform can keep running.',
    'Other users stay, and so do apps that demo users created and organisations that other users belong to.',
  ].join('\n'),
  examples: ['demo remove'],
  run: () =>
    withDatabase(async (connection, config, log) => {
      await migrateAll(connection)
      const keys = await readDemoKeys()
      await withEnvironments(config, connection, log, async (environments) => {
        for (const environment of environments) {
          const removed = await removeDemo(environment, operator(), { keys })
          print(`${environment.name}: ${describe(removed)}`)
          for (const app of removed.appsLeft) tell(`The app ${app} stays, without an owner.`)
          for (const key of removed.classesLeft)
            tell(
              `The class ${key} stays, without a join code, because other users learn in it. Its managers can generate another code.`,
            )
          for (const key of removed.coursesLeft) tell(`The course ${key} stays, because a class uses it.`)
          for (const key of removed.organisationsLeft)
            tell(`The organisation ${key} stays, because other users belong to it.`)
        }
      })
    }),
})

const describe = ({ people, apps, organisations, courses, classes, credentials }: RemovedDemo): string => {
  if (people === 0) return 'there are no demo users'
  const others = [
    ...apps.map((app) => `the app ${app}`),
    ...courses.map((key) => `the course ${key}`),
    ...classes.map((key) => `the class ${key}`),
    ...credentials.map((key) => `the key ${key} (revoked)`),
    ...organisations.map((key) => `the organisation ${key}`),
  ]
  return `removed ${[`${people} people`, ...others].join(', ')}`
}

export const demo: CommandGroup = {
  about: 'Delete the demo users, before others can reach the platform.',
  verbs: { remove },
}
