import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { Feed, type FeedEvent, type FeedSource } from '../../kernel/feeds/feed.ts'
import type { EventSink } from '../../kernel/feeds/sink.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { timestampOf } from '../statements/model/times.ts'
import { presentText, readClock, type WantedKey } from '../statements/query/query.ts'
import { readPage } from './reading.ts'
import type { StreamStatements } from './schema.ts'
import { selectStatements } from './selection.ts'

const MAX_STREAMS = 50
/** The pause before a follower that is behind gets the next page. */
const CATCH_UP_MS = 5
/**
 * Statements that were voided later are included, so that all followers get the same sequence. The voiding statement
 * comes later in the stream.
 */
const PAGE = { limit: 500, most: 128 * 1024, voided: true }

/** The filters that some followers share. Their events are read once for all of these followers. */
interface SharedSelection {
  readonly key: number
  readonly wanted: readonly WantedKey[]
  followers: number
}

/**
 * Streams the statements that any process stores. Sequence numbers become visible in ascending order, so a follower
 * that has seen a `seq` has missed no statement before it.
 */
class StatementStream extends Feed<undefined> {
  readonly #db: Db
  readonly #selections: SharedSelections

  constructor(db: Db, total: number) {
    const selections = new SharedSelections()
    super(sourceOf(db, selections), total)
    this.#db = db
    this.#selections = selections
  }

  /**
   * Opens a stream. It starts after `lastEventId` if it resumes, else after `since` if given, else with statements
   * stored from now on.
   */
  async open(
    who: StoreCaller,
    { lastEventId, ...what }: StreamStatements & { lastEventId: string | undefined },
  ): Promise<(sink: EventSink) => void> {
    const { wanted, after } = selectStatements(who, what)
    const seen = readNumber(lastEventId) ?? (what.since === undefined ? await readClock(this.#db) : after)
    const selection = this.#selections.take(wanted)
    const leave = () => this.#selections.leave(selection)
    try {
      const start = this.follow({
        key: selection.key,
        follower: undefined,
        counts: [{ key: who.senderKey, most: MAX_STREAMS, whose: 'A caller' }],
        seen,
        first: reached('ready', seen),
      })
      return (sink) => {
        sink.onClose(leave)
        start(sink)
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** Parses the `seq` in an event id; undefined if the id is not one of this stream. */
const readNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

const reached = (event: 'ready' | 'reset', id: number): FeedEvent => ({
  id,
  event,
  data: JSON.stringify({ through: timestampOf(id) }),
})

class SharedSelections {
  readonly #byText = new Map<string, SharedSelection>()
  readonly #byKey = new Map<number, SharedSelection>()
  #last = 0

  take(wanted: readonly WantedKey[]): SharedSelection {
    const text = JSON.stringify(wanted)
    const selection = this.#byText.get(text) ?? { key: ++this.#last, wanted, followers: 0 }
    selection.followers++
    this.#byText.set(text, selection)
    this.#byKey.set(selection.key, selection)
    return selection
  }

  leave(selection: SharedSelection): void {
    if (--selection.followers > 0) return
    this.#byText.delete(JSON.stringify(selection.wanted))
    this.#byKey.delete(selection.key)
  }

  wantedBy(key: number): readonly WantedKey[] {
    return this.#byKey.get(key)!.wanted
  }
}

function sourceOf(db: Db, selections: SharedSelections): FeedSource<undefined> {
  let newest = 0
  return {
    catchUpMs: CATCH_UP_MS,
    look: async (keys) => {
      newest = await readClock(db)
      return new Map(keys.map((key) => [key, newest]))
    },
    readAccess: async () => ({ last: newest, accessOf: () => 0 }),
    read: async (key, after, last) => {
      const { rows, isFull } = await readPage(db, { wanted: selections.wantedBy(key), after, upTo: last }, PAGE)
      const events = rows.map((row): FeedEvent => ({ id: row.seq, event: 'statement', data: presentText(row) }))
      return isFull ? events : [...events, { id: last, event: 'nothing more', data: '', isSilent: true }]
    },
    // The follower's last `seq` is greater than the newest one here: it comes from another installation, or the
    // database was restored from a backup. Tell the follower to reset.
    readWhole: async () => () => reached('reset', newest),
  }
}

export const statementStream = service(
  ({ db, config }) => new StatementStream(db, config.STREAM_LIMIT),
  (stream) => stream.close(),
)
