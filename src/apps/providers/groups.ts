import type { GROUP_ROLES } from './schema.ts'

/** Groups beyond this number are not read. */
const MAX_GROUPS_READ = 1000

interface GroupRole {
  readonly group: string
  readonly role: (typeof GROUP_ROLES)[number]
}

/** The settings of a provider that say which group gives which role. */
export interface GroupSettings {
  /** The claim with the groups of a person; null if roles are set by hand. */
  readonly groups_claim: string | null
  /** A list of `GroupRole` as JSON. */
  readonly group_roles: string
}

/** Reads the groups of a person. The claim may be a list, a single name, or missing. */
function groupsIn(claims: Readonly<Record<string, unknown>>, { groups_claim: claim }: GroupSettings): string[] {
  const value = claim === null || !Object.hasOwn(claims, claim) ? [] : claims[claim]
  const list: unknown[] = Array.isArray(value) ? value.slice(0, MAX_GROUPS_READ) : [value]
  return list.filter((group) => typeof group === 'string')
}

/** Returns the role of a person with these claims; undefined if roles are set by hand. */
export function roleIn(claims: Readonly<Record<string, unknown>>, settings: GroupSettings): string | undefined {
  if (settings.groups_claim === null) return undefined
  const groups = new Set(groupsIn(claims, settings))
  const rules = JSON.parse(settings.group_roles) as GroupRole[]
  return rules.find(({ group }) => groups.has(group))?.role ?? 'member'
}
