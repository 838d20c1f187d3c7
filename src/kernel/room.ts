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
import type { ContentRoute } from './http/request.ts'
import type { ImportSection, ImportTie } from './imports/section.ts'
import type { JobKind } from './jobs/jobs.ts'

/**
 * Declares a table with personal data: how the data download and account deletion treat it, for docs/your-data.md. A
 * test finds tables that are not declared.
 */
interface PersonalTable {
  /** Names the file of the download that contains the data, or the reason why none does. */
  readonly inExport: string
  /** Which rows remain after the account is deleted. */
  readonly whenDeleted: string
}

/** A file in a person's data download. Its contents are streamed. */
export interface ExportFile {
  readonly path: string
  readonly chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>
  /** True for contents that are already compressed, such as images. */
  readonly isPacked?: boolean
}

/** A room's part of a person's data download: one JSON value, a JSON list, or files. */
export type ExportPart = { readonly file: string; readonly about: string } & (
  | { read(db: Db, personId: number): Promise<unknown> | AsyncIterable<unknown> }
  | { readFiles(db: Db, personId: number): AsyncIterable<ExportFile> }
)

/** Periodic work that is done in small steps. Several processes may run it at the same time. */
export interface Upkeep {
  readonly name: string
  /** Interval. By default the work runs every few minutes, together with the other upkeep. */
  readonly everyMs?: number
  /** If true, runs after expired rows are deleted, because the work depends on which rows are left. */
  readonly isAfterRetention?: boolean
  /** If true, also runs at startup. Only for work that has its own interval. */
  readonly isFirstAtOnce?: boolean
  run(environment: Environment): Promise<unknown>
}

/**
 * A search by name. `words` are LIKE patterns (see `src/kernel/database/words.ts`), `typed` is the text as the user
 * typed it.
 */
export interface NameSearch {
  readonly person: number
  readonly words: string[]
  readonly typed: string
  readonly limit: number
}

/** Finds objects of a room by name, among those that the person may see. */
export interface Finder {
  readonly kind: string
  find(
    db: Db,
    search: NameSearch,
  ): Promise<
    readonly { readonly id: string; readonly within?: string; readonly name: string; readonly about: string }[]
  >
}

/** Creates the `find` function of a finder from a single SQL statement. */
export const byName =
  <Row extends Awaited<ReturnType<Finder['find']>>[number]>(
    statement: Report<{ person: number; words: string[]; limit: number }, Row>,
  ): Finder['find'] =>
  (db, { person, words, limit }) =>
    db.all(statement, { person, words, limit })

/**
 * A room's description of itself. The platform iterates over the list of rooms in src/app.ts; no other code knows all
 * rooms.
 */
export interface Room {
  readonly name: string
  readonly operations?: readonly Operation[]
  readonly pages?: readonly Page[]
  /** Routes of the content origin, which serves uploaded files and nothing else. */
  readonly contentRoutes?: readonly ContentRoute[]
  /** One sentence about each area of the API that this room introduces. */
  readonly areas?: Readonly<Record<string, string>>
  readonly gauges?: readonly GaugeDescription[]
  readonly personalTables?: Readonly<Record<string, PersonalTable>>
  readonly exports?: readonly ExportPart[]
  readonly forget?: Forget
  readonly finders?: readonly Finder[]
  /**
   * The room's sections of the import file, and the fields that it adds to entries of other rooms' sections, by section
   * name.
   */
  readonly importSections?: readonly ImportSection[]
  readonly importTies?: Readonly<Record<string, readonly ImportTie[]>>
  /** Runs after each part of an import, in the same transaction. */
  afterImport?(tx: Tx): Promise<void>
  retention?(config: Config): readonly Retention[]
  readonly upkeep?: readonly Upkeep[]
  readonly jobs?: readonly JobKind<Environment>[]
  readonly consumers?: readonly Consumer<Environment>[]
  /** Called before the first request is served. */
  start?(environment: Environment): Promise<void>
}

/** All rooms, for code that has to iterate over them. */
export const allRooms = provided<readonly Room[]>('the rooms')
