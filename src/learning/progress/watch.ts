import { type Member, personKey } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { Feed, type FeedSource } from '../../kernel/feeds/feed.ts'
import type { EventSink } from '../../kernel/feeds/sink.ts'
import type { ClassChange, ClassState, StudentState } from './schema.ts'
import * as store from './watch-store.ts'

const MAX_STREAMS_OF_PERSON = 50
/** A person who may no longer watch the class is disconnected within this time. */
const RECHECK_MS = 500

interface Watcher {
  readonly personId: number
  readonly classKey: string
}

/**
 * Streams the activity of a class's students to people who may watch the class. The id of a change is the id of its
 * event in the log.
 */
class ClassWatch extends Feed<Watcher> {
  readonly #db: Db

  constructor(db: Db, total: number) {
    super(classSource(db), total)
    this.#db = db
  }

  /**
   * Opens a stream. A new stream starts with the state of all students, a resumed stream with the changes that it
   * missed.
   */
  async open(
    who: Member,
    { classId, lastEventId }: { classId: string; lastEventId: string },
  ): Promise<(sink: EventSink) => void> {
    const found = await this.#db.first(store.findWatched, { person: who.personId, class: classId })
    if (!found?.may_watch) throw fail('forbidden', 'You do not have permission to watch this class')
    // The id 0 means that the client has seen no event, so the stream starts as a new one.
    const isResumed = /^[1-9]\d{0,14}$/.test(lastEventId)
    const seen = isResumed ? Number(lastEventId) : found.newest
    const students = isResumed ? undefined : await readStudents(this.#db, found.class_id)
    return this.follow({
      key: found.class_id,
      follower: { personId: who.personId, classKey: classId },
      counts: [{ key: personKey(who.personId), most: MAX_STREAMS_OF_PERSON, whose: 'A user' }],
      seen,
      first: { id: seen, event: 'ready', data: JSON.stringify({ classId, students }) },
    })
  }
}

const classSource = (db: Db): FeedSource<Watcher> => ({
  recheckMs: RECHECK_MS,
  look: async (classes) => {
    const rows = await db.all(store.listNewest, { classes: [...classes] })
    return new Map(rows.map((row) => [row.class_id, row.newest]))
  },
  readAccess: async (id, watchers) => {
    const people = [...new Set(watchers.map(({ personId }) => personId))]
    const rows = await db.all(store.listWatchers, { class: id, people })
    const may = new Set(rows.map(({ person_id }) => person_id))
    return {
      last: rows[0]?.newest ?? 0,
      accessOf: ({ personId, classKey }) =>
        may.has(personId) ? 0 : { event: 'removed', data: JSON.stringify({ classId: classKey }) },
    }
  },
  read: async (id, after, last) => {
    const rows = await db.all(store.listClassChanges, { class: id, after, last })
    // The last event that the client saw is no longer in the log, so later events may be missing too.
    if (!rows[0]?.is_kept) return undefined
    return rows.map((row) => ({
      id: row.id,
      event: 'change',
      data: row.student === null ? '' : JSON.stringify(presentChange(row as ChangeRow)),
      // The student has deleted their account since the event.
      isSilent: row.student === null,
    }))
  },
  readWhole: async (id) => {
    const [found] = await db.all(store.listNewest, { classes: [id] })
    if (!found) return () => undefined
    const students = await readStudents(db, id)
    return ({ classKey: classId }) => ({
      id: found.newest,
      event: 'reset',
      data: JSON.stringify({ classId, students } satisfies ClassState),
    })
  },
})

/** Reads the students of a class, each with their open attempt, or else their latest. */
const readStudents = async (db: Db, id: number): Promise<StudentState[]> =>
  (await db.all(store.listStates, { class: id })).map((row) => ({
    ...presentStudent(row),
    lessonId: row.lesson,
    ...presentWork(row),
  }))

interface ChangeRow {
  readonly kind: string
  readonly student: string
  readonly handle: string
  readonly first_name: string
  readonly last_name: string
  readonly lesson: string | null
  readonly objective: string | null
  readonly state: string | null
  readonly result: string | null
  readonly score: number | null
  readonly at: string
}

const presentChange = (row: ChangeRow): ClassChange => ({
  kind: row.kind,
  ...presentStudent(row),
  lessonId: row.lesson,
  objectiveId: row.objective,
  ...presentWork(row),
})

const presentStudent = (row: Pick<ChangeRow, 'student' | 'handle' | 'first_name' | 'last_name'>) => ({
  studentId: row.student,
  handle: row.handle,
  name: `${row.first_name} ${row.last_name}`.trim(),
})

const presentWork = (row: {
  state: string | null
  result: string | null
  score: number | null
  at: string | null
}) => ({
  state: row.state,
  result: row.result,
  score: row.score,
  changedDate: row.at,
})

export const classWatch = service(
  ({ db, config }) => new ClassWatch(db, config.STREAM_LIMIT),
  (watch) => watch.close(),
)
