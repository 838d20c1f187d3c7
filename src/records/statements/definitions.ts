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

type Defined = Activity & { readonly definition: Definition }

/** The activities in a statement, and in the one inside it. */
export function activitiesIn({ object, context }: Statement | SubStatement): Activity[] {
  const around = CONTEXT_ACTIVITIES.flatMap((kind) => toArray(context?.contextActivities?.[kind] ?? []))
  if (isSubStatement(object)) return [...activitiesIn(object), ...around]
  return isActivity(object) ? [object, ...around] : around
}

export const definedIn = (statement: Statement): Defined[] =>
  activitiesIn(statement).filter((activity): activity is Defined => activity.definition !== undefined)

/** Maps of languages and extensions are put together, entry by entry; everything else is what was said last. */
export function mergeDefinitions(known: Definition | undefined, said: Definition): Definition {
  if (!known) return said
  const merged = { ...known, ...said }
  for (const map of ['name', 'description', 'extensions'] as const)
    if (known[map] && said[map]) Object.assign(merged, { [map]: { ...known[map], ...said[map] } })
  return merged
}
