import { normaliseHandle } from '../../identity/people/handles.ts'
import { confirmPerson } from '../../identity/people/people.ts'
import { type OpenedBrowser, openBrowser } from '../../kernel/browsers/browsers.ts'
import type { Visitor } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import * as store from './demo-store.ts'
import type { DemoPerson, SignInAsDemo } from './schema.ts'

const SHOWN = 10

/** Lists the demo people who can sign in. Returns nobody if the platform can be reached from other machines. */
export async function listDemoPeople({ db, config }: Pick<Environment, 'db' | 'config'>): Promise<DemoPerson[]> {
  if (!config.isLocal) return []
  const rows = await db.all(store.listSignIns, { limit: SHOWN })
  return rows.map((row) => ({
    handle: row.handle,
    name: `${row.first_name} ${row.last_name}`.trim(),
    part: row.part as DemoPerson['part'],
  }))
}

/** Signs in as a demo person without the password, which is public anyway. Throws unless the installation is local. */
export async function signInAsDemo(
  db: Db,
  who: Visitor,
  what: SignInAsDemo,
  { config, name }: Pick<Environment, 'config' | 'name'>,
): Promise<OpenedBrowser> {
  const person = config.isLocal ? await db.first(store.findSignIn, { handle: normaliseHandle(what.handle) }) : undefined
  if (!person) throw fail('notFound', 'There is no demo user with this handle')
  return db.transaction(async (tx) => {
    await confirmPerson(tx, person)
    return openBrowser(tx, who, { personId: person.id, epoch: person.epoch, door: 'demo', isKept: false }, name)
  })
}
