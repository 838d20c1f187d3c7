import type { Config } from './config.ts'
import type { Db } from './database/database.ts'
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

/** A table that holds something of a person: what becomes of it, for docs/your-data.md. A test finds tables that nobody has named. */
interface PersonalTable {
  /** Where it is in the download, or why it is not. */
  readonly inExport: string
  /** What is left when the account is deleted. */
  readonly whenDeleted: string
}

/** A file in a person's download, written as it is read. */
export interface ExportFile {
  readonly path: string
  readonly chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>
  /** Images are as small as they get. */
  readonly isPacked?: boolean
}

/** What a room puts into a person's download: one value or a list, as JSON; or files of its own. */
export type ExportPart = { readonly file: string; readonly about: string } & (
  | { read(db: Db, personId: number): Promise<unknown> | AsyncIterable<unknown> }
  | { readFiles(db: Db, personId: number): AsyncIterable<ExportFile> }
)

/** Work that is done again and again, a little at a time. Several processes may do it at once. */
export interface Upkeep {
  readonly name: string
  /** Every few minutes, with the rest of the upkeep, where nothing is said. */
  readonly everyMs?: number
  /** Goes by what is left once old rows are removed. */
  readonly isAfterRetention?: boolean
  /** Also once at the start, where it has a rhythm of its own. */
  readonly isFirstAtOnce?: boolean
  run(environment: Environment): Promise<unknown>
}

/** What somebody looks for: `words` are patterns (see `src/kernel/database/words.ts`), `typed` is all of it as it was typed. */
export interface Wanted {
  readonly person: number
  readonly words: string[]
  readonly typed: string
  readonly limit: number
}

/** Finds things of a room by their names, among what the person may see. */
export interface Finder {
  readonly kind: string
  find(
    db: Db,
    wanted: Wanted,
  ): Promise<
    readonly { readonly id: string; readonly within?: string; readonly name: string; readonly about: string }[]
  >
}

/** Where one statement finds them. */
export const byName =
  <Row extends Awaited<ReturnType<Finder['find']>>[number]>(
    statement: Report<{ person: number; words: string[]; limit: number }, Row>,
  ): Finder['find'] =>
  (db, { person, words, limit }) =>
    db.all(statement, { person, words, limit })

/** What a room is to the rest of the house. The platform walks the list of rooms in src/app.ts, and nothing else has to know them all. */
export interface Room {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly pages?: readonly Page[]
  /** A sentence for each area of the interface that begins here. */
  readonly areas?: Readonly<Record<string, string>>
  readonly gauges?: readonly GaugeDescription[]
  readonly personalTables?: Readonly<Record<string, PersonalTable>>
  readonly exports?: readonly ExportPart[]
  readonly forget?: Forget
  readonly finders?: readonly Finder[]
  /** Lists of the import file, and fields that this room adds to entries of others, by the name of their list. */
  readonly importSections?: readonly ImportSection[]
  readonly importTies?: Readonly<Record<string, readonly ImportTie[]>>
  /** After each part of an import, in its transaction. */
  afterImport?(tx: Db): Promise<void>
  retention?(config: Config): readonly Retention[]
  readonly upkeep?: readonly Upkeep[]
  readonly jobs?: readonly JobKind<Environment>[]
  readonly consumers?: readonly Consumer<Environment>[]
  /** Before the first request. */
  start?(environment: Environment): Promise<void>
}

/** Every room of the house, for those that walk them. */
export const allRooms = provided<readonly Room[]>('the rooms')
