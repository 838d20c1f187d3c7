import { isAdult } from '../../identity/people/ages.ts'
import type { Visitor } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { readRights } from '../organisations/organisations.ts'
import { listDemoPeople } from './demo.ts'
import type { Here } from './schema.ts'

/** Returns the environment, the person who is signed in, and which pages they may use. */
export async function readHere(db: Db, { person }: Pick<Visitor, 'person'>, environment: Environment): Promise<Here> {
  const { name, config } = environment
  const signUp = config.SIGN_UP === 'on' && config.MESSAGES !== 'off'
  const demoPeople = await listDemoPeople(environment)
  const here = { environment: name, production: config.BASE_URL, sandbox: config.SANDBOX_URL, signUp, demoPeople }
  if (!person) return { ...here, person: null }
  const { administers, develops, creates, plans, born } = await readRights(db, person)
  const areas: NonNullable<Here['person']>['areas'] = [
    'dashboard',
    ...(develops ? (['organisations', 'console'] as const) : []),
    ...(plans ? (['planner'] as const) : []),
    ...(administers ? (['admin'] as const) : []),
  ]
  return {
    ...here,
    person: {
      handle: person.handle,
      name: person.name,
      isTest: person.isTest,
      areas,
      may: {
        administer: administers,
        createOrganisation: administers,
        createCourse: creates,
        lookAfterChildren: isAdult(born, environment.clock()),
      },
    },
  }
}
