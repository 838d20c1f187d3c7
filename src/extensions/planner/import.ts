import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { makeClientId } from '../../apps/apps/apps.ts'
import { appSection } from '../../apps/apps/import.ts'
import { organisationSection } from '../../apps/organisations/import.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import { type Field, Line, Texts } from '../../kernel/imports/fields.ts'
import { type ImportSection, lineOf, type StoredEntry, textsIn } from '../../kernel/imports/section.ts'
import { ImportId } from '../../learning/courses/import.ts'
import type { Source } from './schema.ts'
import * as store from './store.ts'

const [MAX_PEOPLE, MAX_ENGINES] = [100, 5]
const Share = Type.Number({ minimum: 0, maximum: 1 })
const PlannedPerson = Type.Object(
  {
    handle: Type.String({ minLength: 1, maxLength: 31 }),
    score: Share,
    engines: Type.Array(
      Type.Object(
        {
          app: Type.String({ minLength: 1, maxLength: 60 }),
          name: Type.String({ minLength: 1, maxLength: 200 }),
          score: Share,
          reasons: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }),
          weights: Type.Optional(Type.Array(Share, { maxItems: 20 })),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_ENGINES },
    ),
  },
  { additionalProperties: false },
)
type PlannedPerson = Static<typeof PlannedPerson>
const shape = Compile(PlannedPerson)

const ImportedPlan = Type.Object({
  key: ImportId('The planId'),
  owner: Line(31, 'Handle of the user who owns the plan', { minLength: 1 }),
  name: Line(200, 'Name of the plan', { minLength: 1 }),
  text: Line(2000, 'The mission, in plain words', { minLength: 1 }),
  notes: Type.Optional(Line(5000, 'Notes of its owner; empty by default')),
  organisations: Texts(100, 60, 'a list of at most 100 keys of organisations', 'Organisations that were searched'),
  people: Type.Array(Type.Unknown(), {
    maxItems: MAX_PEOPLE,
    must: `a list of at most ${MAX_PEOPLE} users, each with handle, score and engines`,
    about:
      'Users in the plan, and why: `{"handle": "@avery", "score": 0.8, "engines": [{"app": "demo-ai", "name": "Demo engine", "score": 0.8, "reasons": ["Holds the badge Safety first."], "weights": [0.8]}]}`; scores and weights are from 0 to 1',
  } satisfies Field),
  created: Type.String({
    pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$',
    must: 'a time in UTC, such as 2026-05-01T12:00:00Z',
    about: 'When it was created',
  } satisfies Field),
})
type PlanEntry = Static<typeof ImportedPlan>

const peopleOf = ({ people }: Partial<PlanEntry>): [number, PlannedPerson][] =>
  Array.isArray(people)
    ? ([...people.entries()].filter(([, one]) => shape.Check(one)) as [number, PlannedPerson][])
    : []

/** An import only adds new plans: it never changes a plan that already exists. */
export const planSection: ImportSection<PlanEntry, StoredEntry, PlanEntry> = {
  name: 'plans',
  one: 'plan',
  key: 'key',
  schema: ImportedPlan,

  *check(entry, place, now) {
    for (const [j, one] of Array.isArray(entry.people) ? entry.people.entries() : [])
      for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
        yield `${place}.people[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
    for (const [j, { engines }] of peopleOf(entry))
      for (const [k, { reasons, weights = reasons }] of engines.entries())
        if (weights.length !== reasons.length)
          yield `${place}.people[${j}].engines[${k}].weights: must be one for each reason`
    if (typeof entry.created === 'string' && !(Date.parse(entry.created) <= now.getTime()))
      yield `${place}.created: must be in the past`
  },

  *refer(entry, place) {
    if (typeof entry.owner === 'string')
      yield { place: `${place}.owner`, to: peopleSection, key: normaliseHandle(entry.owner) }
    for (const [j, key] of textsIn(entry.organisations))
      yield { place: `${place}.organisations[${j}]`, to: organisationSection, key }
    for (const [j, { handle, engines }] of peopleOf(entry)) {
      yield { place: `${place}.people[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
      for (const [k, { app }] of engines.entries())
        yield { place: `${place}.people[${j}].engines[${k}].app`, to: appSection, key: app }
    }
  },

  find: (db, keys) => db.all(store.findImported, { keys }),
  plan: (entry, found) => ({ change: entry, isSame: found !== undefined }),

  async write(tx, _who, changes, { environment, idOf }) {
    const rows = changes.map(({ key, change: { owner, name, text, notes = '', organisations, created } }) => ({
      ...{ key, text, notes, created, name: lineOf(name) },
      person_id: idOf(peopleSection, normaliseHandle(owner)),
      organisations: organisations.map((one) => idOf(organisationSection, one)),
    }))
    const made = await tx.all(store.insertImported, { rows: JSON.stringify(rows) })
    const people = changes.flatMap(({ key, change }) =>
      peopleOf(change).map(([, { handle, score, engines }]) => ({
        plan: key,
        person_id: idOf(peopleSection, normaliseHandle(handle)),
        score,
        sources: engines.map(({ app, ...source }): Source => ({ clientId: makeClientId(environment, app), ...source })),
      })),
    )
    await tx.all(store.insertImportedPeople, { rows: JSON.stringify(people) })
    return made
  },
}
