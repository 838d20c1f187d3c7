import { listUnusedSecrets, resealSecrets } from '../../apps/apps/apps.ts'
import { secretSeal } from '../../apps/apps/secrets.ts'
import { resealProviders } from '../../apps/providers/providers.ts'
import { resealSigningKeys } from '../../apps/signing/keys.ts'
import { keepUserHandles, relyingParty } from '../../identity/passkeys/passkeys.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { readConfig } from '../../kernel/config.ts'
import type { Environment } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { adoptSecretKey } from '../../kernel/installation/installation.ts'
import { addKeyToFile, findSecretKeys, keyFileOf, makeSecretKey } from '../../kernel/secret-keys.ts'
import { listUnusedKeys } from '../../records/credentials/managing.ts'
import { type CommandGroup, command, print } from './command.ts'
import { refuseEarlier, withDatabase, withEnvironments } from './database.ts'
import { operator } from './operator.ts'

const add = command({
  about: 'Add a new secret key before the current one. The platform uses it after a restart.',
  args: [],
  options: {},
  notes:
    'It changes DATA_DIR/secret.key. If SECRET_KEY is set, it only prints a new key; put it before the current one, separated by a comma.',
  examples: ['key add'],
  run: async () => {
    const config = readConfig()
    if (config.SECRET_KEY) {
      print(makeSecretKey())
      return
    }
    if (!findSecretKeys(config))
      throw new StartupError(`There is no file ${keyFileOf(config)}: set DATA_DIR to the folder of your platform`)
    addKeyToFile(config)
    print(`${keyFileOf(config)} has a new key before the current one.`)
    print('Restart the platform, then run: npx groundschool key rotate')
  },
})

const rotate = command({
  about: 'Re-encrypt stored secrets with the first secret key, and show when the other keys can be removed.',
  args: [],
  options: {},
  notes:
    'It can be repeated. Client secrets switch to the new key when they are next used, because only their hashes are stored.',
  examples: ['key rotate'],
  run: () =>
    withDatabase(async (connection, config, log) => {
      await refuseEarlier(connection)
      const [secretKey] = findSecretKeys(config) ?? []
      if (!secretKey)
        throw new StartupError(`There is no file ${keyFileOf(config)}: set SECRET_KEY, or DATA_DIR to its folder`)
      await withEnvironments(config, connection, log, async (environments) => {
        for (const environment of environments) await rotateIn(environment, secretKey)
      })
      print('Keep the previous key for another day: messages that are waiting to be sent may need it.')
    }),
})

/** Number of names that one line lists. */
const LISTED = 20

async function rotateIn({ db, name, get }: Environment, secretKey: Buffer): Promise<void> {
  await keepUserHandles(db, get(relyingParty))
  const resealed = await resealSecrets(db, get(secretSeal))
  const resealedKeys = await resealSigningKeys(db, get(secretSeal))
  const resealedProviders = await resealProviders(db, get(secretSeal))
  const who = operator()
  const since = await adoptSecretKey(db, who, { secretKey, environment: name })
  await recordAudit(db, who, { action: 'secret-key.rotated' })
  print(`${name}\tplugin secrets re-encrypted: ${resealed}`)
  if (resealedKeys > 0) print(`${name}\tsigning keys re-encrypted: ${resealedKeys}`)
  if (resealedProviders > 0) print(`${name}\tsecrets of sign-in providers re-encrypted: ${resealedProviders}`)
  if (!since) return
  const what = { since, limit: LISTED }
  const unused = [...(await listUnusedSecrets(db, what)), ...(await listUnusedKeys(db, what))]
  print(
    unused.length === 0
      ? `${name}\tall client secrets use the new key`
      : `${name}\tnot used with the new key yet: ${unused.join(', ')}`,
  )
}

export const key: CommandGroup = {
  about: 'Change the secret key of the platform.',
  verbs: { add, rotate },
}
