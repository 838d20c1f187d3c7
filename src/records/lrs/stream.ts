import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { Feed, type FeedEvent, type FeedSource } from '../../kernel/feeds/feed.ts'
import type { EventSink } from '../../kernel/feeds/sink.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { readClock, showText, storedOf, type Wanted } from '../statements/query.ts'
import { choose } from './chosen.ts'
import { readPage } from './reading.ts'
import type { StreamStatements } from './schema.ts'

const MAX_STREAMS = 50
/** What is behind reads on so soon. */
const CATCH_UP_MS = 5
/** Voided ones as well: what was told once is told to everybody who begins before it, in the same order, and what voids it follows. */
const PAGE = { limit: 500, most: 128 * 1024, voided: true }

/** What some follow: the same filters share a number here, and what is read for one of them. */
interface Choice {
  readonly key: number
  readonly wanted: readonly Wanted[]
  followers: number
}

/** Tells followers which statements were accepted, whichever process took them. Numbers become visible in their order, so whoever has seen one has missed nothing below. */
export class StatementStream extends Feed<undefined> {
  readonly #db: Db
  readonly #choices: Choices

  constructor(db: Db, total: number) {
    const choices = new Choices()
    super(sourceOf(db, choices), total)
    this.#db = db
    this.#choices = choices
  }

  /** A stream that is new begins now, or after `since`; one that resumes, after what was seen. */
  async open(
    who: StoreCaller,
    { lastEventId, ...what }: StreamStatements & { lastEventId: string | undefined },
  ): Promise<(sink: EventSink) => void> {
    const { wanted, after } = choose(who, what)
    const seen = readNumber(lastEventId) ?? (what.since === undefined ? await readClock(this.#db) : after)
    const choice = this.#choices.take(wanted)
    const leave = () => this.#choices.leave(choice)
    try {
      const start = this.follow({
        key: choice.key,
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

/** Zero is where nothing was seen; what is no number is not ours. */
const readNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

const reached = (event: 'ready' | 'reset', id: number): FeedEvent => ({
  id,
  event,
  data: JSON.stringify({ through: storedOf(id) }),
})

class Choices {
  readonly #byText = new Map<string, Choice>()
  readonly #byKey = new Map<number, Choice>()
  #last = 0

  take(wanted: readonly Wanted[]): Choice {
    const text = JSON.stringify(wanted)
    const choice = this.#byText.get(text) ?? { key: ++this.#last, wanted, followers: 0 }
    choice.followers++
    this.#byText.set(text, choice)
    this.#byKey.set(choice.key, choice)
    return choice
  }

  leave(choice: Choice): void {
    if (--choice.followers > 0) return
    this.#byText.delete(JSON.stringify(choice.wanted))
    this.#byKey.delete(choice.key)
  }

  wantedBy(key: number): readonly Wanted[] {
    return this.#byKey.get(key)!.wanted
  }
}

function sourceOf(db: Db, choices: Choices): FeedSource<undefined> {
  let newest = 0
  return {
    catchUpMs: CATCH_UP_MS,
    look: async (keys) => {
      newest = await readClock(db)
      return new Map(keys.map((key) => [key, newest]))
    },
    readAccess: async () => ({ last: newest, accessOf: () => 0 }),
    read: async (key, after, last) => {
      const { rows, isFull } = await readPage(db, { wanted: choices.wantedBy(key), after, upTo: last }, PAGE)
      const events = rows.map((row): FeedEvent => ({ id: row.seq, event: 'statement', data: showText(row) }))
      return isFull ? events : [...events, { id: last, event: 'nothing more', data: '', isSilent: true }]
    },
    // They have seen more than there is: of another installation, or of one that was restored since.
    readWhole: async () => () => reached('reset', newest),
  }
}

export const statementStream = service(
  ({ db, config }) => new StatementStream(db, config.STREAM_LIMIT),
  (stream) => stream.close(),
)
