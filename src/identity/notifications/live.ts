import { type PersonCaller, personKey } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { service } from '../../kernel/environment.ts'
import { Feed, type FeedSource } from '../../kernel/feeds/feed.ts'
import type { EventSink } from '../../kernel/feeds/sink.ts'
import { countUnread, toNotification } from './notifications.ts'
import * as store from './store.ts'

const MAX_STREAMS_OF_PERSON = 50
/** A client that has missed more than this many reads the list again. */
const MOST_NEW = 20

/** Streams a person's notifications to their open pages. The id of an event is the position of the inbox. */
class NotificationFeed extends Feed<undefined> {
  readonly #db: Db

  constructor(db: Db, total: number) {
    super(sourceOf(db), total)
    this.#db = db
  }

  async open({ personId }: PersonCaller, lastEventId: string): Promise<(sink: EventSink) => void> {
    const isResumed = /^\d{1,15}$/.test(lastEventId)
    // The position is read before the count, so that a change between the two is sent again instead of being missed.
    const position = (await this.#db.all(store.listPositions, { people: [personId] }))[0]?.position ?? 0
    const ready = await countUnread(this.#db, personId)
    const seen = isResumed ? Number(lastEventId) : position
    return this.follow({
      key: personId,
      follower: undefined,
      counts: [{ key: personKey(personId), most: MAX_STREAMS_OF_PERSON, whose: 'A user' }],
      seen,
      first: { id: seen, event: 'ready', data: JSON.stringify(ready) },
    })
  }
}

const sourceOf = (db: Db): FeedSource<undefined> => {
  const readPosition = async (person: number) =>
    (await db.all(store.listPositions, { people: [person] }))[0]?.position ?? 0
  const readChange = async (person: number, after: number, last: number) => {
    const rows = await db.all(store.listNew, { person, after, last, limit: MOST_NEW })
    const notifications = rows.flatMap((row) =>
      row.position === null ? [] : [toNotification(row as RowOf<typeof store.listShown>)],
    )
    const data = JSON.stringify({ notifications, unread: rows[0]!.unread })
    return { id: last, event: 'change', data }
  }
  return {
    look: async (people) => {
      const rows = await db.all(store.listPositions, { people: [...people] })
      return new Map(rows.map(({ person_id, position }) => [person_id, position]))
    },
    // The stream ends when the sign-in does, so there is nothing more to check.
    readAccess: async (person) => ({ last: await readPosition(person), accessOf: () => 0 }),
    read: async (person, after, last) => [await readChange(person, after, last)],
    // Only for a position that does not exist, as after a restored backup.
    readWhole: async (person) => {
      const last = await readPosition(person)
      const change = await readChange(person, last, last)
      return () => change
    },
  }
}

export const notificationFeed = service(
  ({ db, config }) => new NotificationFeed(db, config.STREAM_LIMIT),
  (feed) => feed.close(),
)
