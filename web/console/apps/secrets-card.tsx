import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Operation } from '../../api/call.ts'
import type { App } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { SecretShown } from '../../parts/secret-shown.tsx'
import { secretWords } from '../../parts/secret-words.ts'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'

const { app: say } = consoleWords
type ClientOperation<Output> = Operation<{ clientId: string }, Output>

interface SecretsCardProps {
  readonly clientId: string
  readonly secrets: App['secrets']
  /** Explains that two secrets are valid at the same time during a rotation. */
  readonly text: string
  readonly add: ClientOperation<{ clientSecret: string }>
  readonly dropOld: ClientOperation<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: operations have as many types of input as there are
  readonly changes: readonly Operation<any, any>[]
}

/**
 * Lists the secrets of an app or a plugin. To rotate the secret, the person adds a second one, and later revokes the
 * old one.
 */
export function SecretsCard({ clientId, secrets, text, changes, ...operations }: SecretsCardProps) {
  const [secret, setSecret] = useState<string>()
  const [isDropping, setDropping] = useState(false)
  const add = useWrite(operations.add, { changes, onDone: ({ clientSecret }) => setSecret(clientSecret) })
  const drop = useWrite(operations.dropOld, {
    changes,
    onDone: () => {
      setDropping(false)
      notify(say.dropped)
    },
  })
  return (
    <Card
      title={say.secrets}
      isFlush
      action={
        secrets.length > 1 ? (
          <Button variant="default" size="xs" onClick={() => setDropping(true)}>
            {say.dropOld}
          </Button>
        ) : (
          <Button size="xs" loading={add.isPending} onClick={() => add.mutate({ clientId })}>
            {say.addSecret}
          </Button>
        )
      }
    >
      <Stack gap="sm" px={20} py="sm">
        {add.error && <Problem title={say.addSecretFailed} error={add.error} />}
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Stack>
      <Rows label={say.secrets} head={[secretWords.label, say.secretMade, say.secretUsed]} minWidth={320}>
        {secrets.map(({ createdDate, lastUsedDate }, i) => (
          <Row
            key={createdDate}
            cells={[
              say.secretNumber(i + 1),
              <Time key="made" at={createdDate} />,
              <Time key="used" at={lastUsedDate} />,
            ]}
          />
        ))}
      </Rows>
      <SecretShown secret={secret} onKept={() => setSecret(undefined)} />
      <Confirm
        isOpen={isDropping}
        title={say.dropTitle}
        go={say.dropOld}
        isPending={drop.isPending}
        error={drop.error}
        onGo={() => drop.mutate({ clientId })}
        onClose={() => setDropping(false)}
      >
        {say.dropText}
      </Confirm>
    </Card>
  )
}
