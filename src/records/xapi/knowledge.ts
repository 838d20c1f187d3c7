import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { checkLaunchActor } from '../registrations/access.ts'
import { findAgentFaults } from '../statements/faults/faults.ts'
import { identify } from '../statements/model/agents.ts'
import { isIri } from '../statements/model/forms.ts'
import { keyOfAgent, rolesFor } from '../statements/model/refs.ts'
import { type Activity, type Agent, isAgent, isSubStatement, type Statement } from '../statements/model/statement.ts'
import { presentStatement, queryStatements, readDefinitions } from '../statements/query/query.ts'
import type { XapiCaller } from './statements.ts'

/**
 * Reads an activity with its whole stored definition, in all languages (xAPI-Communication 2.5); if no definition is
 * stored, the activity has only its id.
 */
export async function getActivity(db: Db, { activityId: id }: { readonly activityId: string }): Promise<Activity> {
  if (!isIri(id))
    throw fail('validationFailed', 'activityId must be an IRI with its scheme, such as https://example.com/x')
  const definition = (await readDefinitions(db, [id])).get(id)
  return { objectType: 'Activity', id, ...(definition && { definition }) }
}

/** The names of an agent are collected from at most this many of the newest statements that mention the agent. */
const STATEMENTS_READ = 100

/** Describes an agent as a Person, in which each property is a list (xAPI-Communication 2.4). */
export async function getPerson(
  db: Db,
  who: XapiCaller,
  { agent: given }: { readonly agent: unknown },
  environment: Pick<Environment, 'get'>,
): Promise<object> {
  const [fault] = findAgentFaults(given, who.version, 1)
  const agent = given as Agent
  if (fault) throw fail('validationFailed', `agent${fault.pointer} must ${fault.must}`)
  if (who.launch) checkLaunchActor(who.launch, agent, environment)
  const key = agent.objectType === 'Group' ? undefined : keyOfAgent(agent)
  if (key === undefined) throw fail('validationFailed', 'agent must be an agent with an identifier')
  const rows = await queryStatements(db, {
    wanted: [{ key, roles: rolesFor('related_agents') }],
    limit: STATEMENTS_READ,
  })
  const own = identify(agent)
  const names = rows
    .flatMap((row) => agentsIn(presentStatement(row)))
    .filter((one) => identify(one) === own)
    .flatMap(({ name }) => name ?? [])
  const { mbox, mbox_sha1sum, openid, account, name } = agent
  const all = [...new Set([...(name === undefined ? [] : [name]), ...names])]
  return {
    objectType: 'Person',
    ...(all.length > 0 ? { name: all } : {}),
    ...(mbox === undefined ? {} : { mbox: [mbox] }),
    ...(mbox_sha1sum === undefined ? {} : { mbox_sha1sum: [mbox_sha1sum] }),
    ...(openid === undefined ? {} : { openid: [openid] }),
    ...(account === undefined ? {} : { account: [account] }),
  }
}

function agentsIn({ actor, object, context }: Pick<Statement, 'actor' | 'object' | 'context'>): Agent[] {
  const agents = [actor, ...(isSubStatement(object) ? agentsIn(object) : isAgent(object) ? [object] : [])]
  if (context?.instructor) agents.push(context.instructor)
  if (context?.team) agents.push(context.team)
  return agents.flatMap((one) => [one, ...(one.member ?? [])])
}
