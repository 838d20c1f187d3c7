import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from './database.ts'
import { findBinaries } from './embedded/binaries.ts'
import { adoptCluster, findCluster } from './embedded/cluster.ts'
import { startEmbedded } from './embedded/embedded.ts'
import { findServiceUser, makePrivateDirectory } from './embedded/place.ts'
import { type Supervised, supervise } from './embedded/server.ts'
import { runSql, until } from './test-database.ts'

const PRIMARY_SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: '4',
  hot_standby: 'on',
  shared_buffers: '16MB',
  fsync: 'off',
}

export interface Pair {
  readonly primary: Connection
  readonly standby: Connection
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  /** Resolves when the standby has everything that the primary has committed. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** Starts a primary and a real standby of it, which follows by streaming. Both run the embedded PostgreSQL. */
export async function startPair(): Promise<Pair> {
  const dir = await mkdtemp(join(tmpdir(), 'gs-'))
  await chmod(dir, 0o755)
  const log = () => {}
  const dataDir = join(dir, 'a')
  const first = await startEmbedded({ dataDir, log, settings: PRIMARY_SETTINGS })
  await first.stop()
  const cluster = (await findCluster(dataDir))!
  const user = await findServiceUser(cluster.ownerUid)
  const copy = join(dir, 'b')
  await makePrivateDirectory(copy, user)
  // The server is stopped, so a copy of its files is a valid backup.
  await cp(cluster.path, copy, { recursive: true, preserveTimestamps: true })
  await writeFile(join(copy, 'standby.signal'), '')
  const running = await startEmbedded({ dataDir, log, settings: PRIMARY_SETTINGS })
  const binaries = await findBinaries(dataDir, user, log)
  // Root made the copy, and PostgreSQL does not run as root.
  if (user.ids.uid !== undefined) await adoptCluster({ path: copy, ownerUid: -1 }, user, binaries)
  const sockets = join(dir, 's')
  await makePrivateDirectory(sockets, user)
  await chmod(sockets, 0o755)

  const standby = { ...running.connection, host: sockets }
  let server: Supervised | undefined
  const startStandby = async () => {
    const settings = {
      ...PRIMARY_SETTINGS,
      listen_addresses: '',
      unix_socket_directories: sockets,
      primary_conninfo: `host=${running.connection.host} user=${running.connection.user}`,
      // Queries on the standby give way to its replay at once.
      max_standby_streaming_delay: '0',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    server = await supervise(binaries.postgres, ['-D', copy, ...args], { user, logPath: join(dir, 'b.log') })
    await until('the standby accepts connections', () =>
      runSql(standby, 'select').then(
        () => true,
        () => false,
      ),
    )
  }
  const stopStandby = async () => {
    server?.release()
    await server?.exited
    server = undefined
  }
  await startStandby()
  return {
    primary: running.connection,
    standby,
    startStandby,
    stopStandby,
    caughtUp: async () => {
      const [row] = await runSql(running.connection, 'select pg_current_wal_flush_lsn()::text as lsn')
      const reached = `select pg_last_wal_replay_lsn() >= '${row!.lsn}' as is`
      await until('the standby has caught up', async () => (await runSql(standby, reached))[0]!.is === true)
    },
    close: async () => {
      await stopStandby()
      await running.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
