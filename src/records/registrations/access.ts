import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { identify } from '../statements/model/agents.ts'
import { accountAgent, bases } from '../statements/model/names.ts'
import type { Agent } from '../statements/model/statement.ts'
import { refuse } from './gate.ts'
import { LAUNCH_DATA, PREFERENCES } from './names.ts'
import type { LaunchRow } from './registrations.ts'
import { itemIri } from './statements.ts'

/** The place of a document in the record store. */
interface DocumentPlace {
  readonly kind: 'state' | 'activity profile' | 'agent profile'
  readonly agent?: Agent | undefined
  readonly activityId?: string | undefined
  readonly registration?: string | undefined
}

/** Refuses an agent that is not the learner for whom the content was launched. */
export function checkLaunchActor({ handle }: LaunchRow, agent: Agent, { get }: Pick<Environment, 'get'>): void {
  if (identify(agent) !== identify(accountAgent(get(bases).homePage, handle)))
    throw refuse('8.1.3.0-3', '/agent', 'be the actor of the launch')
}

/** Refuses documents of others, and of activities other than the launched one. */
export function checkLaunchContext(launch: LaunchRow, place: DocumentPlace, services: Pick<Environment, 'get'>): void {
  const { kind, agent, activityId, registration } = place
  if (agent) checkLaunchActor(launch, agent, services)
  if (kind !== 'agent profile' && activityId !== itemIri(services.get(bases), launch))
    throw refuse('8.1.5.0-6', '/activityId', 'be the activityId of the launch')
  if (registration !== undefined && registration !== launch.registration)
    throw refuse('8.1.4.0-3', '/registration', 'be the registration of the launch')
}

export const isPreferences = ({ kind, id }: DocumentPlace & { readonly id: string }): boolean =>
  kind === 'agent profile' && id === PREFERENCES

const LANGUAGES = /^[-A-Za-z0-9]+(?:,[-A-Za-z0-9]+)*$/

/** Refuses changes of the launch data, and preferences of the learner that are not valid. */
export function checkLaunchWrite(
  place: DocumentPlace & { readonly id: string },
  method: 'PUT' | 'POST' | 'DELETE',
  document?: { readonly json: string | undefined },
): void {
  if (place.kind === 'state' && place.id === LAUNCH_DATA)
    throw refuse('10.2.1.0-5', '/stateId', `not be ${LAUNCH_DATA}: content cannot change its launch data`)
  if (place.kind !== 'agent profile') return
  if (!isPreferences(place)) throw refuse('11.0.0.0-4', '/profileId', `be ${PREFERENCES}`)
  if (method === 'DELETE') throw fail('forbidden', 'Content cannot delete the preferences of its learner')
  const value = document?.json === undefined ? undefined : (JSON.parse(document.json) as Record<string, unknown> | null)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('11.0.0.0-5', '', 'be a JSON object with languagePreference and audioPreference')
  for (const name of ['languagePreference', 'audioPreference'])
    if (typeof value[name] !== 'string') throw refuse('11.0.0.0-5', `/${name}`, 'be sent')
  if (!LANGUAGES.test(value.languagePreference as string))
    throw refuse('11.1.0.0-1', '/languagePreference', 'be a list of language tags, separated by commas')
  if (!/^(?:on|off)$/.test(value.audioPreference as string))
    throw refuse('11.0.0.0-5', '/audioPreference', 'be on or off')
}
