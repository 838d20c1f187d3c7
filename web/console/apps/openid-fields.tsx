import { ActionIcon, Input, Radio, Stack, Text, Textarea } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { App, AppPublicKey } from '../../api/operations.ts'
import { KeyRound, X } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { consoleWords } from '../words.ts'
import { addKeys, algorithmOf, findSecretKey, MAX_KEYS, startOf } from './public-keys.ts'

const { app: say } = consoleWords
const METHODS = ['client_secret', 'private_key_jwt'] as const
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const

interface OpenIdValues {
  method: App['tokenEndpointAuthMethod']
  keys: AppPublicKey[]
  /** Keys that are added when the form is saved. */
  pasted: string
  algorithm: App['idTokenAlgorithm']
}

/** The values of the fields for an app. */
export const openIdValuesOf = ({ tokenEndpointAuthMethod, publicKeys, idTokenAlgorithm }: App): OpenIdValues => ({
  method: tokenEndpointAuthMethod,
  keys: publicKeys,
  pasted: '',
  algorithm: idTokenAlgorithm,
})

/** What the platform is sent. A public client has no keys. */
export const openIdChangeOf = ({ method, keys, pasted, algorithm }: OpenIdValues) => ({
  idTokenAlgorithm: algorithm,
  ...(method !== 'none' && { tokenEndpointAuthMethod: method, publicKeys: addKeys(keys, pasted) }),
})

/** Refuses private keys before anything is sent. */
export function checkPasted(pasted: string): string | null {
  const found = findSecretKey(pasted)
  return found === undefined ? null : say.secretKeys[found]
}

interface OpenIdFieldsProps<V extends OpenIdValues> {
  readonly form: UseFormReturnType<V>
}

/** How an app proves itself, its public keys, and how its ID tokens are signed. */
export function OpenIdFields<V extends OpenIdValues>({ form }: OpenIdFieldsProps<V>) {
  const { method, keys, pasted } = form.values
  const hasKeys = method === 'private_key_jwt' || keys.length > 0 || pasted !== ''
  return (
    <>
      {method !== 'none' && (
        <Radio.Group label={say.method} {...form.getInputProps('method')}>
          <Stack gap="xs" mt="xs">
            {METHODS.map((one) => (
              <Radio key={one} value={one} label={say.methods[one]} description={say.methodsHelp[one]} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {hasKeys && (
        <>
          <PublicKeys
            keys={keys}
            onRemove={(key) => form.setFieldValue('keys' as never, keys.filter((one) => one !== key) as never)}
          />
          <Textarea
            label={say.addKeys}
            description={say.addKeysHelp(MAX_KEYS)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            autoComplete="off"
            {...form.getInputProps('pasted')}
          />
        </>
      )}
      <Radio.Group label={say.algorithm} description={say.algorithmText} {...form.getInputProps('algorithm')}>
        <Stack gap="xs" mt="xs">
          {ALGORITHMS.map((one) => (
            <Radio key={one} value={one} label={one} description={say.algorithms[one]} />
          ))}
        </Stack>
      </Radio.Group>
    </>
  )
}

interface PublicKeysProps {
  readonly keys: readonly AppPublicKey[]
  /** Without it, the keys are only shown. */
  onRemove?(key: AppPublicKey): void
}

/** Lists public keys with their algorithms and ids. */
export const PublicKeys = ({ keys, onRemove }: PublicKeysProps) => (
  <Input.Wrapper label={say.publicKeys} labelElement="div">
    {keys.length === 0 ? (
      <Text size="sm" c="dimmed">
        {say.noKeys}
      </Text>
    ) : (
      <Items label={say.publicKeys}>
        {keys.map((key) => {
          const name = key.kid ?? say.keyWithoutId(startOf(key))
          return (
            <Item
              key={`${key.kid} ${key.n ?? key.x}`}
              lead={<KeyRound size={18} aria-hidden />}
              title={algorithmOf(key)}
              sub={key.kid === undefined ? name : say.keyId(key.kid)}
              action={
                onRemove && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={say.removeKey(name)}
                    onClick={() => onRemove(key)}
                  >
                    <X size={16} aria-hidden />
                  </ActionIcon>
                )
              }
            />
          )
        })}
      </Items>
    )}
  </Input.Wrapper>
)
