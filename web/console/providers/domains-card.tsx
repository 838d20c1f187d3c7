import { Badge, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import {
  addProviderDomain,
  type Provider,
  type ProviderDomain,
  proveProviderDomain,
  readProvider,
  removeProviderDomain,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copied.tsx'
import { CircleCheck, Clock } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { providerWords as say } from './provider-words.ts'

/** Lists the e-mail domains of an organisation, each with the record that proves it. */
export function DomainsCard({ provider: { organisation, domains } }: { readonly provider: Provider }) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { domain: '' },
    validate: { domain: (value) => (value.trim() === '' ? say.missingDomain : null) },
  })
  const add = useWrite(addProviderDomain, { changes: [readProvider], onDone: () => form.reset() })
  useUnsaved(() => form.isDirty())
  return (
    <Card title={say.domains}>
      <Stack>
        <Text size="sm">{say.domainsText}</Text>
        {domains.length === 0 && (
          <Text size="sm" c="dimmed">
            {say.noDomains}
          </Text>
        )}
        {domains.map((one) => (
          <Domain key={one.domain} organisation={organisation} one={one} />
        ))}
        <form noValidate onSubmit={form.onSubmit(({ domain }) => add.mutate({ organisation, domain: domain.trim() }))}>
          <Stack>
            {add.error && <Problem title={say.addDomainFailed} error={add.error} />}
            <TextInput
              label={say.domain}
              description={say.domainHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maxLength={253}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              key={form.key('domain')}
              {...form.getInputProps('domain')}
            />
            <Group>
              <Button type="submit" variant="default" loading={add.isPending}>
                {say.addDomain}
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Card>
  )
}

interface DomainProps {
  readonly organisation: string
  readonly one: ProviderDomain
}

function Domain({ organisation, one: { domain, record, value, provenDate } }: DomainProps) {
  const [isRemoving, setRemoving] = useState(false)
  const prove = useWrite(proveProviderDomain, { changes: [readProvider], onDone: () => notify(say.provenNow(domain)) })
  const remove = useWrite(removeProviderDomain, {
    changes: [readProvider],
    onDone: () => {
      setRemoving(false)
      notify(say.domainRemoved(domain))
    },
  })
  const isProven = provenDate !== null
  return (
    <Stack gap="xs" component="section" aria-label={domain}>
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{domain}</Text>
          <Badge
            color={isProven ? 'green' : 'gray'}
            leftSection={isProven ? <CircleCheck size={13} aria-hidden /> : <Clock size={13} aria-hidden />}
          >
            {isProven ? say.proven : say.notProven}
          </Badge>
        </Group>
        <Group gap="xs">
          {!isProven && (
            <Button
              size="xs"
              loading={prove.isPending}
              aria-label={say.proveOf(domain)}
              onClick={() => prove.mutate({ organisation, domain })}
            >
              {say.prove}
            </Button>
          )}
          <Button size="xs" variant="default" aria-label={say.removeDomainOf(domain)} onClick={() => setRemoving(true)}>
            {say.removeDomain}
          </Button>
        </Group>
      </Group>
      {prove.error && <Problem title={say.proveFailed} error={prove.error} />}
      {!isProven && (
        <>
          <Input.Wrapper label={say.recordName} labelElement="div">
            <Copied value={record} what={say.recordNameOf(domain)} />
          </Input.Wrapper>
          <Input.Wrapper label={say.recordValue} labelElement="div">
            <Copied value={value} what={say.recordValueOf(domain)} />
          </Input.Wrapper>
        </>
      )}
      <Confirm
        isOpen={isRemoving}
        title={say.removeDomainTitle(domain)}
        go={say.removeDomain}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => remove.mutate({ organisation, domain })}
        onClose={() => setRemoving(false)}
      >
        {say.removeDomainText}
      </Confirm>
    </Stack>
  )
}
