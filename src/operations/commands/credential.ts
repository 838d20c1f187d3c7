import type { EnvironmentName } from '../../kernel/config.ts'
import type { Environment } from '../../kernel/environment.ts'
import {
  addSecret,
  changeCredential,
  dropOldSecrets,
  listCredentials,
  makeCredential,
  revokeCredential,
} from '../../records/credentials/managing.ts'
import { SCOPES } from '../../records/credentials/scopes.ts'
import {
  type CommandGroup,
  command,
  DROP_OLD_OPTION,
  IN_PRODUCTION as environment,
  JSON_OPTION,
  print,
  printList,
  readSwitch,
  tell,
  UsageError,
} from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'

/** Runs the work in the environment that the key belongs to. */
const withKey = (key: string, work: (environment: Environment) => Promise<void>): Promise<void> => {
  const name: EnvironmentName = key.startsWith('gs_sbx_') ? 'sandbox' : 'production'
  return withEnvironment(name, work)
}

const options = {
  scope: { type: 'string', multiple: true, value: 'SCOPE', about: `One of ${SCOPES.join(', ')}` },
  expires: { type: 'string', value: 'DATE', about: 'Expiry date, from which the key is refused, such as 2027-01-31' },
} as const

function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(Date.parse(text)))
    throw new UsageError(`--expires must be a date such as 2027-01-31, not '${text}'`)
  return new Date(text).toISOString()
}

function readAgent(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--authority must be an xAPI agent as JSON, such as {"mbox": "mailto:lab@example.org"}')
  }
}

const add = command({
  about: 'Create a key of the record store, and print it with its secret. The secret is shown only once.',
  args: ['NAME'],
  options: {
    ...options,
    authority: {
      type: 'string',
      value: 'JSON',
      about: 'Agent that becomes the authority of its statements (default: an account named after the key)',
    },
    library: { type: 'boolean', default: false, about: 'Allow only verbs of the library' },
    environment,
  },
  notes: 'Tools send the key as user name and the secret as password (HTTP Basic).',
  examples: [
    "credential add 'Simulator 3' --scope statements/write --scope statements/read/mine",
    "credential add 'Reports' --scope statements/read --expires 2027-01-31 --environment sandbox",
  ],
  run: async ([name], values) => {
    if (!values.scope) throw new UsageError('--scope is missing')
    const what = {
      name: name!,
      scopes: values.scope,
      ...defined({ authority: readAgent(values.authority), expiresDate: readDate(values.expires) }),
      usesLibrary: values.library,
    }
    await withEnvironment(
      values.environment,
      async (found) => {
        const { key, secret } = await makeCredential(found.db, operator(), what, found)
        print(`key     ${key}`)
        print(`secret  ${secret}`)
      },
      { mayMakeKey: true },
    )
  },
})

const update = command({
  about: 'Update a key. Options that you leave out stay the same.',
  args: ['KEY'],
  options: {
    name: { type: 'string', value: 'TEXT', about: 'Name of the key' },
    ...options,
    'never-expires': { type: 'boolean', default: false, about: 'Delete the expiry date' },
    suspend: { type: 'boolean', default: false, about: 'Suspend the key until --resume' },
    resume: { type: 'boolean', default: false, about: 'Resume the key' },
    library: { type: 'string', value: 'on|off', about: 'Allow only verbs of the library' },
  },
  examples: ['credential update gs_key_… --suspend', 'credential update gs_key_… --scope statements/read'],
  run: async ([key], values) => {
    if (values.suspend && values.resume) throw new UsageError('Use either --suspend or --resume, not both')
    const what = defined({
      name: values.name,
      scopes: values.scope,
      expiresDate: readDate(values.expires),
      neverExpires: values['never-expires'] || undefined,
      suspended: values.suspend ? true : values.resume ? false : undefined,
      usesLibrary: readSwitch('library', values.library),
    })
    if (Object.keys(what).length === 0) throw new UsageError('Use at least one option, such as --suspend')
    await withKey(key!, async (found) => {
      const { name, status, scopes, expiresDate } = await changeCredential(
        found.db,
        operator(),
        { key: key!, ...what },
        found,
      )
      print([key, status, scopes.join(' '), expiresDate ?? 'never expires', name].join('\t'))
    })
  },
})

const revoke = command({
  about: 'Revoke a key permanently. The statements that it sent stay.',
  args: ['KEY'],
  options: {},
  examples: ['credential revoke gs_key_…'],
  run: ([key]) =>
    withKey(key!, async ({ db }) => {
      await revokeCredential(db, operator(), { key: key! })
      print(`${key} was revoked.`)
    }),
})

const rotate = command({
  about: 'Create a second secret for a key. Both work until --drop-old revokes the old one.',
  args: ['KEY'],
  options: {
    'drop-old': DROP_OLD_OPTION,
  },
  examples: ['credential rotate gs_key_…', 'credential rotate gs_key_… --drop-old'],
  run: ([key], values) =>
    withKey(key!, async (found) => {
      const what = { key: key! }
      if (values['drop-old']) {
        await dropOldSecrets(found.db, operator(), what, found)
        print('Only the newest secret is left.')
        return
      }
      const { secret } = await addSecret(found.db, operator(), what, found)
      print(`secret  ${secret}`)
      tell(`The old secret works until you run: npx groundschool credential rotate ${key} --drop-old`)
    }),
})

const AT_ONCE = 100

const list = command({
  about: 'List the keys of the record store, separated by tabs: key, status, scopes, last use, name.',
  args: [],
  options: { environment, json: JSON_OPTION },
  examples: ['credential list', 'credential list --environment sandbox --json'],
  run: (_args, values) =>
    withEnvironment(values.environment, (found) =>
      printList(listAll(found), values.json, {
        line: ({ key, status, scopes, secrets, name }) => {
          const used = secrets
            .map(({ lastUsedDate }) => lastUsedDate ?? '')
            .sort()
            .at(-1)
          return [key, status, scopes.join(' '), used ? `last used ${used}` : 'never used', name].join('\t')
        },
        json: (listed) => listed,
      }),
    ),
})

async function* listAll(found: Environment) {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const listed = await listCredentials(found.db, operator(), { page, limit: AT_ONCE }, found)
    pages = listed.pages
    yield* listed.docs
  }
}

/** Removes fields whose value is undefined. */
const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

export const credential: CommandGroup = {
  about: 'Manage keys of the record store and their secrets.',
  verbs: { add, list, update, rotate, revoke },
}
