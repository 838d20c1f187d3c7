import {
  type Activity,
  CONTEXT_ACTIVITIES,
  type Definition,
  isActivity,
  isSubStatement,
  type Statement,
  type SubStatement,
  toArray,
} from './statement.ts'

type DefinedActivity = Activity & { readonly definition: Definition }

/** Lists the activities in a statement and its sub-statement: objects and context activities. */
export function activitiesIn({ object, context }: Statement | SubStatement): Activity[] {
  const around = CONTEXT_ACTIVITIES.flatMap((kind) => toArray(context?.contextActivities?.[kind] ?? []))
  if (isSubStatement(object)) return [...activitiesIn(object), ...around]
  return isActivity(object) ? [object, ...around] : around
}

export const definedIn = (statement: Statement): DefinedActivity[] =>
  activitiesIn(statement).filter((activity): activity is DefinedActivity => activity.definition !== undefined)

/**
 * Merges two definitions. Language maps and extensions are merged entry by entry; for other properties the newer value
 * wins.
 */
export function mergeDefinitions(known: Definition | undefined, newer: Definition): Definition {
  if (!known) return newer
  const merged = { ...known, ...newer }
  for (const map of ['name', 'description', 'extensions'] as const)
    if (known[map] && newer[map]) Object.assign(merged, { [map]: { ...known[map], ...newer[map] } })
  return merged
}
