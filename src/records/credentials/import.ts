import { type Static, Type } from 'typebox'
import { hashSecret, MAX_SECRETS, secretHashKeys } from '../../apps/apps/secrets.ts'
import { type Field, Line, Matching, PLAIN } from '../../kernel/imports/fields.ts'
import { type ImportSection, lineOf, type StoredEntry } from '../../kernel/imports/section.ts'
import { makeKey } from './keys.ts'
import { SCOPES, type Scope } from './scopes.ts'
import * as store from './store.ts'

const ImportedKey = Type.Object({
  key: Matching(
    '^[A-Za-z0-9_-]{22}$',
    '22 letters, digits, _ or -',
    'The key without its prefix, which is `gs_key_` in production and `gs_sbx_key_` in the sandbox',
  ),
  name: Line(200, 'Name of the key', { minLength: 1 }),
  scopes: Type.Array(Type.Enum([...SCOPES]), {
    minItems: 1,
    uniqueItems: true,
    must: `a list of some of ${SCOPES.join(', ')}`,
    about: 'Scopes of the key',
  } satisfies Field),
  secrets: Type.Optional(
    Type.Array(Type.String({ pattern: PLAIN, minLength: 8, maxLength: 200 }), {
      maxItems: MAX_SECRETS,
      uniqueItems: true,
      must: `a list of at most ${MAX_SECRETS} texts of 8 to 200 characters`,
      about: 'In plain text here, stored hashed; without one an administrator has to create a secret',
    } satisfies Field),
  ),
})
/** An entry of the import file. Once read, its secrets are replaced by `hiddenSecrets`, their hashes in hexadecimal. */
type KeyEntry = Static<typeof ImportedKey> & { readonly hiddenSecrets?: readonly string[] }
interface PlannedKey {
  readonly name: string
  readonly scopes: Scope[]
  readonly secrets: readonly string[]
}

/** Imports keys of the record store. An existing key is left unchanged, so that a file cannot restore a revoked key. */
export const credentialSection: ImportSection<KeyEntry, StoredEntry, PlannedKey> = {
  name: 'credentials',
  one: 'key of the record store',
  key: 'key',
  schema: ImportedKey,

  async find(db, keys, environment) {
    const keyOf = new Map(keys.map((key) => [makeKey(environment, key), key]))
    const rows = await db.all(store.findImported, { keys: [...keyOf.keys()] })
    return rows.map(({ id, key }) => ({ id, key: keyOf.get(key)! }))
  },

  prepare: async () => ({
    hide({ secrets = [], ...entry }, _known, get) {
      const hiddenSecrets = secrets.map((secret) => hashSecret(secret, get(secretHashKeys)[0]!).toString('hex'))
      return { ...entry, hiddenSecrets }
    },
  }),

  plan: ({ name, scopes, hiddenSecrets = [] }, found) => ({
    change: { name: lineOf(name), scopes, secrets: hiddenSecrets },
    isSame: found !== undefined,
  }),

  async write(tx, who, changes, { environment }) {
    const made: StoredEntry[] = []
    for (const { key, change } of changes) {
      const { name, scopes, secrets } = change
      const fields = { name, scopes, authority: null, library: false, expires: null, person: null, now: who.at }
      const row = await tx.first(store.insertCredential, { key: makeKey(environment, key), ...fields })
      for (const hash of secrets)
        await tx.first(store.insertSecret, { credential: row!.id, hash: Buffer.from(hash, 'hex'), now: who.at })
      made.push({ id: row!.id, key })
    }
    return made
  },
}
