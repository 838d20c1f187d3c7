import { StartupError } from '../../kernel/errors.ts'
import { examine, judge } from '../doctor/doctor.ts'
import type { Finding, Level } from '../doctor/facts.ts'
import { command, JSON_OPTION, layOut, print, UsageError } from './command.ts'
import { withDatabase } from './database.ts'

const MARKS: Readonly<Record<Level, string>> = { ok: 'ok', warning: 'WARNING', problem: 'PROBLEM' }

export const doctor = command({
  about: 'Check the database, its standbys and the settings, and say what to change.',
  args: [],
  options: {
    patroni: { type: 'string', value: 'URLS', about: 'REST APIs of Patroni, separated by commas' },
    platform: { type: 'string', value: 'URLS', about: 'Processes of the platform, separated by commas' },
    processes: { type: 'string', value: 'N', about: 'Number of processes (default: those of --platform, or 1)' },
    json: JSON_OPTION,
  },
  notes: `It changes nothing. It reads the database of DATABASE_URL, the standbys of DATABASE_READ_URL, and with METRICS_TOKEN
the metrics of the processes. The exit code is 0 if there is nothing to change, otherwise 1.`,
  examples: [
    'doctor',
    'doctor --patroni http://10.0.0.1:8008,http://10.0.0.2:8008 --platform http://10.0.1.1:4000,http://10.0.1.2:4000',
  ],
  run: async (_args, values) => {
    const patroni = readAddresses('patroni', values.patroni)
    const platforms = readAddresses('platform', values.platform)
    const processes = readCount(values.processes) ?? Math.max(1, platforms.length)
    const findings = await withDatabase(async (connection, config) =>
      judge(await examine(connection, config, { patroni, platforms, processes })),
    )
    print(values.json ? JSON.stringify({ findings }, null, 2) : describe(findings).join('\n'))
    const count = findings.filter(({ level }) => level !== 'ok').length
    if (count > 0)
      throw new StartupError(count === 1 ? 'There is 1 thing to change' : `There are ${count} things to change`)
  },
})

const describe = (findings: readonly Finding[]): string[] =>
  layOut(
    findings.flatMap(({ check, subject, level, found, change }): [string, string][] => [
      [MARKS[level], `${check}, ${subject}: ${found}`],
      ...(change === undefined ? [] : [['', `→ ${change}`] as [string, string]]),
    ]),
  )

function readAddresses(option: string, text = ''): string[] {
  const addresses = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const address of addresses)
    if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
      throw new UsageError(`--${option} must be http or https URLs, separated by commas`)
  return addresses
}

function readCount(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`--processes must be a whole number from 1 to 9999, not '${text}'`)
  return text === undefined ? undefined : Number(text)
}
