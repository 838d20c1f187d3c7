import {
  type Facts,
  type Finding,
  isFleet,
  report,
  type ServerFacts,
  serversOf,
  settingOf,
  subjectOf,
} from './facts.ts'

interface SettingRule {
  readonly name: string
  readonly isWrong: (value: string, facts: Facts, server: ServerFacts) => boolean
  readonly level: 'warning' | 'problem'
  readonly why: string
  readonly change: string
  /** Where the setting matters; on the primary by default. */
  readonly on?: 'standbys'
}

const is =
  (...values: string[]): SettingRule['isWrong'] =>
  (value) =>
    values.includes(value)

const SETTING_RULES: readonly SettingRule[] = [
  {
    name: 'fsync',
    isWrong: is('off'),
    level: 'problem',
    why: 'a crash of the machine can destroy the database',
    change: 'alter system set fsync = on',
  },
  {
    name: 'full_page_writes',
    isWrong: is('off'),
    level: 'problem',
    why: 'a crash of the machine can destroy pages of the database',
    change: 'alter system set full_page_writes = on',
  },
  {
    name: 'synchronous_commit',
    isWrong: is('off'),
    level: 'problem',
    why: 'a crash loses changes that were already confirmed to clients',
    change: 'alter system set synchronous_commit = on',
  },
  {
    name: 'synchronous_commit',
    isWrong: (value, facts) => ['local', 'remote_write'].includes(value) && isFleet(facts),
    level: 'problem',
    why: 'a failover can lose changes that were already confirmed to clients',
    change: 'alter system set synchronous_commit = on',
  },
  {
    name: 'synchronous_standby_names',
    isWrong: (value, facts) => value === '' && isFleet(facts),
    level: 'problem',
    why: 'no standby is synchronous, so a failover loses the last changes',
    change: 'Set synchronous_mode: true in Patroni, or synchronous_standby_names in PostgreSQL',
  },
  {
    name: 'wal_level',
    isWrong: is('minimal'),
    level: 'warning',
    why: 'there can be no standby and no archive',
    change: 'alter system set wal_level = replica, then restart the server',
  },
  {
    name: 'archive_mode',
    isWrong: (value, facts) => value === 'off' && isFleet(facts),
    level: 'warning',
    why: 'the database cannot be restored to a moment between two backups',
    change: 'Archive the write-ahead log, for example with pgBackRest',
  },
  {
    name: 'max_slot_wal_keep_size',
    isWrong: (value, _, { slots = [] }) => value === '-1' && slots.length > 0,
    level: 'warning',
    why: 'a standby that is away makes the primary keep its log until the disk is full',
    change: "alter system set max_slot_wal_keep_size = '50GB', or less than the free space",
  },
  {
    name: 'data_checksums',
    isWrong: is('off'),
    level: 'warning',
    why: 'damage by a disk is not noticed',
    change: 'Stop the server and run pg_checksums --enable',
  },
  {
    name: 'autovacuum',
    isWrong: is('off'),
    level: 'problem',
    why: 'tables grow without end, and the server stops writes some day',
    change: 'alter system set autovacuum = on',
  },
  {
    name: 'track_counts',
    isWrong: is('off'),
    level: 'problem',
    why: 'autovacuum does not work without it',
    change: 'alter system set track_counts = on',
  },
  {
    name: 'max_standby_streaming_delay',
    on: 'standbys',
    isWrong: (value, { settings }) => Number(value) < 0 || Number(value) > settings.lagSeconds * 1000,
    level: 'warning',
    why: 'one long report lets the standby fall further behind than DATABASE_READ_LAG_SECONDS allows',
    change: 'alter system set max_standby_streaming_delay to at most DATABASE_READ_LAG_SECONDS',
  },
]

/** Settings of the database servers that lose data, or stop the platform some day. */
export const settingRules = (facts: Facts): readonly (Finding | undefined)[] => [
  ...SETTING_RULES.flatMap((rule) =>
    (rule.on === 'standbys' ? facts.readers.filter(({ identity }) => identity?.isStandby) : [facts.primary]).map(
      (server) => {
        const value = settingOf(server, rule.name)
        return value === undefined || !rule.isWrong(value, facts, server)
          ? undefined
          : report(rule.name, subjectOf(server), rule.level, `is ${value || 'empty'}: ${rule.why}`, rule.change)
      },
    ),
  ),
  ...serversOf(facts).flatMap((server) =>
    Object.entries(server.settings ?? {})
      .filter(([, { needsRestart }]) => needsRestart)
      .map(([name]) =>
        report(name, subjectOf(server), 'warning', 'was changed, but not yet in effect', 'Restart the server'),
      ),
  ),
]
