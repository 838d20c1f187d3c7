import { type Static, Type } from 'typebox'
import { makeClientId } from '../../../apps/apps/apps.ts'
import { appSection } from '../../../apps/apps/import.ts'
import { normaliseHandle } from '../../../identity/people/handles.ts'
import { peopleSection } from '../../../identity/people/import.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { PLAIN } from '../../../kernel/imports/fields.ts'
import { RecordId, RecordTime, recordTie } from '../../../learning/classes/import-records.ts'
import { accountAgent, type Bases, bases, MADE_VERSION, senderKeyOf } from '../model/names.ts'
import type { NewStatement } from '../storing/schema.ts'
import { storeInTransaction } from '../storing/storing.ts'
import * as store from './import-store.ts'
import { translateV1 } from './rules.ts'

const Plain = (maxLength: number) => Type.String({ pattern: PLAIN, minLength: 1, maxLength })
const ImportedStatement = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' }),
    handle: Plain(31),
    app: Plain(60),
    lesson: RecordId,
    verb: Type.String({ pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N} -]*$', maxLength: 100 }),
    details: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z][\\w-]{0,59}$' }),
        Type.Union([Plain(1000), Type.Number(), Type.Boolean()]),
        { maxProperties: 20 },
      ),
    ),
    timestamp: RecordTime,
  },
  { additionalProperties: false },
)
type ImportedStatement = Static<typeof ImportedStatement>

/** Imports statements of apps about the students of a class, in the form of `POST /edu/v1/xapi/statement`. */
export const statementTie = recordTie<typeof ImportedStatement, ImportedStatement>({
  field: 'statements',
  schema: ImportedStatement,
  times: ['timestamp'],
  refer: ({ app }) => [{ field: 'app', to: appSection, key: app }],
  findIds: async (db, ids) => (await db.all(store.findIds, { ids })).map((row) => row.statement_id),

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
})

/** Makes the same statement as v1 would have stored if the app had sent this one. */
function makeStatement(
  known: Bases,
  sent: ImportedStatement & { readonly clientId: string; readonly personId: number },
  row: RowOf<typeof store.findAbout>,
): NewStatement {
  const { id, verb, lesson, details, timestamp, clientId, personId } = sent
  const ids = { lessonId: lesson, classId: row.class, studentId: row.student, lessonResultId: row.attempt }
  const { statement } = translateV1(known, { verb, object: { ...details, ...ids }, timestamp })
  const agent = (account: string) => accountAgent(known.homePage, account)
  return {
    statement: { ...statement, id, actor: agent(row.handle), authority: agent(clientId), version: MADE_VERSION },
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
