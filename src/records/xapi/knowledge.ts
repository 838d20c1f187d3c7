import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { identify } from '../statements/agents.ts'
import { findAgentFaults } from '../statements/faults.ts'
import { toCanonicalActivity } from '../statements/formats.ts'
import { queryStatements, readDefinitions, show } from '../statements/query.ts'
import { keyOfAgent, rolesFor } from '../statements/refs.ts'
import { type Activity, type Agent, isAgent, isSubStatement, type Statement } from '../statements/statement.ts'
import { isIri } from '../statements/syntax.ts'
import type { XapiCaller } from './statements.ts'

/** What is known of an activity; nothing but its id where nothing is. */
export async function getActivity(
  db: Db,
  { activityId: id }: { readonly activityId: string },
  languages: readonly string[],
): Promise<Activity> {
  if (!isIri(id))
    throw fail('validationFailed', 'activityId must be an IRI with its scheme, such as https://example.com/x')
  const definition = (await readDefinitions(db, [id])).get(id)
  const activity = { objectType: 'Activity' as const, id }
  if (!definition) return activity
  return languages.length > 0
    ? toCanonicalActivity({ ...activity, definition }, languages)
    : { ...activity, definition }
}

/** Names that an agent has had are looked for in so many statements, the newest first. */
const LOOKED_AT = 100

/** Everything that is known of one agent, as a Person: each property a list (xAPI-Communication 2.4). */
export async function getPerson(
  db: Db,
  who: XapiCaller,
  { agent: given }: { readonly agent: unknown },
): Promise<object> {
  const [fault] = findAgentFaults(given, who.version, 1)
  const agent = given as Agent
  if (fault) throw fail('validationFailed', `agent${fault.pointer} must ${fault.must}`)
  const key = agent.objectType === 'Group' ? undefined : keyOfAgent(agent)
  if (key === undefined) throw fail('validationFailed', 'agent must be an agent with an identifier')
  const rows = await queryStatements(db, { wanted: [{ key, roles: rolesFor('related_agents') }], limit: LOOKED_AT })
  const own = identify(agent)
  const names = rows
    .flatMap((row) => agentsIn(show(row)))
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
