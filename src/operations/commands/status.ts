import { ENVIRONMENTS, readConfig } from '../../kernel/config.ts'
import { StartupError } from '../../kernel/errors.ts'
import { findAddress, findListening } from '../../kernel/installation/installation.ts'
import { command, JSON_OPTION, layOut, print } from './command.ts'
import { findRunning, openCommandLog, refuseEarlier, refuseMissing, withEnvironments } from './database.ts'

/** Time limit for a response: long enough for a platform under load, but short enough for a waiting person. */
const ANSWER_MS = 5_000

export const status = command({
  about: 'Show whether the platform is running, and its URLs.',
  args: [],
  options: { json: JSON_OPTION },
  notes:
    'It checks the platform of DATA_DIR or DATABASE_URL, and starts nothing. The exit code is 0 if both environments are ready, otherwise 1.',
  examples: ['status', 'status --json'],
  run: async (_args, values) => {
    const config = readConfig()
    const place = config.DATABASE_URL ? 'DATABASE_URL' : config.DATA_DIR
    const connection = await findRunning(config)
    if (connection) await refuseEarlier(connection)
    const found = connection ? await withEnvironments(config, connection, openCommandLog(), describeAll) : []
    const isRunning = found.length > 0 && found.every(({ isReady }) => isReady)
    if (values.json) print(JSON.stringify({ place, running: isRunning, environments: found.map(toJson) }, null, 2))
    else if (found.length > 0) print(layOut(found.map(describe)).join('\n'))
    if (!isRunning) {
      refuseMissing(config)
      throw new StartupError(
        connection
          ? `No platform is running for ${place}: start it with npx groundschool start`
          : `The platform of ${place} is not running: start it with npx groundschool start`,
      )
    }
  },
})

interface EnvironmentStatus {
  readonly name: string
  readonly address: string | undefined
  readonly isReady: boolean
}

const describeAll: Parameters<typeof withEnvironments<EnvironmentStatus[]>>[3] = (environments) =>
  Promise.all(
    ENVIRONMENTS.map(async (name) => {
      const { db } = environments.find((one) => one.name === name)!
      const [address, listening] = [await findAddress(db), await findListening(db)]
      const answers = await Promise.all([address, listening].map((place) => place !== undefined && isReady(place)))
      return { name, address, isReady: answers.includes(true) }
    }),
  )

const isReady = (address: string): Promise<boolean> =>
  fetch(`${address.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')}/readyz`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  }).then(
    ({ ok }) => ok,
    () => false,
  )

const toJson = ({ name, address, isReady }: EnvironmentStatus) => ({ name, address: address ?? null, ready: isReady })
const describe = ({ name, address, isReady }: EnvironmentStatus): [string, string] => [
  name,
  `${address ?? 'never started'}\t${isReady ? 'ready' : 'does not respond'}`,
]
