import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { makeClientId } from '../apps/apps.ts'
import { appSection } from '../apps/import.ts'
import { readContents } from '../classes/contents.ts'
import { ID_PATTERN } from '../courses/schema.ts'
import type { RowOf } from '../database/statement.ts'
import { type Field, PLAIN } from '../imports/fields.ts'
import type { Found, ImportTie } from '../imports/section.ts'
import { normaliseHandle } from '../people/handles.ts'
import { peopleSection } from '../people/import.ts'
import { bases, senderKeyOf, VERSION } from './capture.ts'
import { type Bases, translateV1 } from './capture-rules.ts'
import * as store from './import-store.ts'
import { type NewStatement, storeInTransaction } from './storing.ts'

const MAX_STATEMENTS = 100_000

const Plain = (maxLength: number) => Type.String({ pattern: PLAIN, minLength: 1, maxLength })
const Record = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' }),
    handle: Plain(31),
    /** Through which it came. */
    app: Plain(60),
    lesson: Type.String({ pattern: ID_PATTERN, maxLength: 64 }),
    verb: Type.String({ pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N} -]*$', maxLength: 100 }),
    details: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z][\\w-]{0,59}$' }),
        Type.Union([Plain(1000), Type.Number(), Type.Boolean()]),
        { maxProperties: 20 },
      ),
    ),
    timestamp: Type.String({ pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$' }),
  },
  { additionalProperties: false },
)
type Record = Static<typeof Record>
const shape = Compile(Record)

interface ClassEntry {
  readonly key: string
  readonly statements?: unknown
}

const recordsOf = ({ statements }: Partial<ClassEntry>): [number, Record][] =>
  Array.isArray(statements) ? [...statements.entries()].filter(([, one]) => shape.Check(one)) : []

/** What apps said about students of a class, as `POST /edu/v1/xapi/statement` takes it: history, told to nobody as news. */
export const statementTie: ImportTie<ClassEntry, Found, ReadonlySet<string>, readonly Record[]> = {
  field: 'statements',
  schema: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_STATEMENTS,
      must: `a list of at most ${MAX_STATEMENTS} statements`,
      about: 'Statements to add, recognised by id; existing ones stay as they are (see below)',
    } satisfies Field),
  ),
  when: 'after',
  isAdded: true,

  *check(classes, now) {
    const seen = new Set<string>()
    for (const [i, entry] of classes.entries()) {
      const place = `classes[${i}].statements`
      for (const [j, one] of Array.isArray(entry.statements) ? entry.statements.entries() : [])
        for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
          yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
      for (const [j, { id, timestamp }] of recordsOf(entry)) {
        if (seen.has(id)) yield `${place}[${j}].id: must be another: ${id} is there twice`
        seen.add(id)
        if (!(Date.parse(timestamp) <= now.getTime())) yield `${place}[${j}].timestamp: must be a time that is past`
      }
    }
  },

  *refer(entry, place) {
    for (const [j, { handle, app }] of recordsOf(entry)) {
      yield { place: `${place}.statements[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
      yield { place: `${place}.statements[${j}].app`, to: appSection, key: app }
    }
  },

  async checkHere(db, classes, world) {
    if (!classes.some((entry) => recordsOf(entry).length > 0)) return []
    const contentsOf = await readContents(db, classes, world)
    return classes.flatMap((entry, i) =>
      recordsOf(entry).flatMap(([j, { handle, lesson }]) => {
        const [place, contents] = [`classes[${i}].statements[${j}]`, contentsOf(entry)]
        return [
          ...(contents.hasStudent(handle) ? [] : [`${place}.handle: must be a student of the class`]),
          ...(contents.hasLesson(lesson) ? [] : [`${place}.lesson: must be a lesson of the class`]),
        ]
      }),
    )
  },

  async read(db, classes) {
    const ids = classes.flatMap(({ entry }) => recordsOf(entry).map(([, { id }]) => id))
    return new Set((await db.all(store.findIds, { ids })).map((row) => row.statement_id))
  },
  plan(entry, _found, known) {
    const added = recordsOf(entry).flatMap(([, one]) => (known.has(one.id) ? [] : [one]))
    return added.length > 0 ? added : undefined
  },
  pick: (_entry, added) => added,

  async write(tx, who, changes, { environment, get, idOf }) {
    const known = get(bases)
    const all = changes.flatMap(({ id, change }) =>
      change.map((one) => ({ one, class_id: id, person_id: idOf(peopleSection, normaliseHandle(one.handle)) })),
    )
    const rows = all.map(({ one, ...ids }, place) => ({ place, ...ids, lesson: one.lesson, at: one.timestamp }))
    const found = await tx.all(store.findAbout, { rows: JSON.stringify(rows) })
    const bySender = Map.groupBy(found, ({ place }) => `${all[place]!.one.app} ${all[place]!.person_id}`)
    for (const group of bySender.values()) {
      const { one, person_id: personId } = all[group[0]!.place]!
      const appId = idOf(appSection, one.app)
      const sender = { at: who.at, appId, homePage: known.homePage, senderKey: senderKeyOf({ appId, personId }) }
      const clientId = makeClientId(environment, one.app)
      const statements = group.map((row) => makeStatement(known, { ...all[row.place]!.one, clientId, personId }, row))
      await storeInTransaction(tx, sender, statements)
    }
  },
}

/** As if the app had sent it. */
function makeStatement(
  known: Bases,
  sent: Record & { readonly clientId: string; readonly personId: number },
  row: RowOf<typeof store.findAbout>,
): NewStatement {
  const { id, verb, lesson, details, timestamp, clientId, personId } = sent
  const ids = { lessonId: lesson, classId: row.class, studentId: row.student, lessonResultId: row.attempt }
  const { statement } = translateV1(known, { verb, object: { ...details, ...ids }, timestamp })
  const accountOf = (name: string) => ({
    objectType: 'Agent' as const,
    account: { homePage: known.homePage, name },
  })
  return {
    statement: { ...statement, id, actor: accountOf(row.handle), authority: accountOf(clientId), version: VERSION },
    links: {
      person: personId,
      sender: personId,
      course: row.course_id,
      lesson: row.lesson_id,
      class: row.class_id,
      enrolment: row.enrolment_id,
      ...(row.attempt_id === null ? {} : { attempt: row.attempt_id }),
    },
  }
}
