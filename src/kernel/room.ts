import type { Config } from './config.ts'
import type { Db, Tx } from './database/database.ts'
import type { Retention } from './database/retention.ts'
import type { Report } from './database/statement.ts'
import { type Environment, provided } from './environment.ts'
import type { Consumer } from './events/consumers.ts'
import type { Forget } from './forget.ts'
import type { GaugeDescription } from './http/interface.ts'
import type { Operation } from './http/operation.ts'
import type { Page } from './http/pages/page.ts'
import type { ImportSection, ImportTie } from './imports/section.ts'
import type { JobKind } from './jobs/jobs.ts'

/**
 * A table with personal data: how the download and account deletion treat it, for docs/your-data.md. A test finds
 * undeclared tables.
 */
interface PersonalTable {
  /** Its place in the download, or the reason why it is not there. */
  readonly inExport: string
  /** The rows that remain after the account is deleted. */
  readonly whenDeleted: string
}

/** A file in a person's download. It is streamed. */
export interface ExportFile {
  readonly path: string
  readonly chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>
  /** True for contents that are already compressed, such as images. */
  readonly isPacked?: boolean
}

/** A room's part of a person's download: one JSON value or list, or files. */
export type ExportPart = { readonly file: string; readonly about: string } & (
  | { read(db: Db, personId: number): Promise<unknown> | AsyncIterable<unknown> }
  | { readFiles(db: Db, personId: number): AsyncIterable<ExportFile> }
)

/** Periodic work in small steps. Several processes may run it at once. */
export interface Upkeep {
  readonly name: string
  /** By default every few minutes, with the rest of the upkeep. */
  readonly everyMs?: number
  /** Runs after expired rows were deleted, because it depends on what is left. */
  readonly isAfterRetention?: boolean
  /** Also run at startup, if it has its own interval. */
  readonly isFirstAtOnce?: boolean
  run(environment: Environment): Promise<unknown>
}

/** A search by name: `words` are LIKE patterns (see `src/kernel/database/words.ts`), `typed` is the whole input. */
export interface NameSearch {
  readonly person: number
  readonly words: string[]
  readonly typed: string
  readonly limit: number
}

/** Finds a room's objects by name, among those that the person may see. */
export interface Finder {
  readonly kind: string
  find(
    db: Db,
    search: NameSearch,
  ): Promise<
    readonly { readonly id: string; readonly within?: string; readonly name: string; readonly about: string }[]
  >
}

/** A finder that is one statement. */
export const byName =
  <Row extends Awaited<ReturnType<Finder['find']>>[number]>(
    statement: Report<{ person: number; words: string[]; limit: number }, Row>,
  ): Finder['find'] =>
  (db, { person, words, limit }) =>
    db.all(statement, { person, words, limit })

/**
 * A room's description of itself. The platform goes through the list of rooms in src/app.ts; nothing else knows them
 * all.
 */
export interface Room {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly pages?: readonly Page[]
  /** One sentence for each area of the API that begins in this room. */
  readonly areas?: Readonly<Record<string, string>>
  readonly gauges?: readonly GaugeDescription[]
  readonly personalTables?: Readonly<Record<string, PersonalTable>>
  readonly exports?: readonly ExportPart[]
  readonly forget?: Forget
  readonly finders?: readonly Finder[]
  /** Lists in the import file, and fields that this room adds to entries of other lists, by the name of the list. */
  readonly importSections?: readonly ImportSection[]
  readonly importTies?: Readonly<Record<string, readonly ImportTie[]>>
  /** Runs after each part of an import, in its transaction. */
  afterImport?(tx: Tx): Promise<void>
  retention?(config: Config): readonly Retention[]
  readonly upkeep?: readonly Upkeep[]
  readonly jobs?: readonly JobKind<Environment>[]
  readonly consumers?: readonly Consumer<Environment>[]
  /** Runs before the first request. */
  start?(environment: Environment): Promise<void>
}

/** All rooms, for code that goes through them. */
export const allRooms = provided<readonly Room[]>('the rooms')
