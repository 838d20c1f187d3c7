import { hasCode } from '../../kernel/database/database.ts'
import type { TestApp } from '../testing/testing.ts'

const DEADLOCK = '40P01'
const MAX_TRIES = 10

/**
 * Lists tables with their columns, except generated columns. For partitioned tables, only the parent table is listed.
 */
const LIST_TABLES = `
  select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
   group by c.relname order by c.relname`

/** Installs triggers, which record the name of each table that a statement writes to. */
const INSTALL = `
  create table if not exists snapshot_writes (name text not null);
  create or replace function note_write() returns trigger language plpgsql as $$ begin
    execute format('insert into %I.snapshot_writes values (%L)', tg_table_schema, tg_table_name); return null; end $$;
  do $$ declare name regclass; begin
    for name in select oid from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
                and relname <> 'snapshot_writes' loop
      execute format('create or replace trigger note_write after insert or update or delete on %s execute function note_write()', name);
    end loop; end $$`

/** Tables that requests write to even if they are refused, and those of the search, which a job keeps up to date. */
const LOGS = [
  ...['app_requests', 'audit_entries', 'browsers', 'jobs', 'sessions', 'sign_in_failures'],
  ...['findable_users', 'search_words', 'search_words_left'],
]
/** Tables that are updated in the background after events. */
const FOLLOWERS = /^(activities|deliver|events?_|events$|notification_inboxes$|notifications$|plugin_addresses|shares$|statement)/
/** This table is written some time after a request, so it is not restored. */
const LATE = 'app_requests'

interface Table {
  readonly columns: string
  /** All rows as JSON; null for an empty table. */
  readonly rows: string | null
}

/**
 * The rows of production at one moment. A test can ask which tables have changed since then, and restore them, which is
 * much cheaper than a new database. Triggers do not run while rows are restored.
 */
export class Snapshot {
  readonly #app: TestApp
  readonly #tables: ReadonlyMap<string, Table>
  /** SQL that resets all sequences, so that new rows get the same ids each time. */
  readonly #resetSequences: string

  private constructor(app: TestApp, tables: ReadonlyMap<string, Table>, resetSequences: string) {
    this.#app = app
    this.#tables = tables
    this.#resetSequences = resetSequences
  }

  static async take(app: TestApp): Promise<Snapshot> {
    await app.sql(INSTALL)
    const tables = (await app.sql(LIST_TABLES)).filter(({ name }) => name !== 'snapshot_writes')
    const rows = new Map(
      (await app.sql(tables.map(({ name }) => selectRows(String(name))).join(' union all '))).map(({ name, rows }) => [
        name,
        rows as string | null,
      ]),
    )
    const sequences = await app.sql(
      `select format('setval(%L, %s, %s)', sequencename, coalesce(last_value, start_value), case when last_value is null then 'false' else 'true' end) as reset
         from pg_sequences where schemaname = current_schema()`,
    )
    await app.sql('delete from snapshot_writes')
    return new Snapshot(
      app,
      new Map(
        tables.map(({ name, columns }) => [String(name), { columns: String(columns), rows: rows.get(name) ?? null }]),
      ),
      `select ${sequences.map(({ reset }) => reset).join()}`,
    )
  }

  #rowsOf(table: string): string | null | undefined {
    return this.#tables.get(table)?.rows
  }

  async #listWritten(): Promise<string[]> {
    const written = await this.#app.sql('select distinct name from snapshot_writes order by name')
    return written.map(({ name }) => String(name)).filter((name) => this.#tables.has(name))
  }

  /**
   * Returns the rows of tables that differ from the snapshot, except logs. Equal results before and after a request
   * show that it changed nothing.
   */
  async readWritten({ withStatements = false } = {}): Promise<Record<string, unknown>> {
    const isIgnored = (name: string) => LOGS.includes(name) || (!withStatements && FOLLOWERS.test(name))
    const written = (await this.#listWritten()).filter((name) => !isIgnored(name))
    if (written.length === 0) return {}
    const rows = await this.#app.sql(`${written.map(selectRows).join(' union all ')} order by name`)
    const isChanged = (name: unknown, rows: unknown) => rows !== this.#rowsOf(String(name))
    return Object.fromEntries(
      rows.filter(({ name, rows }) => isChanged(name, rows)).map(({ name, rows }) => [name, rows]),
    )
  }

  /** Restores this snapshot. `latest` is the snapshot that was taken or restored last. */
  async restore(latest: Snapshot): Promise<void> {
    const differing = [...this.#tables.keys()].filter((name) => this.#rowsOf(name) !== latest.#rowsOf(name))
    for (let tries = 1; tries <= MAX_TRIES; tries++)
      try {
        const written = new Set([...(await this.#listWritten()), ...differing].filter((name) => name !== LATE))
        if (written.size > 0) await this.#app.sql(this.#restoring([...written]))
        return
      } catch (error) {
        if (!hasCode(error, DEADLOCK) || tries === MAX_TRIES) throw error
      }
  }

  /**
   * Returns the SQL that restores tables. The lock waits for background work that is still writing to them, and keeps
   * more of it away. If another table was written meanwhile, the SQL fails, and the caller repeats it with that table.
   */
  #restoring(written: readonly string[]): string {
    const writes = written.map((name) => {
      const { columns, rows } = this.#tables.get(name)!
      const insert = `insert into ${name} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${name}, '${rows?.replaceAll("'", "''")}')`
      return `delete from ${name}${rows === null ? '' : `; ${insert}`}`
    })
    const others = [...this.#tables.keys()].filter((name) => name !== LATE && !written.includes(name))
    return `lock table ${written.join(', ')} in exclusive mode; set local session_replication_role = replica;
      do $$ begin if exists (select from snapshot_writes where name = any('{${others.join()}}')) then
        raise exception 'another table was written' using errcode = '${DEADLOCK}'; end if; end $$;
      ${writes.join('; ')}; delete from snapshot_writes; ${this.#resetSequences}`
  }
}

const selectRows = (table: string): string =>
  `select '${table}' as name, json_agg(t order by t::text)::text as rows from ${table} t`
