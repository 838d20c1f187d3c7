import { StartupError } from '../../errors.ts'

const IN_USE = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/

/** Known reasons why PostgreSQL does not start, with advice for the operator. The first matching entry is used. */
const CAUSES: [pattern: RegExp, advice: (subject: Subject) => string][] = [
  [
    /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT|database or disk is full/,
    ({ path }) => `The disk that holds ${path} is full: free some space and start again`,
  ],
  [
    /error while loading shared libraries|Library not loaded|cannot open shared object file|symbol lookup error/,
    () =>
      'A library of the operating system that PostgreSQL needs is missing: install it, or set DATABASE_URL to your own PostgreSQL',
  ],
  [IN_USE, ({ path }) => `Another PostgreSQL is running in ${path}: stop it and start again`],
  [
    /could not look up effective user ID/,
    () => 'PostgreSQL needs a user that is listed in /etc/passwd: start as such a user, or set DATABASE_URL',
  ],
  [
    /Unix-domain socket path .* too long|could not (create|bind) Unix|could not create lock file ".*\.s\.PGSQL/,
    () => 'PostgreSQL cannot create its socket: set TMPDIR to a directory with a short path that its user can write to',
  ],
  [
    /database files are incompatible|initialized by PostgreSQL version/,
    ({ path }) =>
      `The database in ${path} was created by another PostgreSQL: start the platform version that created it, or restore a backup into an empty DATA_DIR`,
  ],
  [
    /could not locate a valid checkpoint record|invalid data in file|invalid (primary )?checkpoint|control file .* corrupt|incorrect checksum|could not open file "global\/pg_control"/,
    ({ path }) => `The database in ${path} is damaged: restore a backup into an empty DATA_DIR`,
  ],
  [
    /unrecognized configuration parameter|configuration file ".*" contains errors|invalid value for parameter|could not load .*pg_hba\.conf/,
    ({ path }) => `The settings in ${path} are not valid: correct postgresql.conf or pg_hba.conf there`,
  ],
  [
    /could not (map|create|resize) .*shared memory|Cannot allocate memory|ENOMEM/,
    () => 'There is not enough memory for PostgreSQL: free some, or lower shared_buffers in its postgresql.conf',
  ],
  [
    /Permission denied|Operation not permitted|wrong ownership|invalid permissions|EACCES|EPERM|EROFS|Read-only file system|readonly database|unable to open database file/,
    ({ path, userName }) =>
      `User ${userName} cannot use ${path}: give it to that user (chown -R ${userName}), or set DATA_DIR to a directory that it owns`,
  ],
]

/** True if PostgreSQL did not start because an earlier server on the same cluster has not exited yet. */
export const isInUse = (error: unknown): boolean => error instanceof StartupError && IN_USE.test(error.message)

interface Subject {
  /** The data directory, as the operator configured it. */
  path: string
  userName: string
}

/** Finds the line of PostgreSQL's output that names the problem, and removes the timestamp and process id. */
function findTellingLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const telling =
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /error|could not|cannot|not found|failed/i.test(line)) ??
    lines.at(-1)
  return telling?.replace(/^[\d-]+ [\d:.]+ \w+ \[\d+\] /, '').trim()
}

/**
 * Explains in one sentence why PostgreSQL did not start and what to do about it. `output` is what PostgreSQL printed.
 */
export function explainOutput(output: string, subject: Subject, logPath: string): StartupError {
  const line = findTellingLine(output)
  const said = line ? ` (PostgreSQL said: ${line})` : ''
  const cause = CAUSES.find(([pattern]) => pattern.test(line ?? '')) ?? CAUSES.find(([pattern]) => pattern.test(output))
  return new StartupError(`${cause?.[1](subject) ?? `PostgreSQL did not start: see ${logPath}`}${said}`)
}

/** Explains an error from the file system or from starting a process. Unknown errors are returned unchanged. */
export function explainFailure(error: unknown, subject: Subject): unknown {
  if (error instanceof StartupError || !(error instanceof Error)) return error
  const cause = CAUSES.find(([pattern]) => pattern.test(error.message))
  return cause ? new StartupError(`${cause[1](subject)} (${error.message})`, { cause: error }) : error
}
